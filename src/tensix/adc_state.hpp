// Address counters (ADCs) of the unpackers and packers. Owner: adc.cpp; auto-increments are
// done by unpack/ and pack/.
//
// Documents: tt-isa-documentation ADCs.md (one text for Wormhole and Blackhole, which has wider Z
// and W counters).
#pragma once

#include <array>

#include "base/types.hpp"

namespace bhemu::tensix {

/// Widths: X 18 bits, the others 13. Where L1 addresses of the unpackers are formed, and on the
/// debug bus, only the low eight bits of Z and W arrive (`kAdcNarrow`).
inline constexpr u32 kAdcMaskX = 0x3FFFF;
inline constexpr u32 kAdcMaskY = 0x1FFF;
inline constexpr u32 kAdcMaskZ = 0x1FFF;
inline constexpr u32 kAdcMaskW = 0x1FFF;
inline constexpr u32 kAdcNarrow = 0xFF;

struct AdcChannel {
  u32 x = 0;
  u32 x_cr = 0;
  u16 y = 0;
  u16 y_cr = 0;
  u16 z = 0;
  u16 z_cr = 0;
  u16 w = 0;
  u16 w_cr = 0;
};

struct Adc {
  std::array<AdcChannel, 2> channel{};
};

enum class AdcUnit : u8 { Unpacker0, Unpacker1, Packer };

struct AdcState {
  std::array<std::array<Adc, 3>, kThreads> adc{};
  Adc& of(unsigned thread, AdcUnit unit) { return adc[thread][static_cast<unsigned>(unit)]; }
  const Adc& of(unsigned thread, AdcUnit unit) const {
    return adc[thread][static_cast<unsigned>(unit)];
  }
};

}  // namespace bhemu::tensix
