// SFPCAST and SFPSTOCHRND (SFP_STOCH_RND in the assembler).
//
// Documents: tt-isa-documentation BlackholeA0 SFPCAST*.md, SFPSTOCHRND*.md.
#include "numeric/sfpu_convert.hpp"

#include "tensix/prng.hpp"
#include "tensix/sfpu/notes.hpp"
#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix {
namespace {

using namespace sfpu;
using numeric::SfpuRounding;

/// The generators' words; those of active lanes step on.
Lanes draw(SfpuState& sfpu, u32 active) {
  Lanes result;
  result.lane = sfpu.prng;
  Lanes next;
  for (u32 i = 0; i < kLanes; ++i) next[i] = step_generator(sfpu.prng[i]);
  Lanes stepped = result;
  numeric::blend(stepped, next, active);
  sfpu.prng = stepped.lane;
  return result;
}

u32 rounded(u32 mod, u32 c, u32 shift, u32 threshold) {
  switch (mod & 7) {
    case 0:
      return numeric::sfpu_round_float(c, 13, threshold);
    case 1:
      return numeric::sfpu_round_float(c, 16, threshold);
    case 2:
      return numeric::sfpu_round_to_integer(c, 255, false, threshold);
    case 3:
      return numeric::sfpu_round_to_integer(c, 127, true, threshold);
    case 4:
      return numeric::sfpu_round_integer(c, shift, 255, false, threshold);
    case 5:
      return numeric::sfpu_round_integer(c, shift, 127, true, threshold);
    case 6:
      return numeric::sfpu_round_to_integer(c, 65535, false, threshold);
    default:
      return numeric::sfpu_round_to_integer(c, 32767, true, threshold);
  }
}

}  // namespace

Completion execute(Context& context, op::SFPCAST insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 vd = vd_of(context, insn.lreg_dest());
  const Execution execution = begin(context, vd);
  const Lanes& c = lreg(context, vc_of(context, insn.lreg_src_c()));
  Lanes value;
  switch (insn.instr_mod1() & 3) {
    case 0:
      value = numeric::map(c, numeric::sfpu_float_of_integer);
      break;
    case 1:
      value =
          numeric::map(c, draw(sfpu, execution.active), numeric::sfpu_float_of_integer_stochastic);
      break;
    case 2:
      value = numeric::map(c, numeric::sfpu_integer_absolute);
      break;
    default:
      value = numeric::map(c, numeric::sfpu_swap_sign_representation);
      break;
  }
  write_lreg(context, vd, value, execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFP_STOCH_RND insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 mod = insn.instr_mod1();
  const auto rounding = static_cast<SfpuRounding>(insn.rnd_mode());
  const u32 vd = vd_of(context, insn.lreg_dest());
  const Execution execution = begin(context, vd);
  const Lanes random = draw(sfpu, execution.active);
  const Lanes& c = lreg(context, vc_of(context, insn.lreg_src_c()));
  const Lanes& b = lreg(context, vb_of(context, insn.lreg_src_b()));
  Lanes value;
  for (u32 i = 0; i < kLanes; ++i) {
    const u32 shift = bit(mod, 3) ? insn.imm8_math() : b[i] & 31;
    value[i] = rounded(mod, c[i], shift, numeric::sfpu_round_threshold(rounding, random[i]));
  }
  write_lreg(context, vd, value, execution.active);
  return Completion::Done;
}

// --- Footprints.

void footprint(const Footprint& print, op::SFPCAST insn) {
  constexpr u32 kStochastic = 1;
  const u32 vd = vd_of(print, insn.lreg_dest());
  const u32 active = note_begin(print, vd).active;
  note_lreg(print, vc_of(print, insn.lreg_src_c()), active);
  if ((insn.instr_mod1() & 3) == kStochastic) print.update(Space::Random, 0, 1, active);
  note_result(print, vd, active);
}

void footprint(const Footprint& print, op::SFP_STOCH_RND insn) {
  const u32 mod = insn.instr_mod1();
  const u32 vd = vd_of(print, insn.lreg_dest());
  const u32 active = note_begin(print, vd).active;
  print.update(Space::Random, 0, 1, active);
  note_lreg(print, vc_of(print, insn.lreg_src_c()), active);
  const bool shifts = (mod & 7) == 4 || (mod & 7) == 5;
  if (shifts && !bit(mod, 3)) note_lreg(print, vb_of(print, insn.lreg_src_b()), active);
  note_result(print, vd, active);
}

}  // namespace bhemu::tensix
