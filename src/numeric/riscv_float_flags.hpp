// Which exception flags of fcsr an operation of a baby core raises (F extension, section "Floating-
// Point Control and Status Register"). Pure functions on bit patterns of single precision.
//
// InstructionSet.md says that fcsr has all relevant bits, and nothing of how the cores' deviations
// from IEEE 754 show in them. Here a result is compared with the exact one of the operands as the
// core takes them, that is with denormals for zero: underflow and inexact when a result is flushed,
// inexact whenever the value differs, also where it does because the multiply-add is only partially
// fused. A denormal operand by itself raises nothing.
#pragma once

#include "base/types.hpp"

namespace bhemu::numeric {

enum FloatFlag : u32 {
  kInexact = 1u << 0,
  kUnderflow = 1u << 1,
  kOverflow = 1u << 2,
  kDivideByZero = 1u << 3,  // raised by no instruction that the cores have
  kInvalid = 1u << 4,
};

/// `result` is what the core gives for x * y + z. `signaling`: an operand is a signaling NaN.
u32 mul_add_flags(u32 x, u32 y, u32 z, u32 result, bool signaling);
/// `result`: of converting `value` to another format, widened again.
u32 conversion_flags(u32 value, u32 result, bool signaling);

}  // namespace bhemu::numeric
