// Many instructions of the vector unit one after the other, in one go: the steps of a block work on
// the 32 lanes of LRegs and on lane flags, and load and store whole rows of Dst. Which instructions
// are such steps is decided in tensix/sfpu/block.cpp.
#pragma once

#include "numeric/lanes.hpp"

namespace bhemu::numeric {

/// What a step gives, of registers a, b, c and the old value of d.
enum class SfpuStepKind : u8 {
  MulAdd,           // sfpu_mul_add(a ^ flip_x, b, c ^ flip_z)
  MulAddImmediate,  // sfpu_mul_add(immediate, b, c ^ flip_z)
  MulImmediate,     // sfpu_mul_add(a ^ flip_x, immediate, c)
  LoadBf16,
  LoadFp16,
  LoadWord,
  StoreBf16,  // of d
  StoreFp16,
  StoreWord,
  StoreSingle,
  Combine,  // (c & keep) | (b & take) | immediate
  Flip,     // c ^ immediate
  Add,
  AddImmediate,
  Subtract,  // c - b
  And,
  Or,
  Xor,
  ShiftLeft,   // b by `immediate` places
  ShiftRight,  // likewise
  ShiftRightSigned,
  ShiftBy,          // b to the left by c, to the right where c is negative
  ShiftBySigned,    // the same, and the sign fills in from the left
  Exponent,         // exponent field of c, less `immediate`
  SetLowExponent,   // c with the low eight bits of b as exponent
  AddExponent,      // exponent of c plus `immediate`, modulo 256; 255 stays
  AbsoluteInteger,  // two's complement
  AbsoluteFloat,    // negative NaNs stay
  SwapSign,         // sfpu_swap_sign_representation
  FloatOfInteger,   // sfpu_float_of_integer
  Swap,             // c and d change places in the lanes of `immediate`
  SwapOrdered,      // d gets the smaller one in the lanes of `immediate`, the greater in others
  // Lane flags only.
  FlagsAre,       // `immediate`
  FlagsNegative,  // lanes of c with bit 31 set
  FlagsNonzero,   // lanes of c that are not 0
  Greater,        // d > c; into the register, the flags, or both
  EnableFlags,    // who uses flags: (it & keep) ^ take; flags: immediate, in all lanes
};

struct SfpuStep {
  /// Of what else a step does, or how.
  enum Option : u8 {
    kFlipX = 1,
    kFlipZ = 2,
    kEverywhere = 4,     // in lanes that are not enabled, too
    kSetsFlags = 8,      // the sign of the value becomes the flag
    kInvertsFlags = 16,  // after that
    kComplement = 32,    // of a condition
    kWrites = 64,        // Greater: the register becomes all ones or zero
  };
  // No initial values: an array of steps costs nothing.
  SfpuStepKind kind;
  u8 options;
  u8 a, b, c, d;
  bool odd;  // columns of Dst
  u32 immediate;
  u32 keep;
  u32 take;
  u16* high;  // rows of Dst: SfpuDstRows
  u16* low;
};

/// The registers and flags that a block works on. `usable`: lanes that nothing switches off for
/// good.
struct SfpuBlock {
  Lanes* lreg = nullptr;
  u32 use_lane_flags = 0;
  u32 lane_flags = 0;
  u32 usable = kAllLanes;

  u32 active() const { return (~use_lane_flags | lane_flags) & usable; }
};

/// Executes the steps in order.
void sfpu_run_block(SfpuBlock& block, const SfpuStep* const* steps, u32 count);

}  // namespace bhemu::numeric
