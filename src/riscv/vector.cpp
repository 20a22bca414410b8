#include "riscv/vector.hpp"

#include <cstring>

#include "riscv/vector_unit.hpp"

namespace bhemu::riscv {

using numeric::RiscvFloat;

VectorType vector_type_of(u32 vtype) {
  VectorType type;
  const u32 vlmul = bits(vtype, 0, 3);
  const u32 vsew = bits(vtype, 3, 3);
  if ((vtype & ~0xFFu) != 0 || vlmul == 4 || vsew > 2) return type;
  type.sew = 8u << vsew;
  type.lmul = sign_extend(vlmul, 3);
  // An element must fit the fraction of the longest element that a fractional LMUL leaves.
  if (type.lmul < 0 && type.sew > kVectorElementBits >> -type.lmul) return type;
  const u32 per_register = kVectorBytes * 8 / type.sew;
  type.vlmax = type.lmul < 0 ? per_register >> -type.lmul : per_register << type.lmul;
  type.valid = true;
  return type;
}

u64 saturate_unsigned(VectorElement& e, i64 value) {
  const i64 most = static_cast<i64>((u64{1} << e.sew) - 1);
  if (value >= 0 && value <= most) return static_cast<u64>(value);
  e.csr->vxsat = 1;
  return static_cast<u64>(value < 0 ? 0 : most);
}

u64 saturate_signed(VectorElement& e, i64 value) {
  const i64 most = static_cast<i64>((u64{1} << (e.sew - 1)) - 1);
  if (value >= -most - 1 && value <= most) return static_cast<u64>(value);
  e.csr->vxsat = 1;
  return static_cast<u64>(value < 0 ? -most - 1 : most);
}

i64 round_shift(const VectorElement& e, i64 value, u64 places) {
  if (places == 0) return value;
  const u64 v = static_cast<u64>(value);
  const bool half = (v >> (places - 1)) & 1;
  const bool rest = (v & ((u64{1} << (places - 1)) - 1)) != 0;
  const bool odd = (v >> places) & 1;
  bool increment = false;
  switch (e.csr->vxrm) {
    case 0:  // rnu
      increment = half;
      break;
    case 1:  // rne
      increment = half && (rest || odd);
      break;
    case 2:  // rdn
      break;
    case 3:  // rod
      increment = !odd && (half || rest);
      break;
  }
  return (value >> places) + increment;
}

unsigned find_vector_row(u32 word) {
  for (unsigned i = 0; i < kVectorRowCount; ++i)
    if ((word & kVectorRows[i].encoding.mask) == kVectorRows[i].encoding.match) return i;
  return kVectorRowCount;
}

// ---- Elements -----------------------------------------------------------------------------------

u64 VectorUnit::get(u32 reg, u32 index, u32 eew) const {
  const u32 byte = index * (eew / 8);
  u64 value = 0;
  std::memcpy(&value, &old_.reg[reg + byte / kVectorBytes][byte % kVectorBytes], eew / 8);
  return value;
}

void VectorUnit::put(u32 reg, u32 index, u32 eew, u64 value) {
  const u32 byte = index * (eew / 8);
  std::memcpy(&s_.v.reg[reg + byte / kVectorBytes][byte % kVectorBytes], &value, eew / 8);
}

void VectorUnit::put_mask(u32 index, bool value) {
  u8& byte = s_.v.reg[vd_][index / 8];
  const u8 bit = static_cast<u8>(1u << (index % 8));
  byte = static_cast<u8>(value ? byte | bit : byte & ~bit);
}

u64 VectorUnit::second(u32 index, u32 eew) const {
  if (is_vector_form()) return get(vs1_, index, eew);
  const u32 value = form_ == 3 ? static_cast<u32>(sign_extend(vs1_, 5)) : s_.x[vs1_];
  return value & ((u64{1} << eew) - 1);
}

u64 VectorUnit::unsigned_second(u32 index) const {
  if (!is_vector_form()) return form_ == 3 ? vs1_ : s_.x[vs1_];
  const bool ei16 = bits(word_, 26, 6) == 0x0E;
  return get(vs1_, index, ei16 ? 16 : type_.sew);
}

RiscvFloat VectorUnit::format_of(u32 eew) const {
  u32* flags = &s_.csr.fcsr;
  return eew == 32 ? RiscvFloat::single(flags)
                   : RiscvFloat::half(numeric::half_mode(s_.csr.cfg0), flags);
}

u32 VectorUnit::float_second(u32 index, u32 eew) const {
  if (is_vector_form()) return static_cast<u32>(get(vs1_, index, eew));
  if (eew == 32) return s_.f[vs1_];
  return numeric::unbox_half(s_.f[vs1_], numeric::half_mode(s_.csr.cfg0));
}

VectorElement VectorUnit::element(u64 a, u32 a_eew, u64 b, u32 b_eew, u64 d, u32 d_eew) const {
  VectorElement e;
  const auto extend = [](u64 v, u32 eew) {
    return static_cast<i64>(v << (64 - eew)) >> (64 - eew);
  };
  e.a = a;
  e.b = b;
  e.d = d;
  e.sa = extend(a, a_eew);
  e.sb = extend(b, b_eew);
  e.sd = extend(d, d_eew);
  e.sew = type_.sew;
  e.csr = &s_.csr;
  return e;
}

// ---- Legality -----------------------------------------------------------------------------------

void VectorUnit::check_destination(u32 eew) {
  check_type();
  if (!ok()) return;
  require(eew <= kVectorElementBits && is_group(vd_, emul_of(type_, eew)));
  require(unmasked_ || vd_ != 0);  // a masked destination must not be the mask
}

/// A source group of another width may overlap the destination only at the proper end.
void VectorUnit::check_source(u32 reg, u32 eew, u32 destination_eew) {
  if (!ok()) return;
  const i32 emul = emul_of(type_, eew);
  require(eew >= 8 && eew <= kVectorElementBits && is_group(reg, emul));
  if (!ok() || eew == destination_eew) return;
  const u32 size = group_size(emul);
  const u32 destination_size = group_size(emul_of(type_, destination_eew));
  if (reg + size <= vd_ || vd_ + destination_size <= reg) return;
  if (eew < destination_eew)
    require(emul >= 0 && reg + size == vd_ + destination_size);
  else
    require(reg == vd_);
}

void VectorUnit::check_second(u32 destination_eew) {
  if (is_vector_form()) check_source(vs1_, type_.sew, destination_eew);
}

void VectorUnit::check_apart(u32 reg, i32 emul, i32 destination_emul) {
  if (!ok()) return;
  require(reg + group_size(emul) <= vd_ || vd_ + group_size(destination_emul) <= reg);
}

void VectorUnit::check_float(u32 eew) {
  require(eew == 16 || eew == 32);
  require(eew == 32 || allow_half_, VectorResult::HalfFloat);
}

// ---- Configuration ------------------------------------------------------------------------------

VectorResult VectorUnit::set_vl(VectorMeaning) {
  u32 vtype = bits(word_, 20, 11);
  const bool immediate_avl = bits(word_, 30, 2) == 3;
  if (immediate_avl) vtype = bits(word_, 20, 10);
  if (bits(word_, 30, 2) == 2) vtype = s_.x[vs2_];
  const VectorType type = vector_type_of(vtype);
  if (!type.valid) return VectorResult::BadType;
  u32 vl;
  if (immediate_avl) {
    vl = vs1_;
  } else if (vs1_ != 0) {
    vl = s_.x[vs1_];
  } else if (vd_ != 0) {
    vl = type.vlmax;
  } else {
    vl = s_.csr.vl;
    if (vl > type.vlmax) return VectorResult::BadType;
  }
  s_.csr.vl = vl < type.vlmax ? vl : type.vlmax;
  s_.csr.vtype = vtype;
  if (vd_ != 0) s_.x[vd_] = s_.csr.vl;
  return VectorResult::Ok;
}

// ---- Integer ------------------------------------------------------------------------------------

VectorResult VectorUnit::arith(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, sew, sew);
  check_second(sew);
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e = element(get(vs2_, i, sew), sew, second(i, sew), sew, get(vd_, i, sew), sew);
    put(vd_, i, sew, meaning(e));
  }
  return result_;
}

