// Frontend of one thread: FIFOs, MOP expander, replay buffer, wait gate. Owner: frontend/.
#pragma once

#include <array>
#include <cstddef>

#include "base/author.hpp"
#include "base/ring.hpp"
#include "base/types.hpp"

namespace bhemu::tensix {

/// In front of the MOP expander; how many of its places a core can fill: `may_push` of
/// frontend.hpp.
inline constexpr u32 kFifoDepth = 32;
/// Behind the MOP expander silicon has eight places in front of the replay expander and two behind.
inline constexpr u32 kBeforeReplayDepth = 8;
inline constexpr u32 kBehindMopDepth = kBeforeReplayDepth + 2;
inline constexpr u32 kReplaySlots = 32;
inline constexpr u32 kMopConfigWords = 9;

struct QueuedWord {
  Cycle pushed = 0;  // taken from the next cycle on
  u32 word = 0;
  u32 ends = 0;  // behind the MOP expander: the last that comes of a word of the TRISC
};

enum class MopPhase : u8 { Idle, Template0, Start, Loop, End0, End1 };

/// A MOP being expanded, one word a cycle. Counts are taken when it starts; the instruction words
/// are read from mop_config when they are needed, as hardware does (MOPExpander.md, Configuration).
struct MopExpansion {
  MopPhase phase = MopPhase::Idle;
  u8 step = 0;    // template 0: which instruction of the iteration comes next
  u16 outer = 0;  // iterations done
  u32 inner = 0;
  u32 outer_count = 0;
  u32 inner_count = 0;
  u32 flip = 0;  // template 1: LoopOp ^ LoopOp1 when the two alternate
  u32 mask = 0;  // template 0: bit 0 is the current iteration's
  u32 word = 0;  // the instruction that is being expanded, for the debug daisychain
};

enum class ReplayMode : u8 { Pass, Record, RecordAndExecute, Play };

/// The condition that the last STALLWAIT, SEMWAIT or STREAMWAIT of the thread has latched.
enum class WaitKind : u8 { None, Stallwait, Semwait, Streamwait };
struct LatchedWait {
  WaitKind kind = WaitKind::None;
  u8 semaphores = 0;
  u16 block = 0;      // bits B0..B8
  u16 condition = 0;  // bits C0..C12; of SEMWAIT and STREAMWAIT, C0 and C1
  u16 stream_select = 0;
  u32 target = 0;  // STREAMWAIT
  u32 word = 0;    // the instruction, for reports
};

/// What the classes of instructions use until RESOURCEDECL says otherwise (assembly.yaml).
inline constexpr std::array<u16, 16> kDefaultResources{0x060, 0x060, 0x1E0, 0x060, 0x01F, 0x020,
                                                       0x040, 0x100, 0x03E, 0x05D, 0x07F, 0x19D,
                                                       0x191, 0x1FF, 0x1FF, 0x011};

/// Whether there is anything to do is asked most, of all threads of all tiles: what says so lies in
/// three lines of the host's caches, from `mop` to `wait`, the places of `brisc_fifo` with those of
/// `behind_mop`, and those of `fifo`.
struct alignas(64) Frontend {
  std::array<u16, 16> declared = kDefaultResources;  // Auto TTSync, by class of instruction
  std::array<u32, kReplaySlots> replay{};
  std::array<u32, kMopConfigWords> mop_config{};
  u32 mask_hi = 0;
  MopExpansion mop;
  ReplayMode replay_mode = ReplayMode::Pass;
  u8 replay_index = 0;
  u8 replay_left = 0;
  /// The wait gate holds one instruction.
  bool gate_full = false;
  bool gate_from_brisc = false;       // of the instruction at the gate
  Origin gate_origin = Origin::None;  // where it came from; not part of the hash
  /// A fault of severity Error: the thread executes nothing more.
  bool stopped = false;
  u32 gate_word = 0;
  LatchedWait wait;
  Ring<QueuedWord, kFifoDepth> brisc_fifo;  // BRISC side, behind the MOP expander
  /// What the MOP expander has made already. It runs ahead of a gate that waits; here it does so
  /// only when somebody could tell (frontend.hpp, run_ahead).
  Ring<QueuedWord, 16, RingPlaces::First> behind_mop;
  u64 executed = 0;
  Ring<QueuedWord, kFifoDepth, RingPlaces::First> fifo;  // TRISC side, in front of the MOP expander
};
static_assert(offsetof(Frontend, mop) / 64 == offsetof(Frontend, wait) / 64 &&
              (offsetof(Frontend, behind_mop) - 1) / 64 == offsetof(Frontend, behind_mop) / 64);

}  // namespace bhemu::tensix
