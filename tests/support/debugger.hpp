// A debugger of a tile's RISC-V cores, as a host would write it from DebugInterface.md: nothing but
// reads and writes of four registers. Its numbers are its own, not those of riscv_debug.def.
#pragma once

#include <functional>
#include <utility>

#include "base/types.hpp"

namespace bhemu::test {

class Debugger {
 public:
  using Write = std::function<void(u32 address, u32 value)>;
  using Read = std::function<u32(u32 address)>;

  static constexpr u32 kControl = 0xFFB12080;
  static constexpr u32 kWriteData = 0xFFB12084;
  static constexpr u32 kEcho = 0xFFB12088;
  static constexpr u32 kReadData = 0xFFB1208C;

  // Debug registers.
  enum : u32 { kStatus, kCommand, kArgument0, kArgument1, kResult, kModes, kAddresses = 10 };
  // Status.
  enum : u32 { kPaused = 1, kBreakpoint = 2, kMemory = 4, kEbreak = 8, kWatchpoint0 = 0x100 };
  // Command.
  enum : u32 {
    kPause = 1,
    kStep = 2,
    kContinue = 4,
    kReadGpr = 8,
    kWriteGpr = 0x10,
    kReadMemory = 0x20,
    kWriteMemory = 0x40,
    kClearGprs = 0x80,
    kWritePc = 0x100,
    kSlow = 0x80000000,
  };
  // Modes of a watchpoint.
  enum : u32 { kOff = 0, kAtInstruction = 8, kOnLoad = 9, kOnStore = 10, kOnAccess = 11 };
  static constexpr u32 kPc = 32;

  Debugger(u32 which, Write write, Read read)
      : which_(which), write_(std::move(write)), read_(std::move(read)) {}

  /// "Writing to DR(i)", without the polls that can be skipped.
  void set(u32 index, u32 value) const {
    write_(kWriteData, value);
    write_(kControl, 0);
    write_(kControl, 0x80010000 | which_ << 17 | index);
  }
  /// "Reading from DR(i)".
  u32 get(u32 index) const {
    write_(kControl, 0);
    write_(kControl, 0x80000000 | which_ << 17 | index);
    while ((read_(kEcho) & 0xC0000000) != 0xC0000000) continue;
    return read_(kReadData);
  }

  u32 status() const { return get(kStatus); }
  bool is_paused() const { return (status() & kPaused) != 0; }
  void command(u32 actions) const { set(kCommand, kSlow | actions); }
  void pause() const { command(kPause); }
  void resume() const { command(kContinue); }
  /// Two commands for an instruction, as Blackhole wants them.
  void step() const {
    command(kStep);
    command(kStep);
  }
  u32 gpr(u32 index) const {
    set(kArgument0, index);
    command(kReadGpr);
    return get(kResult);
  }
  u32 pc() const { return gpr(kPc); }
  void set_gpr(u32 index, u32 value) const {
    set(kArgument1, value);
    set(kArgument0, index);
    command(kWriteGpr);
  }
  void set_pc(u32 value) const {
    set(kArgument1, value);
    command(kWritePc);
  }
  u32 memory(u32 address) const {
    set(kArgument0, address);
    command(kReadMemory);
    return get(kResult);
  }
  void set_memory(u32 address, u32 value) const {
    set(kArgument1, value);
    set(kArgument0, address);
    command(kWriteMemory);
  }
  void watch(u32 watchpoint, u32 mode, u32 address) const {
    set(kAddresses + watchpoint, address);
    const u32 others = get(kModes) & ~(0xFu << watchpoint * 4);
    set(kModes, others | mode << watchpoint * 4);
  }

 private:
  u32 which_;
  Write write_;
  Read read_;
};

}  // namespace bhemu::test
