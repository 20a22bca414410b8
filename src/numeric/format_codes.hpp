// The 4-bit data format codes that every format field of unpackers, packer and matrix unit uses.
//
// Documents: tt-isa-documentation WormholeB0 Unpackers/FormatConversion.md and
// Packers/FormatConversion.md (shared with Blackhole), "The encoding of type names".
#pragma once

#include "base/types.hpp"

namespace bhemu::numeric {

/// Names as in the ISA documentation; a trailing `a` means a shared exponent of 5 bits.
enum class Format : u8 {
  Fp32 = 0,
  Fp16 = 1,
  Bfp8a = 2,
  Bfp4a = 3,
  Tf32 = 4,
  Bf16 = 5,
  Bfp8 = 6,
  Bfp4 = 7,
  Int32 = 8,
  Int16 = 9,
  Fp8 = 10,
  Bfp2a = 11,
  Unused12 = 12,
  Unused13 = 13,
  Int8 = 14,
  Bfp2 = 15,
};

constexpr Format format_of(u32 code) {
  return static_cast<Format>(code & 0xF);
}
const char* name_of(Format format);

/// Bits of one datum in L1; 0 for the two codes without a meaning.
constexpr u32 bits_of(Format format) {
  constexpr u8 kBits[16] = {32, 16, 8, 4, 32, 16, 8, 4, 32, 16, 8, 2, 0, 0, 8, 2};
  return kBits[static_cast<u8>(format)];
}

/// Bytes per datum as the address generators count them: by the low two bits of the code only,
/// so that every format of 8 bits or fewer counts as one byte.
constexpr u32 address_bytes_of(Format format) {
  constexpr u8 kBytes[4] = {4, 2, 1, 1};
  return kBytes[static_cast<u8>(format) & 3];
}

constexpr bool is_bfp_a(Format format) {
  return format == Format::Bfp8a || format == Format::Bfp4a || format == Format::Bfp2a;
}
constexpr bool is_bfp(Format format) {
  return is_bfp_a(format) || format == Format::Bfp8 || format == Format::Bfp4 ||
         format == Format::Bfp2;
}
constexpr bool is_integer(Format format) {
  return format == Format::Int32 || format == Format::Int16 || format == Format::Int8;
}

/// Datums of the row that every register file and every conversion works in.
inline constexpr u32 kRow = 16;

}  // namespace bhemu::numeric
