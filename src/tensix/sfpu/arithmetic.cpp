// The multiply-add sub-unit: SFPMAD, SFPADD, SFPMUL, SFPADDI, SFPMULI, SFPMUL24, SFPLUT,
// SFPLUTFP32.
//
// Documents: tt-isa-documentation BlackholeA0, the page of each instruction.
#include "numeric/sfpu_float.hpp"
#include "numeric/sfpu_kernels.hpp"
#include "tensix/sfpu/notes.hpp"
#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix {
namespace {

using namespace sfpu;

// Bits of Mod1.
constexpr u32 kNegateA = 0;
constexpr u32 kNegateC = 1;
constexpr u32 kIndirectA = 2;
constexpr u32 kIndirectD = 3;

// Constant registers.
constexpr u32 kLRegZero = 9;
constexpr u32 kLRegOne = 10;

/// Operand A with indirection: every lane names its register in its lane of LReg 7.
Lanes indirect_operand_a(const Context& context) {
  Lanes result;
  for (u32 i = 0; i < kLanes; ++i) result[i] = lreg(context, lreg(context, 7)[i] & 15)[i];
  return result;
}

/// Writes to `vd`, or in every lane to the register that LReg 7 names.
void write_result(Context& context, u32 vd, bool indirect, const Lanes& value, u32 active) {
  if (!indirect || vd == 16) {
    write_lreg(context, vd, value, active);
    return;
  }
  const Lanes where = lreg(context, 7);
  for (u32 target = 0; target < 8; ++target) {
    const u32 mask = numeric::mask_where(where, [&](u32 v) { return (v & 15) == target; });
    if ((mask & active) != 0) write_lreg(context, target, value, mask & active);
  }
}

struct MadFields {
  u32 va, vb, vc, vd, mod;
};
template <class C, class Op>
MadFields fields_of(const C& context, Op insn) {
  return {insn.lreg_src_a(), vb_of(context, insn.lreg_src_b()), vc_of(context, insn.lreg_src_c()),
          vd_of(context, insn.lreg_dest()), insn.instr_mod1()};
}

/// The result of a multiply-add into `vd` where lanes or indirection forbid writing it in place.
/// Not inline, so that the common case needs no copy of a register on the stack.
[[gnu::noinline]] void multiply_add_aside(Context& context, u32 vd, bool indirect,
                                          const numeric::MulAddLanes& job, u32 active) {
  Lanes value;
  numeric::sfpu_mul_add_lanes(job, kAllLanes, value);
  write_result(context, vd, indirect, value, active);
}

inline void multiply_add_into(Context& context, u32 vd, bool indirect,
                              const numeric::MulAddLanes& job, u32 active) {
  SfpuState& sfpu = context.state.sfpu;
  if (vd < 8 && !indirect && context.scheduled == nullptr &&
      lanes_with(sfpu, lane_config::kEnableDestIndex) == 0) [[likely]] {
    numeric::sfpu_mul_add_lanes(job, active, sfpu.lreg[vd]);
    return;
  }
  multiply_add_aside(context, vd, indirect, job, active);
}

[[gnu::noinline]] void multiply_add_indirect(Context& context, const MadFields& fields, u32 flip_a,
                                             u32 flip_c, u32 active) {
  const Lanes a = indirect_operand_a(context);
  multiply_add_into(context, fields.vd, bit(fields.mod, kIndirectD),
                    {a, lreg(context, fields.vb), lreg(context, fields.vc), flip_a, flip_c},
                    active);
}

/// SFPADD and SFPMUL use the same data path; software gives them 1.0 and 0 as the third operand.
inline Completion multiply_add(Context& context, const MadFields& fields) {
  const Execution execution = begin(context, fields.vd);
  if (execution.active == 0) return Completion::Done;
  const u32 flip_a = fields.mod << (31 - kNegateA) & numeric::kFp32Sign;
  const u32 flip_c = fields.mod << (31 - kNegateC) & numeric::kFp32Sign;
  if (bit(fields.mod, kIndirectA)) [[unlikely]] {
    multiply_add_indirect(context, fields, flip_a, flip_c, execution.active);
    return Completion::Done;
  }
  multiply_add_into(context, fields.vd, bit(fields.mod, kIndirectD),
                    {lreg(context, fields.va), lreg(context, fields.vb), lreg(context, fields.vc),
                     flip_a, flip_c},
                    execution.active);
  return Completion::Done;
}

/// Silicon's shift and add after the product of SFPMUL24, from the floating-point data path.
/// Nothing happens when `c` is 0 or a denormal.
u32 mul24_adjust(u32 product, u32 c) {
  const u32 exponent = numeric::fp32_exponent(c);
  if (exponent == 0) return product;
  constexpr u32 kProductExponent = 129;
  const u32 larger = exponent > kProductExponent ? exponent : kProductExponent;
  const u32 shift = (larger - exponent) & 31;
  const u32 wide = (0x800000 + numeric::fp32_fraction(c)) << 3;
  product >>= (larger - kProductExponent) & 31;
  const u32 aligned = wide >> shift;
  if (aligned == 0) return product;
  const u32 lost = (aligned << shift) ^ wide;
  return (product + aligned + (static_cast<u32>(lost > 0xFFFF) << 16)) & 0x7FFFFF;
}

}  // namespace

