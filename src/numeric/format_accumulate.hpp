// Accumulation onto L1, by the packer (Pack_L1_Acc) and by atomics of the NoC (Atomics.md): old and
// new datum in one format.
//
// Functional on silicon for FP32 and BF16; the corner cases below (and the saturation of FP16) are
// what the open reference simulator gives, measured over a million pairs. The isolated 0x7FFF and
// 0xFFFF that users have reported in FP16 accumulation on cards are what the underflow rule gives.
#pragma once

#include "base/types.hpp"
#include "numeric/format_codes.hpp"

namespace bhemu::numeric {

u32 accumulate_fp32(u32 old_value, u32 new_value);
u16 accumulate_bf16(u16 old_value, u16 new_value);
u16 accumulate_fp16(u16 old_value, u16 new_value);

/// INT32: that the sum is one of integers is all that the documents say. Of numbers without a sign
/// that do not overflow there is only one; the rest is taken as sign and magnitude, which INT32 is
/// in L1 (Packers/FormatConversion.md), and saturates as the matrix unit's sums do.
struct IntegerSum {
  u32 value;
  bool certain;
};
IntegerSum accumulate_int32(u32 old_value, u32 new_value);

constexpr bool can_accumulate(Format format) {
  return format == Format::Fp32 || format == Format::Bf16 || format == Format::Fp16 ||
         format == Format::Int32;
}

}  // namespace bhemu::numeric
