// The debug daisychain: what its signals show, and the samples that it writes to L1.
//
// Documents: tt-isa-documentation WormholeB0/TensixTile/DebugDaisychain.md (registers, the same on
// Blackhole), positions of Blackhole from tenstorrent/tt-exalens; the rows are in debug_bus.def.
//
// A signal shows the state between two instructions of a core and between two cycles of the
// coprocessor, at once: the five cycles that silicon takes to settle are not modelled. Signals
// inside a pipeline have no counterpart here (rows UNMODELLED): their bits read zero. A word that
// holds such signals only is reported, once per word, by the rule tile-debug-signal, which is a
// warning: somebody who looks around must not stop what he looks at.
#pragma once

#include <array>

#include "base/bits.hpp"
#include "mem/l1.hpp"
#include "noc/packet.hpp"
#include "tensix/coprocessor.hpp"
#include "tensix/isa.hpp"
#include "tensix/state.hpp"
#include "tile/slot.hpp"

namespace bhemu::tile {

class Tile;

/// RISCV_DEBUG_REG_DBG_BUS_CNTL_REG.
struct DaisySelection {
  u32 signal = 0;
  u32 daisy = 0;
  u32 word = 0;  // Read32Sel
  bool enabled = false;
  explicit DaisySelection(u32 value)
      : signal(bits(value, 0, 16)),
        daisy(bits(value, 16, 8)),
        word(bits(value, 25, 2)),
        enabled(bit(value, 29)) {}
};

using DaisyGroup = std::array<u32, 4>;

/// SignalSel of a core's groups A and B (daisy 7), by CoreId; of a TRISC's C and D; of a thread
/// (daisy 1).
inline constexpr u16 kDaisyGroupA[kCores] = {10, 24, 12, 14, 16};
inline constexpr u16 kDaisyGroupB[kCores] = {11, 25, 13, 15, 17};
/// The same of an Ethernet tile's cores (tt-exalens eth_block.py).
inline constexpr u16 kEthernetDaisyGroupA[kEthernetCores] = {18, 20};
inline constexpr u16 kEthernetDaisyGroupB[kEthernetCores] = {19, 21};
inline constexpr u16 kDaisyGroupC[kThreads] = {18, 20, 22};
inline constexpr u16 kDaisyGroupD[kThreads] = {19, 21, 23};
inline constexpr u16 kDaisyFrontend[kThreads] = {12, 8, 4};

/// What the rows of debug_bus.def look at. Cores by index (CoreId), threads 0 to 2.
class DebugProbe {
 public:
  DebugProbe(Tile& tile, Cycle now) : tile_(tile), now_(now) {}

  u32 pc(unsigned core);
  noc::NodeKind kind() const;
  /// Out of reset, not stopped by a fault, and not held at an access.
  bool runs(unsigned core) const;
  /// The core is at an access of this kind that has to wait; `about` is the PCBuf or mailbox.
  bool waits(unsigned core, BlockKind kind, unsigned about) const;
  bool waits_to_store(unsigned core) const;
  u32 store_address(unsigned core) const;
  bool waits_for_sync(unsigned thread) const;
  /// Bit k: mailbox end k does not wait for a word that end `from` would write.
  u32 mailbox_ready(unsigned from) const;

  const tensix::Coprocessor& coprocessor() const;
  const tensix::Frontend& frontend(unsigned thread) const;
  u32 pcbuf_front(unsigned thread) const;
  bool expands_template0(unsigned thread) const;
  bool expands_template1(unsigned thread) const;
  bool mop_stage_valid(unsigned thread) const;
  u32 mop_stage_word(unsigned thread) const;
  u32 gate_word(unsigned thread) const;
  bool at_gate(unsigned thread, tensix::Unit unit) const;
  u32 unpack_at_gate(unsigned thread) const;
  bool tdma_at_gate(unsigned thread) const;
  u32 busy(unsigned thread, tensix::BusyUnit unit) const;
  bool mover_busy() const;

  u64 math_offsets() const;
  const tensix::Rwc& rwc(unsigned thread) const;
  /// By SignalSel: channels of unpacker 0, unpacker 1 (thread 0's) and the packer (thread 2's).
  const tensix::AdcChannel& adc(unsigned select) const;
  const tensix::SrcFile& src_a() const;
  const tensix::SrcFile& src_b() const;
  u32 source_b_valid() const;
  u32 lanes_enabled() const;

 private:
  const tensix::State& state() const;
  bool held(unsigned core) const;

  Tile& tile_;
  Cycle now_;
};

/// The 128 bits that a selection shows.
DaisyGroup daisy_group(DebugProbe& probe, u32 daisy, u32 signal);
/// What is in a word (0 to 3) of a group: at least one modelled signal, only signals that are not
/// modelled (or nobody knows what), nothing at all.
enum class DaisyWord : u8 { Modelled, Unmodelled, Reserved };
DaisyWord daisy_word(noc::NodeKind tile, u32 daisy, u32 signal, u32 word);
/// Null where nothing with a name is left out.
const char* unmodelled_group(noc::NodeKind tile, u32 daisy, u32 signal);

/// DBG_L1_MEM_REG2: writes samples to L1, one at a time or a series.
class DaisyDump {
 public:
  enum class Mode : u8 { Overwrite = 0, Advance = 1, Series = 4, Prepare = 15 };
  static constexpr u32 kEnd = 1u << 20;  // it reaches the low 1 MiB

  /// Cycle of the next sample of a series; kNever when none runs.
  Cycle next() const { return left_ == 0 ? kNever : next_; }
  bool running() const { return left_ != 0; }
  u32 address() const { return address_; }
  Agent author() const { return author_; }

  void prepare() { left_ = advanced_ = 0; }
  /// A sample is written to `first` + what previous ones have advanced.
  void place(u32 first) { address_ = first + advanced_; }
  void advance() { advanced_ += 16; }
  void start_series(u32 first, u32 count, u32 interval, const Author& author);
  /// After a sample of the series.
  void step();
  u64 hash(u64 seed) const;

 private:
  u32 address_ = 0;
  u32 advanced_ = 0;
  u32 left_ = 0;
  u32 interval_ = 0;
  Cycle next_ = 0;
  Agent author_ = Agent::Host;
};

}  // namespace bhemu::tile
