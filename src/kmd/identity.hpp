// Who the driver says it is, and where its card sits on the bus.
#pragma once

#include "base/types.hpp"

namespace bhemu::kmd {

struct Version {
  u8 major;
  u8 minor;
  u8 patch;
};
/// Of tt-kmd: the one whose requests these are.
inline constexpr Version kVersion{2, 10, 1};

/// Bus 1 + ordinal, device 0, function 0 of domain 0.
/// Of PCI Express configuration space, as sysfs shows it.
inline constexpr u32 kConfigBytes = 4096;

constexpr u16 bus_of(unsigned ordinal) {
  return static_cast<u16>(1 + ordinal);
}
constexpr u16 bus_device_function(unsigned ordinal) {
  return static_cast<u16>(bus_of(ordinal) << 8);
}

}  // namespace bhemu::kmd
