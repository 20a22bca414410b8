// How the tile's scheduler sees one core: running, waiting for something, or off.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/types.hpp"
#include "base/wakeup.hpp"
#include "mem/arena.hpp"
#include "riscv/core.hpp"
#include "trace/event.hpp"

namespace bhemu::tile {

enum class CoreStatus : u8 {
  Reset,  // held by SOFT_RESET_0
  Running,
  Blocked,  // an access has to wait: FIFO full, mailbox empty, TTSync ...
  Parked,   // in a loop that can only repeat until something it reads changes
  Stopped,  // raised a fault of severity Error
  Halted,   // paused for a debugger
};

/// What a blocked core's access waits for; the hang report puts it into words.
enum class BlockKind : u8 {
  None,
  FifoFull,
  MailboxEmpty,
  MailboxFull,
  PcBufEmpty,
  PcBufFull,
  PcBufBarrier,
  CoprocessorDone,
  MopDone,
  PackedTile,
  TdmaFull,
  TtSyncLoad,  // Auto TTSync
  TtSyncStore,
};

/// As traces name it.
trace::Wait wait_of(BlockKind block);

/// How a core pushes a Tensix instruction.
enum class Pushed : u8 { ByStore, ByTtinsn };

/// The bytes and registers a core has read since it was last at its anchor: what can end its loop.
/// Cores that wait for a byte each often have them in one word.
class ReadSet {
 public:
  static constexpr unsigned kWords = 24;
  void clear() {
    count_ = 0;
    resources_ = 0;
    lines_ = 0;
  }
  /// False when the set is full: the loop reads too much to be worth parking.
  bool add(u32 address, u32 bytes) {
    for (u32 word = address & ~3u; word < address + bytes; word += 4) {
      unsigned i = 0;
      while (i < count_ && words_[i] != word) ++i;
      if (i == kWords) return false;
      if (i == count_) {
        words_[count_++] = word;
        bytes_[i] = 0;
        lines_ |= line_bit(word);
      }
      bytes_[i] |= bytes_of(word, address, bytes);
    }
    return true;
  }
  /// The bytes in `mask` of a word in which nothing has been read so far. There are fewer than
  /// kWords others.
  void add_word(u32 word, u32 mask) {
    bytes_[count_] =
        static_cast<u8>((mask & 1) | (mask >> 7 & 2) | (mask >> 14 & 4) | (mask >> 21 & 8));
    words_[count_++] = word;
    lines_ |= line_bit(word);
  }
  void add(Resource resource) { resources_ |= mask_of(resource); }
  bool overlaps(u32 address, u32 bytes) const {
    // Nearly all that is asked about lies in one line, in which most cores read nothing, and in one
    // word of it.
    const u32 spans = address ^ (address + bytes - 1);
    if (!may_be_in_line(address) && spans < kLine) return false;
    if (spans < 4) {
      const u8 asked = static_cast<u8>(((1u << bytes) - 1) << address % 4);
      for (unsigned i = 0; i < count_; ++i)
        if (words_[i] == (address & ~3u)) return (bytes_[i] & asked) != 0;
      return false;
    }
    for (unsigned i = 0; i < count_; ++i)
      if (words_[i] < address + bytes && address < words_[i] + 4 &&
          (bytes_[i] & bytes_of(words_[i], address, bytes)) != 0)
        return true;
    return false;
  }
  /// Of the line at `address`; false is certain.
  bool may_be_in_line(u32 address) const { return (lines_ & line_bit(address)) != 0; }
  u32 resources() const { return resources_; }
  unsigned count() const { return count_; }
  u32 word(unsigned index) const { return words_[index]; }

 private:
  static constexpr u32 kLine = 64;
  static u64 line_bit(u32 address) { return u64{1} << address / kLine % 64; }
  /// A bit for each byte of `word` in [address, address + bytes), which is not all beside it.
  static u8 bytes_of(u32 word, u32 address, u32 bytes) {
    const u32 begin = std::max(word, address) - word;
    const u32 end = std::min(word + 4, address + bytes) - word;
    return static_cast<u8>((1u << end) - (1u << begin));
  }

