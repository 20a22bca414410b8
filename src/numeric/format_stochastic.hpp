// Stochastic rounding in the packer: the same adder as round-to-nearest, with random bits in the
// place of one half.
//
// Documents: tt-isa-documentation Packers/FormatConversion.md (which conversions; a slight bias
// towards larger magnitudes, even of values that need no rounding), BlackholeA0
// SFPSTOCHRND_FloatFloat.md (the comparison that has just these faults: discarded bits >= random
// bits, where nearest is the random number 0x400000). That the packer compares alike is our
// reading; which random numbers it draws is in no document.
#pragma once

#include "base/types.hpp"
#include "numeric/format_pack.hpp"

namespace bhemu::numeric {

/// Nearest, ties away from zero, as a value of `random`.
inline constexpr u32 kRandomNearest = 0x400000;

/// What to add before `dropped` bits are cut: the sum carries when the bits, moved to the top of
/// 23, are >= 23 random bits. However few bits are dropped, a value that needs no rounding goes up
/// only once in 2^23: the bias is slight.
constexpr u32 rounding_bias(u32 random, u32 dropped) {
  const u32 unit = 23 - dropped;
  return (1u << dropped) - (((random & 0x7FFFFFu) + (1u << unit) - 1) >> unit);
}

/// As EarlyRow, with one random number for each datum.
using StochasticRow = void (*)(const u32* stored, u32 shift, const u32* random, u32* code);
/// Null: the conversion drops no bits, and randomness does not reach it.
StochasticRow stochastic_conversion(const EarlyMode& mode);

/// As assemble_group.
Block assemble_group_stochastic(Format to, const u16* group, const u32* random);

}  // namespace bhemu::numeric
