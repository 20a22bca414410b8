// The packer's accumulation onto L1 (Pack_L1_Acc): old and new datum in the output format.
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

constexpr bool can_accumulate(Format format) {
  return format == Format::Fp32 || format == Format::Bf16 || format == Format::Fp16;
}

}  // namespace bhemu::numeric
