// The simple sub-unit, lane by lane: integers, shifts, logic, fields of FP32, and SFPARECIP.
//
// Documents: tt-isa-documentation BlackholeA0, the page of each instruction.
#include <bit>

#include "numeric/sfpu_float.hpp"
#include "tensix/sfpu/notes.hpp"
#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix {
namespace {

using namespace sfpu;

constexpr u32 kSign = numeric::kFp32Sign;
constexpr u32 kExponentMask = 0x7F800000;
constexpr u32 kFractionMask = 0x007FFFFF;

template <class Op>
i32 immediate12(Op insn) {
  return sign_extend(insn.imm12_math(), 12);
}

template <class Op>
const Lanes& lreg_c(const Context& context, Op insn) {
  return lreg(context, vc_of(context, insn.lreg_c()));
}
/// The old value of VD, where the instruction uses it.
template <class Op>
const Lanes& lreg_d(const Context& context, Op insn) {
  return lreg(context, vb_of(context, insn.lreg_dest()));
}
/// SFPAND, SFPOR: VB if Mod1 says so, else VD.
template <class Op>
const Lanes& logic_operand_b(const Context& context, Op insn) {
  const bool has_vb = bit(insn.instr_mod1(), 0);
  return lreg(context, vb_of(context, has_vb ? insn.imm12_math() : insn.lreg_dest()));
}

/// D := f(C).
template <class Op, class F>
Completion unary(Context& context, Op insn, F f) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const Execution execution = begin(context, vd);
  write_lreg(context, vd, numeric::map(lreg_c(context, insn), f), execution.active);
  return Completion::Done;
}

/// D := f(C, D).
template <class Op, class F>
Completion binary(Context& context, Op insn, F f) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const Execution execution = begin(context, vd);
  write_lreg(context, vd, numeric::map(lreg_c(context, insn), lreg_d(context, insn), f),
             execution.active);
  return Completion::Done;
}

u32 negative_lanes(const Lanes& value) {
  return numeric::sfpu_negative_lanes(value);
}

/// Left for amounts of 0 and more, else right; amounts are taken modulo 32, never saturated.
constexpr u32 shift_logical(u32 x, i32 amount) {
  const u32 n = static_cast<u32>(amount);
  return amount >= 0 ? x << (n & 31) : x >> ((0u - n) & 31);
}
constexpr u32 shift_arithmetic(u32 x, i32 amount) {
  const u32 n = static_cast<u32>(amount);
  if (amount >= 0) return x << (n & 31);
  return static_cast<u32>(static_cast<i32>(x) >> ((0u - n) & 31));
}

}  // namespace

Completion execute(Context& context, op::SFPIADD insn) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const u32 mod = insn.instr_mod1();
  const Execution execution = begin(context, vd);
  if (!is_writable(vd)) return Completion::Done;
  const u32 immediate = static_cast<u32>(immediate12(insn));
  const Lanes value = numeric::map(lreg_c(context, insn), lreg_d(context, insn), [=](u32 c, u32 d) {
    return bit(mod, 0) ? c + immediate : bit(mod, 1) ? c - d : c + d;
  });
  SfpuState& sfpu = context.state.sfpu;
  write_lreg(context, vd, value, execution.active);
  if (!bit(mod, 2)) set_flags(sfpu, negative_lanes(value), execution.active);
  if (bit(mod, 3)) set_flags(sfpu, ~sfpu.condition.lane_flags, execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPSHFT insn) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const u32 mod = insn.instr_mod1();
  const Execution execution = begin(context, vd);
  const Lanes& c = lreg_c(context, insn);
  const bool by_immediate = bit(mod, 0);
  const Lanes x = by_immediate && bit(mod, 2) ? c : lreg_d(context, insn);
  const Lanes amount = by_immediate ? numeric::splat(static_cast<u32>(immediate12(insn))) : c;
  const bool arithmetic = bit(mod, 1);
  write_lreg(context, vd,
             numeric::map(x, amount,
                          [=](u32 v, u32 n) {
                            return arithmetic ? shift_arithmetic(v, static_cast<i32>(n))
                                              : shift_logical(v, static_cast<i32>(n));
                          }),
             execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPAND insn) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const Lanes& b = logic_operand_b(context, insn);
  const Execution execution = begin(context, vd);
  write_lreg(context, vd,
             numeric::map(lreg_c(context, insn), b, [](u32 c, u32 v) { return c & v; }),
             execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPOR insn) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const Lanes& b = logic_operand_b(context, insn);
  const Execution execution = begin(context, vd);
  write_lreg(context, vd,
             numeric::map(lreg_c(context, insn), b, [](u32 c, u32 v) { return c | v; }),
             execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPXOR insn) {
  return binary(context, insn, [](u32 c, u32 d) { return c ^ d; });
}

