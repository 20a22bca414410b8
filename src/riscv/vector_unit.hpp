// The machinery under the rows of vector.def: vtype, register groups, elements, masks.
// Private to vector.cpp and vector_memory.cpp.
#pragma once

#include "base/bits.hpp"
#include "numeric/riscv_float.hpp"
#include "riscv/decode.hpp"
#include "riscv/vector.hpp"

namespace bhemu::riscv {

/// vtype, taken apart. LMUL is 2^lmul, lmul -3..3.
struct VectorType {
  bool valid = false;
  u32 sew = 8;
  i32 lmul = 0;
  u32 vlmax = 0;
};
VectorType vector_type_of(u32 vtype);

/// Registers that elements of `eew` bits span when there are vlmax of them, as a power of two.
constexpr i32 emul_of(const VectorType& type, u32 eew) {
  i32 emul = type.lmul;
  for (u32 width = type.sew; width < eew; width *= 2) ++emul;
  for (u32 width = type.sew; width > eew; width /= 2) --emul;
  return emul;
}
constexpr u32 group_size(i32 emul) {
  return emul <= 0 ? 1 : 1u << emul;
}
constexpr bool is_group(u32 reg, i32 emul) {
  return emul >= -3 && emul <= 3 && reg % group_size(emul) == 0;
}

/// What a meaning of vector.def sees.
struct VectorElement {
  u64 a = 0, b = 0, d = 0;
  i64 sa = 0, sb = 0, sd = 0;
  u64 c = 0;
  u32 sew = 0;
  CsrState* csr = nullptr;
  numeric::RiscvFloat fp = numeric::RiscvFloat::single();
};
using VectorMeaning = u64 (*)(VectorElement& e);

u64 saturate_unsigned(VectorElement& e, i64 value);
u64 saturate_signed(VectorElement& e, i64 value);
i64 round_shift(const VectorElement& e, i64 value, u64 places);

/// One instruction's execution. Reads come from a copy of the registers, so that sources may
/// overlap the destination.
class VectorUnit {
 public:
  VectorUnit(CoreState& state, u32 word, bool allow_half)
      : s_(state),
        old_(state.v),
        word_(word),
        vd_(rd_of(word)),
        vs1_(rs1_of(word)),
        vs2_(rs2_of(word)),
        form_(bits(word, 12, 3)),
        unmasked_(bit(word, 25)),
        allow_half_(allow_half),
        type_(vector_type_of(state.csr.vtype)) {}

  VectorResult set_vl(VectorMeaning);
  VectorResult arith(VectorMeaning meaning);
  VectorResult widen(VectorMeaning meaning) { return widening(meaning, false); }
  VectorResult widen_first(VectorMeaning meaning) { return widening(meaning, true); }
  VectorResult narrow(VectorMeaning meaning);
  VectorResult carry(VectorMeaning meaning);
  VectorResult carry_out(VectorMeaning meaning);
  VectorResult merge(VectorMeaning);
  VectorResult compare(VectorMeaning meaning);
  VectorResult extend_vf2(VectorMeaning meaning) { return extend(meaning, 2); }
  VectorResult extend_vf4(VectorMeaning meaning) { return extend(meaning, 4); }
  VectorResult reduce(VectorMeaning meaning) { return reduction(meaning, type_.sew); }
  VectorResult widen_reduce(VectorMeaning meaning) { return reduction(meaning, type_.sew * 2); }
  VectorResult mask_logic(VectorMeaning meaning);
  VectorResult count_mask(VectorMeaning);
  VectorResult first_mask(VectorMeaning);
  VectorResult set_before(VectorMeaning) { return set_mask_until_first(true, false); }
  VectorResult set_including(VectorMeaning) { return set_mask_until_first(true, true); }
  VectorResult set_only(VectorMeaning) { return set_mask_until_first(false, true); }
  VectorResult iota(VectorMeaning);
  VectorResult identity(VectorMeaning);
  VectorResult move_to_x(VectorMeaning);
  VectorResult move_from_x(VectorMeaning);
  VectorResult gather(VectorMeaning);
  VectorResult slide_up(VectorMeaning);
  VectorResult slide_down(VectorMeaning);
  VectorResult slide_up_one(VectorMeaning) { return slide_one(true, s_.x[vs1_]); }
  VectorResult slide_down_one(VectorMeaning) { return slide_one(false, s_.x[vs1_]); }
  VectorResult compress(VectorMeaning);
  VectorResult move_group(VectorMeaning);