Completion execute(Context& context, op::SFPMAD insn) {
  return multiply_add(context, fields_of(context, insn));
}

Completion execute(Context& context, op::SFPADD insn) {
  return multiply_add(context, fields_of(context, insn));
}

Completion execute(Context& context, op::SFPMUL insn) {
  return multiply_add(context, fields_of(context, insn));
}

Completion execute(Context& context, op::SFPADDI insn) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const Execution execution = begin(context, vd);
  const u32 immediate = insn.imm16_math() << 16;
  const u32 flip = bit(insn.instr_mod1(), kNegateC) ? numeric::kFp32Sign : 0;
  const Lanes a = numeric::splat(immediate);
  multiply_add_into(context, vd, bit(insn.instr_mod1(), kIndirectD),
                    {a, lreg(context, kLRegOne), lreg(context, vc_of(context, vd)), 0, flip},
                    execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPMULI insn) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const Execution execution = begin(context, vd);
  const u32 immediate = insn.imm16_math() << 16;
  const u32 flip = bit(insn.instr_mod1(), kNegateC) ? numeric::kFp32Sign : 0;
  const Lanes b = numeric::splat(immediate);
  multiply_add_into(context, vd, bit(insn.instr_mod1(), kIndirectD),
                    {lreg(context, vc_of(context, vd)), b, lreg(context, kLRegZero), flip, 0},
                    execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPMUL24 insn) {
  const MadFields fields = fields_of(context, insn);
  const Execution execution = begin(context, fields.vd);
  const bool upper = bit(fields.mod, 0);
  const Lanes a =
      bit(fields.mod, kIndirectA) ? indirect_operand_a(context) : lreg(context, fields.va);
  const Lanes value =
      numeric::map(a, lreg(context, fields.vb), lreg(context, fields.vc), [=](u32 x, u32 y, u32 z) {
        const u64 product = u64{x & 0x7FFFFF} * (y & 0x7FFFFF);
        return mul24_adjust(static_cast<u32>((upper ? product >> 23 : product) & 0x7FFFFF), z);
      });
  write_result(context, fields.vd, bit(fields.mod, kIndirectD), value, execution.active);
  return Completion::Done;
}

namespace {

/// Which of three intervals |x| lies in. Integer comparison, so that NaN is in the last.
constexpr u32 interval_of(u32 magnitude) {
  return magnitude < 0x3F800000 ? 0 : magnitude < 0x40000000 ? 1 : 2;
}

constexpr u32 kRetainSign = 2;  // of LReg 3

struct Coefficients {
  u32 a, c;
};

/// a * |LReg 3| + c, with the table lookup `coefficients(interval, magnitude, lane)`.
template <class F>
Lanes evaluate(const Context& context, u32 mod, F coefficients) {
  const Lanes& x = lreg(context, 3);
  const Lanes magnitude = numeric::map(x, [](u32 v) { return v & ~numeric::kFp32Sign; });
  Lanes a, c;
  for (u32 i = 0; i < kLanes; ++i) {
    const Coefficients pair = coefficients(interval_of(magnitude[i]), magnitude[i], i);
    a[i] = pair.a;
    c[i] = pair.c;
  }
  Lanes value;
  numeric::sfpu_mul_add_lanes({a, magnitude, c}, kAllLanes, value);
  if (!bit(mod, kRetainSign)) return value;
  return numeric::map(value, x, [](u32 v, u32 signed_x) {
    return (v & ~numeric::kFp32Sign) | (signed_x & numeric::kFp32Sign);
  });
}

/// The half of a packed pair of coefficients that |x| selects within its interval.
constexpr u32 half_of(u32 interval, u32 magnitude, bool cut_at_4) {
  constexpr u32 kHalf = 0x3F000000;
  constexpr u32 kOneAndAHalf = 0x3FC00000;
  const u32 last = cut_at_4 ? 0x40800000 : 0x40400000;
  const u32 cut = interval == 0 ? kHalf : interval == 1 ? kOneAndAHalf : last;
  return magnitude >= cut ? 16 : 0;
}

}  // namespace