VectorResult VectorUnit::widening(VectorMeaning meaning, bool wide_first) {
  const u32 sew = type_.sew;
  const u32 wide = 2 * sew;
  const u32 first = wide_first ? wide : sew;
  check_destination(wide);
  check_source(vs2_, first, wide);
  check_second(wide);
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e =
        element(get(vs2_, i, first), first, second(i, sew), sew, get(vd_, i, wide), wide);
    put(vd_, i, wide, meaning(e));
  }
  return result_;
}

VectorResult VectorUnit::narrow(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, 2 * sew, sew);
  check_second(sew);
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e =
        element(get(vs2_, i, 2 * sew), 2 * sew, second(i, sew), sew, get(vd_, i, sew), sew);
    put(vd_, i, sew, meaning(e));
  }
  return result_;
}

VectorResult VectorUnit::carry(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, sew, sew);
  check_second(sew);
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    VectorElement e = element(get(vs2_, i, sew), sew, second(i, sew), sew, 0, sew);
    e.c = mask_of(0, i);
    put(vd_, i, sew, meaning(e));
  }
  return result_;
}

VectorResult VectorUnit::carry_out(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_type();
  check_source(vs2_, sew, 1);
  check_second(1);
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    VectorElement e = element(get(vs2_, i, sew), sew, second(i, sew), sew, 0, sew);
    e.c = !unmasked_ && mask_of(0, i);
    put_mask(i, (meaning(e) & 1) != 0);
  }
  return result_;
}

