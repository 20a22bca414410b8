// PCI configuration space of the card (config_space.def).
#pragma once

#include <array>

#include "base/types.hpp"

namespace bhemu::card {

enum ConfigRegister : u32 {
#define CONFIG_REGISTER(name, offset, reset, writable, meaning) kConfig_##name = offset,
#include "card/config_space.def"
#undef CONFIG_REGISTER
};

class ConfigSpace {
 public:
  static constexpr u32 kBytes = 0x1000;  // with what PCI Express adds

  /// `subsystem`: the board's number in the high half of SUBSYSTEM.
  explicit ConfigSpace(u16 subsystem);

  /// False: no such register (not a multiple of 4, or beyond the end). What has no row reads 0 and
  /// ignores what is written, as PCI demands of what a function does not have.
  bool read(u32 offset, u32& value) const;
  bool write(u32 offset, u32 value);
  /// The address at which the system has put BAR 0, 2 or 4.
  u64 bar_base(unsigned bar) const;

 private:
  std::array<u32, kBytes / 4> words_{};
};

}  // namespace bhemu::card