  // The schedule looks at these for all cores of a tile: they lie in as few cache lines as can be.
  u32 resources_ = 0;
  u32 count_ = 0;
  u64 lines_ = 0;                 // a bit for each line of words_, modulo 64
  std::array<u8, kWords> bytes_;  // of words_, up to count_
  std::array<u32, kWords> words_;
};

/// A loop longer than this is not worth recognising; firmware's polling loops have 3 to 40
/// instructions.
inline constexpr Cycle kProbeLength = 96;

/// What of a core's place in the schedule changes all the time. The schedule looks at it for all
/// cores of all tiles, so what is asked for most lies in the first line of the host's caches, and
/// the beginning of `reads` in the second.
struct SlotState {
  CoreStatus status = CoreStatus::Reset;
  BlockKind block = BlockKind::None;
  // The latest access that had to wait, and how many instructions were retired before it: the core
  // is still there while that number stands, however often it was roused to look again.
  BlockKind waited = BlockKind::None;
  // The access at the pc has had to wait, and has not been tried again since.
  BlockKind waited_for = BlockKind::None;
  bool checked = false;  // a debugger wants a look at each instruction
  // Looking for a loop: what it did since it was at the anchor.
  bool recording = false;
  bool impure = false;   // did something that a repetition would not merely repeat
  bool timed = false;    // read a clock, which a repetition would find later
  bool at_head = false;  // it began where the core had been parked before
  bool woken = false;    // and not looked at since
  // How often the core has come to the anchor in the turn under way.
  u8 passes = 0;
  bool early = false;  // at a head of a loop for the first time
  u8 patience = 1;     // how many times as late as at first the core is looked at when woken
  u8 longest = 0;      // cycles of a round of the loop that is looked for
  u16 backoff = 0;
  u32 block_resources = 0;  // Blocked: mask of Resource
  u32 anchor_pc = 0;
  // The head of a loop (riscv/loop_heads.hpp) that the core came by last, and when; a cycle to come
  // if none is worth a look before.
  static constexpr u32 kNoHead = ~u32{0};
  u32 head_pc = kNoHead;
  u32 period = 0;  // Parked: cycles of one round of the loop
  Cycle head_cycle = 0;
  // Parked: the cycle at which the rounds that are known have been gone through; kNever: they
  // repeat one and the same state. Until then each register grows by its step in a round, and the
  // rounds begin as the core was at the anchor.
  static constexpr Cycle kEndless = kNever - 1;  // they grow, and no end is known
  Cycle rounds_end = kNever;
  Cycle next_probe = 0;
  Cycle anchor_cycle = 0;
  ReadSet reads;
  // With what the core began when it left reset (riscv/known_loops.hpp), and when. kNever: it has
  // been parked since, or nobody wants to know.
  u64 start = 0;
  Cycle start_cycle = kNever;
  // `.ttinsn` instructions of the group under way that have been pushed, and where the next one is.
  u8 fused = 0;
  u32 fused_pc = 0;
  u32 block_address = 0;  // of the access that waits
  u32 waited_address = 0;
  u64 waited_instret = 0;
  // The overlay registers read last, newest first, for the hang report.
  std::array<u32, 2> stream_offsets{};
};
static_assert(offsetof(SlotState, reads) == 64);

/// Everything about a core's place in the schedule. Not guest-visible, so not part of the hash.
struct alignas(64) CoreSlot : SlotState {
  CoreSlot() : CoreSlot(InZeroedMemory{}) {}
  explicit CoreSlot(InZeroedMemory zeroed) {
    if (zeroed.holds) return;
    steps = {};
    anchor_x = {};
    anchor_f = {};
    anchor_csr = {};
  }
  /// As a core that leaves reset: what is only looked at with a loop that was found stays.
  void restart() { static_cast<SlotState&>(*this) = {}; }

  std::array<u32, 33> steps;
  // The state at the anchor.
  std::array<u32, 33> anchor_x;
  std::array<u32, 32> anchor_f;
  std::array<u8, sizeof(riscv::CsrState)> anchor_csr;  // as bytes: only compared
};

}  // namespace bhemu::tile