VectorResult VectorUnit::merge(VectorMeaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, sew, sew);
  check_second(sew);
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i)
    put(vd_, i, sew, active(i) ? second(i, sew) : get(vs2_, i, sew));
  return result_;
}

VectorResult VectorUnit::compare(VectorMeaning meaning) {
  const u32 sew = type_.sew;
  check_type();
  check_source(vs2_, sew, 1);
  check_second(1);
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e = element(get(vs2_, i, sew), sew, second(i, sew), sew, 0, sew);
    put_mask(i, meaning(e) != 0);
  }
  return result_;
}

VectorResult VectorUnit::extend(VectorMeaning meaning, u32 factor) {
  const u32 sew = type_.sew;
  const u32 narrow = sew / factor;
  check_destination(sew);
  check_source(vs2_, narrow, sew);
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e = element(get(vs2_, i, narrow), narrow, 0, sew, 0, sew);
    put(vd_, i, sew, meaning(e));
  }
  return result_;
}

VectorResult VectorUnit::reduction(VectorMeaning meaning, u32 wide) {
  const u32 sew = type_.sew;
  check_type();
  require(wide <= kVectorElementBits);
  check_source(vs2_, sew, sew);
  if (!ok() || s_.csr.vl == 0) return result_;
  u64 accumulator = get(vs1_, 0, wide);
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    VectorElement e = element(get(vs2_, i, sew), sew, 0, sew, accumulator, wide);
    accumulator = meaning(e) & ((u64{1} << wide) - 1);
  }
  put(vd_, 0, wide, accumulator);
  return result_;
}

// ---- The rows -----------------------------------------------------------------------------------

VectorResult execute_vector(CoreState& state, u32 word, bool allow_half) {
  VectorUnit unit(state, word, allow_half);
  switch (static_cast<VectorOp>(find_vector_row(word))) {
#define RVV(name, form, bits, kind, ...)                            \
  case VectorOp::name##_##form:                                     \
    return unit.kind([]([[maybe_unused]] VectorElement& e) -> u64 { \
      [[maybe_unused]] const u64 a = e.a;                           \
      [[maybe_unused]] const u64 b = e.b;                           \
      [[maybe_unused]] const u64 c = e.c;                           \
      [[maybe_unused]] const u64 d = e.d;                           \
      [[maybe_unused]] const i64 sa = e.sa;                         \
      [[maybe_unused]] const i64 sb = e.sb;                         \
      [[maybe_unused]] const i64 sd = e.sd;                         \
      [[maybe_unused]] const u32 sew = e.sew;                       \
      [[maybe_unused]] const RiscvFloat fp = e.fp;                  \
      return u64{__VA_ARGS__};                                      \
    });
#include "riscv/vector.def"
#undef RVV
    case VectorOp::Count:
      break;
  }
  return VectorResult::Illegal;
}

}  // namespace bhemu::riscv
