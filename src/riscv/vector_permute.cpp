// Masks, permutations and moves of the vector unit.
#include "riscv/vector_unit.hpp"

namespace bhemu::riscv {

// ---- Masks --------------------------------------------------------------------------------------

VectorResult VectorUnit::mask_logic(VectorMeaning meaning) {
  check_type();
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    VectorElement e = element(mask_of(vs2_, i), 8, mask_of(vs1_, i), 8, 0, 8);
    put_mask(i, (meaning(e) & 1) != 0);
  }
  return result_;
}

VectorResult VectorUnit::count_mask(VectorMeaning) {
  check_type();
  if (!ok()) return result_;
  u32 count = 0;
  for (u32 i = 0; i < s_.csr.vl; ++i) count += active(i) && mask_of(vs2_, i);
  if (vd_ != 0) s_.x[vd_] = count;
  return result_;
}

VectorResult VectorUnit::first_mask(VectorMeaning) {
  check_type();
  if (!ok()) return result_;
  u32 first = ~0u;
  for (u32 i = s_.csr.vl; i-- > 0;)
    if (active(i) && mask_of(vs2_, i)) first = i;
  if (vd_ != 0) s_.x[vd_] = first;
  return result_;
}

VectorResult VectorUnit::set_mask_until_first(bool before, bool at) {
  check_type();
  require(unmasked_ || vd_ != 0);
  require(vd_ != vs2_);
  if (!ok()) return result_;
  bool found = false;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    const bool is_first = !found && mask_of(vs2_, i);
    put_mask(i, is_first ? at : !found && before);
    found |= is_first;
  }
  return result_;
}

VectorResult VectorUnit::iota(VectorMeaning) {
  check_destination(type_.sew);
  check_apart(vs2_, 0, type_.lmul);
  if (!ok()) return result_;
  u32 count = 0;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    put(vd_, i, type_.sew, count);
    count += mask_of(vs2_, i);
  }
  return result_;
}

VectorResult VectorUnit::identity(VectorMeaning) {
  check_destination(type_.sew);
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i)
    if (active(i)) put(vd_, i, type_.sew, i);
  return result_;
}

// ---- Moves --------------------------------------------------------------------------------------

VectorResult VectorUnit::move_to_x(VectorMeaning) {
  check_type();
  if (!ok()) return result_;
  const u32 value = static_cast<u32>(get(vs2_, 0, type_.sew));
  if (vd_ != 0) s_.x[vd_] = static_cast<u32>(sign_extend(value, type_.sew));
  return result_;
}

VectorResult VectorUnit::move_from_x(VectorMeaning) {
  check_type();
  if (ok() && s_.csr.vl != 0) put(vd_, 0, type_.sew, s_.x[vs1_]);
  return result_;
}

VectorResult VectorUnit::move_group(VectorMeaning) {
  const u32 registers = vs1_ + 1;
  require(vd_ % registers == 0 && vs2_ % registers == 0);
  if (!ok()) return result_;
  for (u32 i = 0; i < registers; ++i) s_.v.reg[vd_ + i] = old_.reg[vs2_ + i];
  return result_;
}

// ---- Permutations -------------------------------------------------------------------------------

VectorResult VectorUnit::gather(VectorMeaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, sew, sew);
  check_apart(vs2_, type_.lmul, type_.lmul);
  if (is_vector_form()) {
    const bool ei16 = bits(word_, 26, 6) == 0x0E;
    const i32 emul = emul_of(type_, ei16 ? 16 : sew);
    require(is_group(vs1_, emul));
    if (ok()) check_apart(vs1_, emul, type_.lmul);
  }
  if (!ok()) return result_;
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    const u64 index = unsigned_second(i);
    put(vd_, i, sew, index < type_.vlmax ? get(vs2_, static_cast<u32>(index), sew) : 0);
  }
  return result_;
}

VectorResult VectorUnit::slide_up(VectorMeaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, sew, sew);
  check_apart(vs2_, type_.lmul, type_.lmul);
  if (!ok()) return result_;
  const u64 offset = unsigned_second(0);
  for (u64 i = offset; i < s_.csr.vl; ++i) {
    const u32 index = static_cast<u32>(i);
    if (active(index)) put(vd_, index, sew, get(vs2_, static_cast<u32>(i - offset), sew));
  }
  return result_;
}

VectorResult VectorUnit::slide_down(VectorMeaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, sew, sew);
  if (!ok()) return result_;
  const u64 offset = unsigned_second(0);
  for (u32 i = 0; i < s_.csr.vl; ++i) {
    if (!active(i)) continue;
    const u64 from = i + offset;
    put(vd_, i, sew, from < type_.vlmax ? get(vs2_, static_cast<u32>(from), sew) : 0);
  }
  return result_;
}

VectorResult VectorUnit::slide_one(bool up, u32 value) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, sew, sew);
  if (up) check_apart(vs2_, type_.lmul, type_.lmul);
  if (!ok()) return result_;
  const u32 vl = s_.csr.vl;
  for (u32 i = 0; i < vl; ++i) {
    if (!active(i)) continue;
    const bool is_edge = up ? i == 0 : i == vl - 1;
    put(vd_, i, sew, is_edge ? value : get(vs2_, up ? i - 1 : i + 1, sew));
  }
  return result_;
}

VectorResult VectorUnit::compress(VectorMeaning) {
  const u32 sew = type_.sew;
  check_destination(sew);
  check_source(vs2_, sew, sew);
  check_apart(vs2_, type_.lmul, type_.lmul);
  check_apart(vs1_, 0, type_.lmul);
  if (!ok()) return result_;
  u32 next = 0;
  for (u32 i = 0; i < s_.csr.vl; ++i)
    if (mask_of(vs1_, i)) put(vd_, next++, sew, get(vs2_, i, sew));
  return result_;
}

}  // namespace bhemu::riscv
