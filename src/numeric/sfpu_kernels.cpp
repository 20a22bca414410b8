#include "numeric/sfpu_kernels.hpp"

#include <array>
#include <cstring>

#include "numeric/sfpu_convert.hpp"
#include "numeric/sfpu_float.hpp"

// Highway compiles this file once for each kind of host and chooses at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/sfpu_kernels.cpp"
#include <hwy/detect_compiler_arch.h>
#if HWY_ARCH_X86
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#endif
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "numeric/sfpu_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace bhemu::numeric::HWY_NAMESPACE {

#if !BHEMU_SFPU_VECTORS
// The portable twin: GCC 12 cannot be trusted with Highway's own emulation of vectors.
void mul_add_lanes(const MulAddLanes& job, u32 mask, Lanes& out) {
  for (u32 i = 0; i < kLanes; ++i) {
    if (((mask >> i) & 1) != 0)
      out[i] = sfpu_mul_add(job.x[i] ^ job.flip_x, job.y[i], job.z[i] ^ job.flip_z);
  }
}
/// Column pair `lane` of the rows: the even one in its low half.
u32 pair_of(const u16* rows, u32 lane) {
  return rows[2 * lane] | u32{rows[2 * lane + 1]} << 16;
}
void load_rows(const SfpuDstRows& rows, u32 mask, Lanes& out) {
  const u32 shift = rows.odd ? 16 : 0;
  for (u32 i = 0; i < kLanes; ++i) {
    if (((mask >> i) & 1) == 0) continue;
    const u32 high = (pair_of(rows.high, i) >> shift) & 0xFFFF;
    if (rows.form == SfpuDstForm::Bf16)
      out[i] = sfpu_load_bf16(static_cast<u16>(high));
    else if (rows.form == SfpuDstForm::Fp16)
      out[i] = sfpu_load_fp16(static_cast<u16>(high), false);
    else
      out[i] = fp32_from_dst(high << 16 | ((pair_of(rows.low, i) >> shift) & 0xFFFF));
  }
}
void put(u16* rows, bool odd, u32 lane, u32 half) {
  rows[2 * lane + (odd ? 1 : 0)] = static_cast<u16>(half);
}
void store_rows(const SfpuDstRows& rows, const Lanes& value) {
  for (u32 i = 0; i < kLanes; ++i) {
    if (rows.form == SfpuDstForm::Bf16) {
      put(rows.high, rows.odd, i, sfpu_store_bf16(value[i]));
    } else if (rows.form == SfpuDstForm::Fp16) {
      put(rows.high, rows.odd, i, sfpu_store_fp16(value[i]));
    } else {
      const u32 v = rows.form == SfpuDstForm::Single ? sfpu_flush(value[i]) : value[i];
      const u32 stored = dst_from_fp32(v);
      put(rows.high, rows.odd, i, stored >> 16);
      put(rows.low, rows.odd, i, stored & 0xFFFF);
    }
  }
}
void blend_lanes(Lanes& target, const Lanes& value, u32 mask) {
  blend(target, value, mask);
}
u32 negative_lanes(const Lanes& a) {
  return mask_where(a, [](u32 v) { return (v >> 31) != 0; });
}
u32 nonzero_lanes(const Lanes& a) {
  return mask_where(a, [](u32 v) { return v != 0; });
}
u32 smaller_lanes(const Lanes& a, const Lanes& b) {
  u32 mask = 0;
  for (u32 i = 0; i < kLanes; ++i) mask |= static_cast<u32>(sfpu_is_smaller(a[i], b[i])) << i;
  return mask;
}
#else

