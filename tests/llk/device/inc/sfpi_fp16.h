// Scalars of 16 bits: what SFPLOADI expands to FP32.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sfpi_constants.h"

namespace sfpi {

/// A 16-bit float constant, of eight (b) or five (a) exponent bits.
class s2vFloat16 {
 public:
  enum Format { fp16a = SFPLOADI_MOD0_FLOATA, fp16b = SFPLOADI_MOD0_FLOATB };
  constexpr s2vFloat16(std::uint32_t bits, Format format) : bits_(bits & 0xFFFF), format_(format) {}
  constexpr s2vFloat16(float number, Format format = fp16b)
      : s2vFloat16(format == fp16a ? half(__builtin_bit_cast(std::uint32_t, number))
                                   : __builtin_bit_cast(std::uint32_t, number) >> 16,
                   format) {}
  constexpr s2vFloat16 negate() const { return {bits_ ^ 0x8000, format_}; }
  constexpr std::uint32_t get() const { return bits_; }
  constexpr Format get_format() const { return format_; }

 private:
  /// For numbers that the format has; nearest, ties away from zero, for others.
  static constexpr std::uint32_t half(std::uint32_t bits) {
    const std::uint32_t sign = bits >> 16 & 0x8000, rounded = (bits & 0x7FFFFFFF) + 0x1000;
    if (rounded < 0x38800000) return sign;
    if (rounded >= 0x48000000) return sign | 0x7FFF;
    return sign | ((rounded - 0x38000000) >> 13);
  }
  std::uint32_t bits_;
  Format format_;
};

template <s2vFloat16::Format kFormat>
class Float16 : public s2vFloat16 {
 public:
  constexpr Float16(float number) : s2vFloat16(number, kFormat) {}
  constexpr Float16(double number) : s2vFloat16(float(number), kFormat) {}
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  constexpr Float16(T bits) : s2vFloat16(std::uint32_t(bits), kFormat) {}
};

using s2vFloat16a = Float16<s2vFloat16::fp16a>;
using s2vFloat16b = Float16<s2vFloat16::fp16b>;
using sFloat16a = s2vFloat16a;
using sFloat16b = s2vFloat16b;

}  // namespace sfpi