Completion execute(Context& context, op::SFPLUT insn) {
  const u32 vd = vd_of(context, insn.lreg_ind());
  const Execution execution = begin(context, vd);
  const Lanes value = evaluate(context, insn.instr_mod0(), [&](u32 interval, u32, u32 lane) {
    const u32 pair = lreg(context, interval)[lane];
    return Coefficients{numeric::fp32_of_lut8(pair >> 8), numeric::fp32_of_lut8(pair)};
  });
  write_result(context, vd, bit(insn.instr_mod0(), kIndirectD), value, execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPLUTFP32 insn) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const u32 mod = insn.instr_mod1();
  const Execution execution = begin(context, vd);
  const bool halves = bit(mod, 1);
  // Bit 3 also makes the destination indirect, which for the packed three-entry table is a
  // mistake of the hardware.
  const bool packed_pair = halves && bit(mod, 3);
  const Lanes value = evaluate(context, mod, [&](u32 interval, u32 magnitude, u32 lane) {
    const u32 first = lreg(context, interval)[lane];
    if (packed_pair)
      return Coefficients{numeric::fp32_of_lut16(first >> 16), numeric::fp32_of_lut16(first)};
    const u32 second = lreg(context, 4 + interval)[lane];
    if (!halves) return Coefficients{first, second};
    const u32 shift = half_of(interval, magnitude, bit(mod, 0));
    return Coefficients{numeric::fp32_of_lut16(first >> shift),
                        numeric::fp32_of_lut16(second >> shift)};
  });
  write_result(context, vd, bit(mod, kIndirectD), value, execution.active);
  return Completion::Done;
}

// --- Footprints.

namespace {

/// Calls `note(register, lanes)` for the registers that LReg 7 names in `active` lanes.
template <class Note>
void for_named(const Footprint& print, u32 active, Note note) {
  note_lreg(print, 7, active);
  const Lanes& where = print.state.sfpu.lreg[7];
  for (u32 index = 0; index < 16; ++index)
    note(index, active & numeric::mask_where(where, [&](u32 v) { return (v & 15) == index; }));
}

void note_mad_result(const Footprint& print, u32 vd, bool indirect, u32 active) {
  if (!indirect || vd == 16) return note_result(print, vd, active);
  for_named(print, active, [&](u32 index, u32 lanes) {
    if (index < 8) note_result(print, index, lanes);
  });
}

template <class Op>
void note_mad(const Footprint& print, Op insn) {
  const MadFields fields = fields_of(print, insn);
  const u32 active = note_begin(print, fields.vd).active;
  if (bit(fields.mod, kIndirectA))
    for_named(print, active, [&](u32 index, u32 lanes) { note_lreg(print, index, lanes); });
  else
    note_lreg(print, fields.va, active);
  note_lreg(print, fields.vb, active);
  note_lreg(print, fields.vc, active);
  note_mad_result(print, fields.vd, bit(fields.mod, kIndirectD), active);
}

/// One operand is the immediate, one a constant register.
template <class Op>
void note_immediate(const Footprint& print, Op insn, u32 constant) {
  const u32 vd = vd_of(print, insn.lreg_dest());
  const u32 active = note_begin(print, vd).active;
  note_lreg(print, vc_of(print, vd), active);
  note_lreg(print, constant, active);
  note_mad_result(print, vd, bit(insn.instr_mod1(), kIndirectD), active);
}

/// The table is named whole: which entry a lane uses is data.
void note_lut(const Footprint& print, u32 vd, u32 mod, bool second_half) {
  const u32 active = note_begin(print, vd).active;
  note_lreg(print, 3, active);
  print.read(Space::LReg, 0, 3, active);
  if (second_half) print.read(Space::LReg, 4, 3, active);
  note_mad_result(print, vd, bit(mod, kIndirectD), active);
}

}  // namespace

void footprint(const Footprint& print, op::SFPMAD insn) {
  note_mad(print, insn);
}
void footprint(const Footprint& print, op::SFPADD insn) {
  note_mad(print, insn);
}
void footprint(const Footprint& print, op::SFPMUL insn) {
  note_mad(print, insn);
}
void footprint(const Footprint& print, op::SFPMUL24 insn) {
  note_mad(print, insn);
}
void footprint(const Footprint& print, op::SFPADDI insn) {
  note_immediate(print, insn, kLRegOne);
}
void footprint(const Footprint& print, op::SFPMULI insn) {
  note_immediate(print, insn, kLRegZero);
}
void footprint(const Footprint& print, op::SFPLUT insn) {
  note_lut(print, vd_of(print, insn.lreg_ind()), insn.instr_mod0(), false);
}
void footprint(const Footprint& print, op::SFPLUTFP32 insn) {
  const u32 mod = insn.instr_mod1();
  const bool packed_pair = bit(mod, 1) && bit(mod, 3);
  note_lut(print, vd_of(print, insn.lreg_dest()), mod, !packed_pair);
}

}  // namespace bhemu::tensix