void mul_add_lanes(const MulAddLanes& job, u32 mask, Lanes& out) {
  const D d;
  const V flip_x = hn::Set(d, job.flip_x);
  const V flip_z = hn::Set(d, job.flip_z);
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
    const V x = hn::Xor(hn::Load(d, &job.x.lane[i]), flip_x);
    const V y = hn::Load(d, &job.y.lane[i]);
    const V z = hn::Xor(hn::Load(d, &job.z.lane[i]), flip_z);
    V value;
    if (!ordinary_mul_add(x, y, z, value)) value = separate_mul_add(x, y, z);
    if (mask != kAllLanes)
      value =
          hn::IfThenElse(hn::RebindMask(d, mask_from(mask, i)), value, hn::Load(d, &out.lane[i]));
    hn::Store(value, d, &out.lane[i]);
  }
}

void load_rows(const SfpuDstRows& rows, u32 mask, Lanes& out) {
  switch (rows.form) {
    case SfpuDstForm::Bf16:
      return load_rows_as<SfpuDstForm::Bf16>(rows, mask, out);
    case SfpuDstForm::Fp16:
      return load_rows_as<SfpuDstForm::Fp16>(rows, mask, out);
    default:
      return load_rows_as<SfpuDstForm::Word>(rows, mask, out);
  }
}

void store_rows(const SfpuDstRows& rows, const Lanes& value) {
  switch (rows.form) {
    case SfpuDstForm::Bf16:
      return store_rows_as<SfpuDstForm::Bf16>(rows, value);
    case SfpuDstForm::Fp16:
      return store_rows_as<SfpuDstForm::Fp16>(rows, value);
    case SfpuDstForm::Word:
      return store_rows_as<SfpuDstForm::Word>(rows, value);
    default:
      return store_rows_as<SfpuDstForm::Single>(rows, value);
  }
}

void blend_lanes(Lanes& target, const Lanes& value, u32 mask) {
  const D d;
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
    const auto taken = hn::RebindMask(d, mask_from(mask, i));
    hn::Store(hn::IfThenElse(taken, hn::Load(d, &value.lane[i]), hn::Load(d, &target.lane[i])), d,
              &target.lane[i]);
  }
}
u32 negative_lanes(const Lanes& a) {
  return negative_lanes_of(a);
}
u32 nonzero_lanes(const Lanes& a) {
  return nonzero_lanes_of(a);
}
u32 smaller_lanes(const Lanes& a, const Lanes& b) {
  const D d;
  return lanes_where([&](std::size_t i) {
    return hn::Lt(order_key(hn::Load(d, &a.lane[i])), order_key(hn::Load(d, &b.lane[i])));
  });
}
#endif

}  // namespace bhemu::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::numeric {

HWY_EXPORT(mul_add_lanes);

void sfpu_mul_add_lanes(const MulAddLanes& job, u32 mask, Lanes& out) {
  HWY_DYNAMIC_DISPATCH(mul_add_lanes)(job, mask, out);
}

HWY_EXPORT(load_rows);

void sfpu_load_rows(const SfpuDstRows& rows, u32 mask, Lanes& out) {
  HWY_DYNAMIC_DISPATCH(load_rows)(rows, mask, out);
}

HWY_EXPORT(store_rows);

void sfpu_store_rows(const SfpuDstRows& rows, const Lanes& value) {
  HWY_DYNAMIC_DISPATCH(store_rows)(rows, value);
}

HWY_EXPORT(blend_lanes);

void sfpu_blend_lanes(Lanes& target, const Lanes& value, u32 mask) {
  HWY_DYNAMIC_DISPATCH(blend_lanes)(target, value, mask);
}

HWY_EXPORT(negative_lanes);

u32 sfpu_negative_lanes(const Lanes& a) {
  return HWY_DYNAMIC_DISPATCH(negative_lanes)(a);
}

HWY_EXPORT(nonzero_lanes);

u32 sfpu_nonzero_lanes(const Lanes& a) {
  return HWY_DYNAMIC_DISPATCH(nonzero_lanes)(a);
}

HWY_EXPORT(smaller_lanes);

u32 sfpu_smaller_lanes(const Lanes& a, const Lanes& b) {
  return HWY_DYNAMIC_DISPATCH(smaller_lanes)(a, b);
}

}  // namespace bhemu::numeric
#endif