Completion execute(Context& context, op::SFPNOT insn) {
  return unary(context, insn, [](u32 c) { return ~c; });
}

Completion execute(Context& context, op::SFPLZ insn) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const u32 mod = insn.instr_mod1();
  const Execution execution = begin(context, vd);
  if (!is_writable(vd)) return Completion::Done;
  const u32 mask = bit(mod, 2) ? ~kSign : ~0u;
  const Lanes x = numeric::map(lreg_c(context, insn), [=](u32 c) { return c & mask; });
  SfpuState& sfpu = context.state.sfpu;
  write_lreg(context, vd,
             numeric::map(x, [](u32 v) { return static_cast<u32>(std::countl_zero(v)); }),
             execution.active);
  if (bit(mod, 1)) set_flags(sfpu, numeric::sfpu_nonzero_lanes(x), execution.active);
  if (bit(mod, 3)) set_flags(sfpu, ~sfpu.condition.lane_flags, execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPABS insn) {
  if (!bit(insn.instr_mod1(), 0))
    return unary(context, insn, [](u32 c) { return (c >> 31) != 0 ? 0u - c : c; });
  // Negative NaNs stay; -Inf becomes +Inf (tenstorrent/ttsim; SFPABS.md's model leaves it).
  return unary(context, insn, [](u32 c) { return c > 0xFF800000 ? c : c & ~kSign; });
}

