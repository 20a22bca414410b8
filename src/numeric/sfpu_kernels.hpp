// Arithmetic of the vector unit on all 32 lanes at once, with the widest vectors that the host has.
// Every kernel gives, lane by lane, the bits of the scalar function that it names.
#pragma once

#include "numeric/lanes.hpp"

namespace bhemu::numeric {

struct MulAddLanes {
  const Lanes& x;
  const Lanes& y;
  const Lanes& z;
  u32 flip_x = 0;  // sign bits
  u32 flip_z = 0;
};
/// sfpu_mul_add(x ^ flip_x, y, z ^ flip_z) in the lanes of `mask`. `out` may be an operand.
void sfpu_mul_add_lanes(const MulAddLanes& job, u32 mask, Lanes& out);

/// Forms of Dst that SFPLOAD and SFPSTORE read and write row by row. Of Word and Single, a second
/// row holds the low half; Word is unchanged but for the order of the bits in storage.
enum class SfpuDstForm : u8 { Bf16, Fp16, Word, Single };

/// 32 datums of Dst: the even or the odd columns of four rows one after the other.
struct SfpuDstRows {
  SfpuDstForm form = SfpuDstForm::Bf16;
  bool odd = false;
  u16* high = nullptr;
  u16* low = nullptr;  // of Word and Single
};
/// sfpu_load_bf16, sfpu_load_fp16 (without infinities) or fp32_from_dst in the lanes of `mask`.
void sfpu_load_rows(const SfpuDstRows& rows, u32 mask, Lanes& out);
/// sfpu_store_bf16, sfpu_store_fp16, dst_from_fp32, or that of sfpu_flush, in all lanes. The other
/// columns stay.
void sfpu_store_rows(const SfpuDstRows& rows, const Lanes& value);

/// `target` takes `value` in the lanes of `mask`.
void sfpu_blend_lanes(Lanes& target, const Lanes& value, u32 mask);

/// The lanes whose bit 31 is set, and those that are not 0.
u32 sfpu_negative_lanes(const Lanes& a);
u32 sfpu_nonzero_lanes(const Lanes& a);

/// The lanes where sfpu_is_smaller(a, b).
u32 sfpu_smaller_lanes(const Lanes& a, const Lanes& b);

}  // namespace bhemu::numeric
