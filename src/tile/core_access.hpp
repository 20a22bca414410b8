// What a core's load or store does when it is neither L1 nor the core's own local memory: the
// windows that only cores have (Tensix FIFOs, PCBufs, mailboxes, semaphores, GPRs, configuration,
// Dst), who may use them and who has to wait, and the way to registers (register_space.hpp).
#pragma once

#include "tile/register_space.hpp"

namespace bhemu::tile {

/// The overlay's registers of streams.
inline constexpr u32 kOverlay = 0xFFB40000;
inline constexpr u32 kOverlayBytes = noc::kStreams * noc::kStreamStride;

class CoreAccess {
 public:
  CoreAccess(const AccessEnvironment& environment, RegisterSpace& registers)
      : env_(environment), registers_(registers) {}

  riscv::Loaded load(unsigned core, u32 address, u32 size, Cycle now);
  /// The same for who has asked `load_at_once` already.
  riscv::Loaded load_slowly(unsigned core, u32 address, u32 size, Cycle now);
  /// Of the words that kernels look at most: counters of NIUs and circular buffers, and the clock.
  /// False: it is another, or the core has to wait, and `load` is the way.
  bool load_at_once(unsigned core, u32 address, u32& value, Cycle now);
  /// To the words that are written most, parts of a request in a command buffer, counters of
  /// circular buffers and a thread's own GPRs, when nobody waits for them, is told, or ends his
  /// turn for them. False: nothing is done, and `store` is the way.
  bool store_at_once(unsigned core, u32 pc, u32 address, u32 value, Cycle now) {
    // Who stores at once stores most often to streams: inline, so that this is no call of its own.
    const u32 at = address - kOverlay;
    return at < kOverlayBytes ? store_count(core, pc, at, value, now)
                              : store_part(core, pc, address, value, now);
  }
  /// Of a TRISC to its thread: words that instructions from `pc` on push, one a cycle from `now`
  /// on, as long as there is room, and nobody waits for them, is told, or ends his turn for them.
  /// Returns how many that are; for the next one `push_tensix` is the way.
  u32 push_at_once(unsigned core, u32 pc, std::span<const u32> words, Cycle now, Pushed by);
  riscv::Outcome store(unsigned core, u32 address, u32 size, u32 value, Cycle now);
  /// The store of the instruction at `pc`, which may be long past (late.hpp).
  riscv::Outcome carry_out(unsigned core, u32 pc, u32 address, u32 size, u32 value, Cycle now);
  riscv::Outcome push_tensix(unsigned core, unsigned thread, u32 word, Cycle now,
                             Pushed by = Pushed::ByStore);

  /// An access of a TRISC that has to wait for instructions of its thread (AutoTTSync.md).
  bool held_by_ttsync(unsigned core, Region region, u32 offset, bool is_store) const;
  bool still_held_by_ttsync(unsigned core) const;

 private:
  const RegionInfo& info(Region region) const { return (*env_.shape.regions)[region]; }
  riscv::Loaded load_pcbuf(unsigned core, unsigned buffer, u32 offset, Cycle now);
  riscv::Outcome store_pcbuf(unsigned core, unsigned buffer, u32 offset, u32 value, Cycle now);
  riscv::Loaded load_mailbox(unsigned core, u32 offset, Cycle now);
  riscv::Outcome store_mailbox(unsigned core, u32 offset, u32 value, Cycle now);
  void check_semaphore(unsigned core, u32 index, bool gets, Cycle now);
  /// What the core pushes this way comes in groups, once there is room for the first.
  bool fuses(unsigned core, Pushed by) const;
  void end_long_turn(Cycle at) {
    if (env_.long_turn) env_.host.end_long_turn(at);
  }
  bool nobody_looks_on() const;
  // The ways of `store_at_once` that take more than a few instructions are functions of their own,
  // so that the others need no frame. To the register at `offset` of the streams:
  bool store_count(unsigned core, u32 pc, u32 offset, u32 value, Cycle now);
  /// To a part of a request, the FIFO of a TRISC's thread, or a general purpose register.
  bool store_part(unsigned core, u32 pc, u32 address, u32 value, Cycle now);
  /// To the FIFO of a TRISC's thread.
  [[gnu::noinline]] bool push_one(unsigned core, u32 pc, u32 word, Cycle now);
  riscv::Outcome wait(unsigned core, BlockKind kind, u32 resources, u32 address);

  AccessEnvironment env_;
  RegisterSpace& registers_;
};

}  // namespace bhemu::tile