  VectorResult fp_arith(VectorMeaning meaning);
  VectorResult fp_merge(VectorMeaning);
  VectorResult fp_compare(VectorMeaning meaning);
  VectorResult fp_widen(VectorMeaning meaning) { return fp_widening(meaning, false); }
  VectorResult fp_widen_first(VectorMeaning meaning) { return fp_widening(meaning, true); }
  VectorResult fp_reduce(VectorMeaning meaning);
  VectorResult fp_widen_reduce(VectorMeaning meaning);
  VectorResult fp_widen_to_int(VectorMeaning meaning);
  VectorResult fp_widen_from_int(VectorMeaning meaning);
  VectorResult fp_narrow_to_int(VectorMeaning meaning);
  VectorResult fp_narrow_to_half(VectorMeaning meaning);
  VectorResult fp_move_to_f(VectorMeaning);
  VectorResult fp_move_from_f(VectorMeaning);
  VectorResult fp_slide_up_one(VectorMeaning) { return fp_slide_one(true); }
  VectorResult fp_slide_down_one(VectorMeaning) { return fp_slide_one(false); }

 private:
  // ---- Legality: `check_*` record the first problem in result_.
  void require(bool condition, VectorResult otherwise = VectorResult::Illegal) {
    if (!condition && result_ == VectorResult::Ok) result_ = otherwise;
  }
  /// vtype is good, vl within it.
  void check_type() { require(type_.valid && s_.csr.vl <= type_.vlmax, VectorResult::BadType); }
  void check_destination(u32 eew);
  void check_source(u32 reg, u32 eew, u32 destination_eew);
  void check_second(u32 destination_eew);  // vs1, when the form has one
  void check_apart(u32 reg, i32 emul, i32 destination_emul);
  void check_float(u32 eew);
  bool ok() const { return result_ == VectorResult::Ok; }

  VectorResult widening(VectorMeaning meaning, bool wide_first);
  VectorResult extend(VectorMeaning meaning, u32 factor);
  VectorResult reduction(VectorMeaning meaning, u32 wide);
  VectorResult set_mask_until_first(bool before, bool at);
  VectorResult slide_one(bool up, u32 value);
  VectorResult fp_widening(VectorMeaning meaning, bool wide_first);
  VectorResult fp_slide_one(bool up);
  VectorResult fp_reduction(VectorMeaning meaning, u32 eew, bool widened);

  u64 get(u32 reg, u32 index, u32 eew) const;
  void put(u32 reg, u32 index, u32 eew, u64 value);
  bool mask_of(u32 reg, u32 index) const { return (old_.reg[reg][index / 8] >> (index % 8)) & 1; }
  void put_mask(u32 index, bool value);
  bool active(u32 index) const { return unmasked_ || mask_of(0, index); }
  bool is_vector_form() const { return form_ <= 2; }
  u64 second(u32 index, u32 eew) const;  // vs1[i], rs1 or the signed immediate, cut to eew
  u64 unsigned_second(u32 index) const;  // for slides and gathers
  u32 float_second(u32 index, u32 eew) const;
  numeric::RiscvFloat format_of(u32 eew) const;
  VectorElement element(u64 a, u32 a_eew, u64 b, u32 b_eew, u64 d, u32 d_eew) const;

  CoreState& s_;
  const VectorState old_;
  const u32 word_;
  const u32 vd_, vs1_, vs2_;
  const u32 form_;  // funct3: 0 vv, 1 fvv, 2 mvv, 3 vi, 4 vx, 5 vf, 6 mvx
  const bool unmasked_;
  const bool allow_half_;
  const VectorType type_;
  VectorResult result_ = VectorResult::Ok;
};

struct VectorRow {
  std::string_view name;
  std::string_view form;
  std::string_view bits;
  Encoding encoding;
};

enum class VectorOp : u16 {
#define RVV(name, form, bits, kind, ...) name##_##form,
#include "riscv/vector.def"
#undef RVV
  Count,
};
inline constexpr VectorRow kVectorRows[] = {
#define RVV(name, form, bits, kind, ...) {#name, #form, bits, encoding_of(bits)},
#include "riscv/vector.def"
#undef RVV
};
inline constexpr unsigned kVectorRowCount = sizeof kVectorRows / sizeof kVectorRows[0];

/// Index into kVectorRows, or kVectorRowCount.
unsigned find_vector_row(u32 word);

}  // namespace bhemu::riscv
