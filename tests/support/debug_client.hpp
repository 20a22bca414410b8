// What a debugger does over the NoC to look into a tile, in the order in which tt-exalens does it
// (ttexalens/debug_bus_signal_store.py, register_store.py, debug_tensix.py, hardware/
// perf_counters.py): nothing but reads and writes of registers and L1.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "base/bits.hpp"
#include "base/types.hpp"

namespace bhemu::test {

struct DebugSignal {
  u32 daisy;
  u32 signal;
  u32 low;  // in the 128 bits
  u32 width;
};

/// The program counters, in CoreId order.
inline constexpr DebugSignal kPcSignal[kCores] = {
    {7, 11, 32, 30}, {7, 25, 32, 30}, {7, 13, 32, 30}, {7, 15, 32, 30}, {7, 17, 32, 30}};

class DebugClient {
 public:
  std::function<u32(u32)> read;
  std::function<void(u32, u32)> write;
  /// Lets the chip go on while the client polls.
  std::function<void()> poll;

  static constexpr u32 reg(u32 offset) { return 0xFFB12000 + offset; }

  u32 word(u32 daisy, u32 signal, u32 index) const {
    write(reg(0x054), 1u << 29 | index << 25 | daisy << 16 | signal);
    return read(reg(0x05C));
  }
  /// A signal, also one that spans two words.
  u64 signal(const DebugSignal& s) const {
    u64 value = 0;
    for (u32 index = s.low / 32; index <= (s.low + s.width - 1) / 32; ++index) {
      const u64 at = word(s.daisy, s.signal, index);
      const i32 shift = static_cast<i32>(index * 32) - static_cast<i32>(s.low);
      value |= shift >= 0 ? at << shift : at >> -shift;
    }
    return s.width == 64 ? value : value & ((u64{1} << s.width) - 1);
  }
  u32 pc(CoreId core) const {
    return static_cast<u32>(signal(kPcSignal[static_cast<unsigned>(core)]));
  }

  /// `samples` times 128 bits through L1, `interval` cycles apart.
  std::vector<std::array<u32, 4>> sample(u32 daisy, u32 signal, u32 address, u32 samples = 1,
                                         u32 interval = 2) const {
    constexpr u32 kSentinel = 0xDEADBEEF;
    write(reg(0x054), 1u << 29 | daisy << 16 | signal);
    write(reg(0x050), 2 << 4 | 0xF);
    write(reg(0x048), address / 16);
    u32 mode = 2 << 4 | 1;
    if (samples > 1) {
      write(reg(0x04C), address / 16 + samples);
      mode = (interval - 1) << 4 | 4;
    }
    write(reg(0x050), mode);
    const u32 last = address + (samples - 1) * 16;
    for (u32 i = 0; i < 4; ++i) write(last + 4 * i, kSentinel);
    write(reg(0x050), mode | 1u << 12);
    write(reg(0x050), mode);
    for (int tries = 0; read(last) == kSentinel && tries < 1000; ++tries) poll();
    std::vector<std::array<u32, 4>> groups(samples);
    for (u32 i = 0; i < samples; ++i)
      for (u32 j = 0; j < 4; ++j) groups[i][j] = read(address + i * 16 + j * 4);
    return groups;
  }

  u32 config(u32 index) const {
    write(reg(0x058), index);
    return read(reg(0x078));
  }

  /// One Tensix instruction through the FIFO before the replay expander.
  void inject(u32 instruction, unsigned thread) const {
    const auto until = [&](u32 bit_index) {
      for (int tries = 0; !bit(read(reg(0x0A8)), bit_index) && tries < 1000; ++tries) poll();
    };
    until(thread);
    write(reg(0x0A0), 1u << thread);
    until(thread);
    write(reg(0x0A4), instruction);
    write(reg(0x0A0), 1u << (4 + thread) | 1u << thread);
    until(4 + thread);
    write(reg(0x0A0), 0);
  }

  std::array<u32, 8> array_row(u32 array, u32 row) const {
    std::array<u32, 8> words{};
    write(reg(0x060), 1);
    for (u32 i = 0; i < 8; ++i) {
      write(reg(0x064), array << 16 | i << 12 | row);
      words[i] = read(reg(0x06C));
    }
    write(reg(0x064), 0);
    write(reg(0x060), 0);
    return words;
  }

  /// A bank of performance counters: its control registers and its two outputs.
  struct Bank {
    u32 control;
    u32 out;
  };
  static constexpr Bank kInstrnThread{0x000, 0x100};
  static constexpr Bank kUnpack{0x00C, 0x108};
  static constexpr Bank kFpu{0x018, 0x120};
  static constexpr Bank kL1{0x030, 0x118};
  static constexpr Bank kPack{0x0F0, 0x110};

  void start(Bank bank, u32 mode = 0, u32 period = 0xFFFFFFFF) const {
    write(reg(bank.control), period);
    write(reg(bank.control + 4), mode);
    write(reg(bank.control + 8), 0);
    write(reg(bank.control + 8), 1);
  }
  void stop(Bank bank) const {
    write(reg(bank.control + 8), 0);
    write(reg(bank.control + 8), 2);
  }
  u32 cycles(Bank bank) const { return read(reg(bank.out)); }
  u32 count(Bank bank, u32 select) const {
    write(reg(bank.control + 4), select << 8);
    return read(reg(bank.out + 4));
  }
};

}  // namespace bhemu::test
