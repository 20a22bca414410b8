// Floating point of the vector unit. Elements of 16 bits follow cfg0 as the scalar `.h` do, but no
// document says that they exist: they need `allow_half`.
#include "riscv/vector_unit.hpp"

namespace bhemu::riscv {

using numeric::RiscvFloat;

VectorResult VectorUnit::fp_arith(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, sew, sew);
  // vfcvt and vfclass have a function code where vs1 would be.
  const u32 funct6 = bits(word_, 26, 6);
  const bool is_unary = funct6 == 0x12 || funct6 == 0x13;
  if (!is_unary) check_second(sew);
  check_float(sew);
  if (!ok()) return result_;
  const RiscvFloat fp = format_of(sew);
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    const u32 b = is_unary ? 0 : float_second(i, sew);
    VectorElement e = element(get(vs2_, i, sew), sew, b, sew, get(vd_, i, sew), sew);
    e.fp = fp;
    put(vd_, i, sew, meaning(e));
  }
  return result_;
}

VectorResult VectorUnit::fp_merge(VectorMeaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, sew, sew);
  check_float(sew);
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i)
    put(vd_, i, sew, active(i) ? float_second(i, sew) : get(vs2_, i, sew));
  return result_;
}

VectorResult VectorUnit::fp_compare(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_type();
  check_source(vs2_, sew, 1);
  check_second(1);
  check_float(sew);
  if (!ok()) return result_;
  const RiscvFloat fp = format_of(sew);
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e = element(get(vs2_, i, sew), sew, float_second(i, sew), sew, 0, sew);
    e.fp = fp;
    put_mask(i, meaning(e) != 0);
  }
  return result_;
}

/// 16-bit operands, 32-bit result; `wide_first`: vs2 is wide already.
VectorResult VectorUnit::fp_widening(VectorMeaning meaning, bool wide_first) {
  const u32 sew = type_.sew;
  const u32 wide = 2 * sew;
  const u32 first = wide_first ? wide : sew;
  const bool is_unary = bits(word_, 26, 6) == 0x12;
  check_destination(wide);
  check_source(vs2_, first, wide);
  if (!is_unary) check_second(wide);
  check_float(sew);
  if (!ok()) return result_;
  const RiscvFloat narrow = format_of(sew);
  const RiscvFloat fp = format_of(32);
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    const u32 a = static_cast<u32>(get(vs2_, i, first));
    const u32 b = is_unary ? 0 : narrow.to_single(float_second(i, sew));
    VectorElement e =
        element(wide_first ? a : narrow.to_single(a), 32, b, 32, get(vd_, i, wide), 32);
    e.fp = fp;
    put(vd_, i, wide, meaning(e));
  }
  return result_;
}

VectorResult VectorUnit::fp_reduction(VectorMeaning meaning, u32 eew, bool widened) {
  const u32 sew = type_.sew;
  check_type();
  require(eew <= kVectorElementBits);
  check_source(vs2_, sew, sew);
  check_float(sew);
  if (!ok() || s_.csr.vl == 0) return result_;
  const RiscvFloat narrow = format_of(sew);
  const RiscvFloat fp = format_of(eew);
  u64 accumulator = get(vs1_, 0, eew);
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    const u32 a = static_cast<u32>(get(vs2_, i, sew));
    VectorElement e = element(widened ? narrow.to_single(a) : a, eew, 0, eew, accumulator, eew);
    e.fp = fp;
    accumulator = meaning(e);
  }
  put(vd_, 0, eew, accumulator);
  return result_;
}

VectorResult VectorUnit::fp_reduce(VectorMeaning meaning) {
  return fp_reduction(meaning, type_.sew, false);
}

VectorResult VectorUnit::fp_widen_reduce(VectorMeaning meaning) {
  return fp_reduction(meaning, 2 * type_.sew, true);
}

/// A float of sew bits to an integer of twice as many.
VectorResult VectorUnit::fp_widen_to_int(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_destination(2 * sew);
  check_source(vs2_, sew, 2 * sew);
  check_float(sew);
  if (!ok()) return result_;
  const RiscvFloat fp = format_of(sew);
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e = element(get(vs2_, i, sew), sew, 0, sew, 0, sew);
    e.fp = fp;
    put(vd_, i, 2 * sew, meaning(e));
  }
  return result_;
}

/// An integer of sew bits to a float of twice as many.
VectorResult VectorUnit::fp_widen_from_int(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_destination(2 * sew);
  check_source(vs2_, sew, 2 * sew);
  check_float(2 * sew);
  if (!ok()) return result_;
  const RiscvFloat fp = format_of(2 * sew);
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e = element(get(vs2_, i, sew), sew, 0, sew, 0, sew);
    e.fp = fp;
    put(vd_, i, 2 * sew, meaning(e));
  }
  return result_;
}

/// A float of twice sew bits to an integer of sew.
VectorResult VectorUnit::fp_narrow_to_int(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, 2 * sew, sew);
  check_float(2 * sew);
  if (!ok()) return result_;
  const RiscvFloat fp = format_of(2 * sew);
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e = element(get(vs2_, i, 2 * sew), 2 * sew, 0, sew, 0, sew);
    e.fp = fp;
    put(vd_, i, sew, meaning(e));
  }
  return result_;
}

/// An integer or a float of twice sew bits to a float of sew, which is 16.
VectorResult VectorUnit::fp_narrow_to_half(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, 2 * sew, sew);
  check_float(sew);
  if (!ok()) return result_;
  const RiscvFloat fp = format_of(sew);
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e = element(get(vs2_, i, 2 * sew), 2 * sew, 0, sew, 0, sew);
    e.fp = fp;
    put(vd_, i, sew, meaning(e));
  }
  return result_;
}

VectorResult VectorUnit::fp_move_to_f(VectorMeaning) {
  const u32 sew = type_.sew;
  check_type();
  check_float(sew);
  if (!ok()) return result_;
  const u32 value = static_cast<u32>(get(vs2_, 0, sew));
  s_.f[vd_] = sew == 32 ? value : numeric::box_half(value);
  return result_;
}

VectorResult VectorUnit::fp_move_from_f(VectorMeaning) {
  const u32 sew = type_.sew;
  check_type();
  check_float(sew);
  if (ok() && s_.csr.vl != 0) put(vd_, 0, sew, float_second(0, sew));
  return result_;
}

VectorResult VectorUnit::fp_slide_one(bool up) {
  check_float(type_.sew);
  if (!ok()) return result_;
  return slide_one(up, float_second(0, type_.sew));
}

}  // namespace bhemu::riscv