Completion execute(Context& context, op::SFPEXEXP insn) {
  const u32 vd = vd_of(context, insn.lreg_dest());
  const u32 mod = insn.instr_mod1();
  const Execution execution = begin(context, vd);
  if (!is_writable(vd)) return Completion::Done;
  const u32 bias = bit(mod, 0) ? 0 : 127;
  const Lanes value =
      numeric::map(lreg_c(context, insn), [=](u32 c) { return numeric::fp32_exponent(c) - bias; });
  SfpuState& sfpu = context.state.sfpu;
  write_lreg(context, vd, value, execution.active);
  if (bit(mod, 1)) set_flags(sfpu, negative_lanes(value), execution.active);
  if (bit(mod, 3)) set_flags(sfpu, ~sfpu.condition.lane_flags, execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPEXMAN insn) {
  const u32 hidden = bit(insn.instr_mod1(), 0) ? 0 : 0x800000;
  return unary(context, insn, [=](u32 c) { return (c & kFractionMask) + hidden; });
}

Completion execute(Context& context, op::SFPSETEXP insn) {
  const u32 mod = insn.instr_mod1();
  const u32 immediate = insn.imm12_math();
  return binary(context, insn, [=](u32 c, u32 d) {
    const u32 exponent = bit(mod, 0)   ? immediate
                         : bit(mod, 1) ? numeric::fp32_exponent(d)
                                       : d & 0xFF;
    return (c & ~kExponentMask) | exponent << 23;
  });
}

Completion execute(Context& context, op::SFPSETMAN insn) {
  const bool by_immediate = bit(insn.instr_mod1(), 0);
  const u32 immediate = insn.imm12_math() << 11;
  return binary(context, insn, [=](u32 c, u32 d) {
    return (c & ~kFractionMask) | (by_immediate ? immediate : d & kFractionMask);
  });
}

Completion execute(Context& context, op::SFPSETSGN insn) {
  const bool by_immediate = bit(insn.instr_mod1(), 0);
  const u32 immediate = insn.imm12_math() << 31;
  return binary(context, insn, [=](u32 c, u32 d) {
    return (c & ~kSign) | (by_immediate ? immediate : d & kSign);
  });
}

Completion execute(Context& context, op::SFPDIVP2 insn) {
  const u32 immediate = insn.imm12_math() & 0xFF;
  if (!bit(insn.instr_mod1(), 0))
    return unary(context, insn, [=](u32 c) { return (c & ~kExponentMask) | immediate << 23; });
  // The exponent wraps; zero is not special.
  return unary(context, insn, [=](u32 c) {
    const u32 exponent = numeric::fp32_exponent(c);
    if (exponent == 255) return c;
    return (c & ~kExponentMask) | ((exponent + immediate) & 0xFF) << 23;
  });
}

Completion execute(Context& context, op::SFPARECIP insn) {
  const u32 mod = insn.instr_mod1();
  if (mod == 0)
    return unary(context, insn, [](u32 c) { return (c & kSign) | numeric::sfpu_reciprocal(c); });
  if (mod >= 2)
    return unary(context, insn, [](u32 c) { return (c & kSign) | numeric::sfpu_exponential(c); });
  const u32 vd = vd_of(context, insn.lreg_dest());
  const Lanes& b = lreg(context, vb_of(context, insn.imm12_math()));
  const Execution execution = begin(context, vd);
  write_lreg(
      context, vd,
      numeric::map(lreg_c(context, insn), b,
                   [](u32 c, u32 v) { return (v >> 31) != 0 ? numeric::sfpu_reciprocal(c) : c; }),
      execution.active);
  return Completion::Done;
}

// --- Footprints.

namespace {

/// D := f(C), or f(C, D), or f(D).
struct Operands {
  bool c = true;
  bool d = false;
};
template <class Op>
u32 note_operands(const Footprint& print, Op insn, Operands operands) {
  const u32 vd = vd_of(print, insn.lreg_dest());
  const u32 active = note_begin(print, vd).active;
  if (operands.c) note_lreg(print, vc_of(print, insn.lreg_c()), active);
  if (operands.d) note_lreg(print, vb_of(print, insn.lreg_dest()), active);
  note_result(print, vd, active);
  return active;
}

/// SFPIADD, SFPLZ, SFPEXEXP: nothing but the back door where VD cannot be written; else `sets` says
/// whether flags become those of the result, `inverts` whether all are complemented.
template <class Op>
void note_with_flags(const Footprint& print, Op insn, Operands operands, bool sets, bool inverts) {
  const u32 vd = vd_of(print, insn.lreg_dest());
  if (!is_writable(vd)) {
    note_lanes(print, vd);
    return;
  }
  const u32 active = note_operands(print, insn, operands);
  if (sets)
    note_flags(print, active);
  else if (inverts)
    note_flags_inverted(print, active);
}

template <class Op>
void note_logic(const Footprint& print, Op insn) {
  const u32 vd = vd_of(print, insn.lreg_dest());
  const u32 active = note_begin(print, vd).active;
  const bool has_vb = bit(insn.instr_mod1(), 0);
  note_lreg(print, vc_of(print, insn.lreg_c()), active);
  note_lreg(print, vb_of(print, has_vb ? insn.imm12_math() : insn.lreg_dest()), active);
  note_result(print, vd, active);
}

}  // namespace

void footprint(const Footprint& print, op::SFPIADD insn) {
  const u32 mod = insn.instr_mod1();
  note_with_flags(print, insn, {true, !bit(mod, 0)}, !bit(mod, 2), bit(mod, 3));
}
void footprint(const Footprint& print, op::SFPSHFT insn) {
  const bool by_immediate = bit(insn.instr_mod1(), 0);
  const bool of_c = by_immediate && bit(insn.instr_mod1(), 2);
  note_operands(print, insn, {!by_immediate || of_c, !of_c});
}
void footprint(const Footprint& print, op::SFPAND insn) {
  note_logic(print, insn);
}
void footprint(const Footprint& print, op::SFPOR insn) {
  note_logic(print, insn);
}
void footprint(const Footprint& print, op::SFPXOR insn) {
  note_operands(print, insn, {true, true});
}
void footprint(const Footprint& print, op::SFPNOT insn) {
  note_operands(print, insn, {});
}
void footprint(const Footprint& print, op::SFPLZ insn) {
  note_with_flags(print, insn, {}, bit(insn.instr_mod1(), 1), bit(insn.instr_mod1(), 3));
}
void footprint(const Footprint& print, op::SFPABS insn) {
  note_operands(print, insn, {});
}
void footprint(const Footprint& print, op::SFPEXEXP insn) {
  note_with_flags(print, insn, {}, bit(insn.instr_mod1(), 1), bit(insn.instr_mod1(), 3));
}
void footprint(const Footprint& print, op::SFPEXMAN insn) {
  note_operands(print, insn, {});
}
void footprint(const Footprint& print, op::SFPSETEXP insn) {
  note_operands(print, insn, {true, !bit(insn.instr_mod1(), 0)});
}
void footprint(const Footprint& print, op::SFPSETMAN insn) {
  note_operands(print, insn, {true, !bit(insn.instr_mod1(), 0)});
}
void footprint(const Footprint& print, op::SFPSETSGN insn) {
  note_operands(print, insn, {true, !bit(insn.instr_mod1(), 0)});
}
void footprint(const Footprint& print, op::SFPDIVP2 insn) {
  note_operands(print, insn, {});
}
void footprint(const Footprint& print, op::SFPARECIP insn) {
  constexpr u32 kConditional = 1;
  const u32 active = note_operands(print, insn, {});
  if (insn.instr_mod1() == kConditional) note_lreg(print, vb_of(print, insn.imm12_math()), active);
}

}  // namespace bhemu::tensix
