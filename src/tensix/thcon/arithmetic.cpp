// Scalar unit: arithmetic on GPRs, immediate SETDMAREG, REG2FLOP, FLUSHDMA.
//
// Documents: tt-isa-documentation ScalarUnit.md and the instructions' pages (one text for Wormhole
// and Blackhole), boopdotpng/tenstorrent-docs gpr-and-dma-instructions,
// additional-scalar-unit-instructions.
#include <fmt/format.h>

#include "tensix/cfg/cfg.hpp"
#include "tensix/conditions.hpp"
#include "tensix/footprint/recorder.hpp"
#include "tensix/gpr.hpp"

namespace bhemu::tensix {
namespace {

template <class Op>
u32 left(Context& context, Op insn) {
  return gprs(context)[insn.op_a_reg_index()];
}
/// A GPR, or the field itself as an unsigned constant.
template <class Op>
u32 right(Context& context, Op insn) {
  return insn.op_b_is_const() != 0 ? insn.op_b_reg_index() : gprs(context)[insn.op_b_reg_index()];
}
template <class Op>
Completion result(Context& context, Op insn, u32 value) {
  put_gpr(context, insn.result_reg_index(), value);
  return Completion::Done;
}

Completion undefined_mode(Context& context, u32 mode) {
  context.raise(Rule::TensixUndefined,
                fmt::format("{} with mode {}", info_of_word(context.word).name, mode));
  return Completion::Done;
}

}  // namespace

Completion execute(Context& context, op::ADDDMAREG insn) {
  return result(context, insn, left(context, insn) + right(context, insn));
}
Completion execute(Context& context, op::SUBDMAREG insn) {
  return result(context, insn, left(context, insn) - right(context, insn));
}
// The factors are 16 bits wide, the product 32.
Completion execute(Context& context, op::MULDMAREG insn) {
  return result(context, insn, (left(context, insn) & 0xFFFFu) * (right(context, insn) & 0xFFFFu));
}

Completion execute(Context& context, op::BITWOPDMAREG insn) {
  const u32 a = left(context, insn);
  const u32 b = right(context, insn);
  switch (insn.op_sel()) {
    case 0:
      return result(context, insn, a & b);
    case 1:
      return result(context, insn, a | b);
    case 2:
      return result(context, insn, a ^ b);
    default:
      return undefined_mode(context, insn.op_sel());
  }
}

Completion execute(Context& context, op::SHIFTDMAREG insn) {
  const u32 a = left(context, insn);
  const u32 amount = right(context, insn) & 31u;
  switch (insn.op_sel()) {
    case 0:
      return result(context, insn, a << amount);
    case 1:
      return result(context, insn, a >> amount);
    default:
      return undefined_mode(context, insn.op_sel());
  }
}

Completion execute(Context& context, op::CMPDMAREG insn) {
  const u32 a = left(context, insn);
  const u32 b = right(context, insn);
  switch (insn.op_sel()) {
    case 0:
      return result(context, insn, a > b ? 1 : 0);
    case 1:
      return result(context, insn, a < b ? 1 : 0);
    case 2:
      return result(context, insn, a == b ? 1 : 0);
    default:
      return undefined_mode(context, insn.op_sel());
  }
}

Completion execute(Context&, op::DMANOP) {
  return Completion::Done;
}

// Occupies the unit for all threads until the conditions are met (those of STALLWAIT, C0..C3).
Completion execute(Context& context, op::FLUSHDMA insn) {
  State& state = context.state;
  const u32 mask = insn.flush_spec() != 0 ? insn.flush_spec() : 0xFu;
  if (unmet_conditions(state, context.thread, mask, context.now) != 0) {
    state.thcon.occupied_by = context.thread + 1;
    return Completion::Stall;
  }
  state.thcon.occupied_by = 0;
  return Completion::Done;
}

namespace {

/// REG2FLOP_ADC.md: which 8, 16 or 32 bits of the GPR are moved.
u32 flop_value(u32 value, u32 size, u32 shift8) {
  switch (size) {
    case 1:
      return shift8 == 0 ? value : 0;
    case 2:
      return shift8 == 0 ? value & 0xFFFFu : shift8 == 2 ? value >> 16 : 0;
    case 3:
      return value >> (8 * shift8) & 0xFFu;
    default:
      return 0;
  }
}

/// Whose counter REG2FLOP to an ADC means.
struct AdcTarget {
  unsigned thread;
  u32 unit;
  u32 channel;
  u32 dimension;
  bool carriage_return;

  bool exists() const { return thread < kThreads && unit < 3; }
};
AdcTarget adc_target(op::REG2FLOP insn, unsigned own_thread) {
  const u32 target = insn.flop_index();
  const bool override_thread = bit(insn.target_sel(), 0);
  return {override_thread ? insn.context_id_2() : own_thread, bits(target, 3, 2),
          bits(target, 5, 1), bits(target, 0, 2), bit(target, 2)};
}

Completion reg2flop_adc(Context& context, op::REG2FLOP insn) {
  const AdcTarget target = adc_target(insn, context.thread);
  if (!target.exists()) return Completion::Done;
  const u32 value =
      flop_value(gprs(context)[insn.reg_index()], insn.size_sel(), insn.byte_offset());
  AdcChannel& channel = context.state.adc.adc[target.thread][target.unit].channel[target.channel];
  switch (target.dimension) {
    case 0:
      (target.carriage_return ? channel.x_cr : channel.x) = value & kAdcMaskX;
      break;
    case 1:
      (target.carriage_return ? channel.y_cr : channel.y) = static_cast<u16>(value & kAdcMaskY);
      break;
    case 2:
      (target.carriage_return ? channel.z_cr : channel.z) = static_cast<u16>(value & kAdcMaskZ);
      break;
    default:
      (target.carriage_return ? channel.w_cr : channel.w) = static_cast<u16>(value & kAdcMaskW);
      break;
  }
  return Completion::Done;
}

}  // namespace

Completion execute(Context& context, op::REG2FLOP insn) {
  if (bit(insn.target_sel(), 1)) return reg2flop_adc(context, insn);
  const u32 index = insn.flop_index();
  if (index >= kGlobalConfigBase - kThconConfigBase) {
    context.raise(Rule::TensixConfigIndex,
                  fmt::format("REG2FLOP of THCON word {}; there are {}", index,
                              kGlobalConfigBase - kThconConfigBase));
    return Completion::Done;
  }
  const unsigned bank = context.thread_config()[0] & 1u;
  const GprFile& gpr = gprs(context);
  const auto write = [&](u32 word, u32 value) {
    const u32 whole = kThconConfigBase + word;
    warn_without_effect(context.env, agent_of_thread(context.thread), whole, value, context.now);
    put_config(context, bank, whole, value);
  };
  if (insn.size_sel() != 0) {
    write(index, gpr[insn.reg_index()]);
  } else {
    for (u32 i = 0; i < 4; ++i) write((index & ~3u) + i, gpr[(insn.reg_index() & ~3u) + i]);
  }
  return Completion::Done;
}

// --- Footprints.

namespace {
template <class Op>
void note_arithmetic(const Footprint& print, Op insn) {
  print.note_gprs(Access::Read, insn.op_a_reg_index());
  if (insn.op_b_is_const() == 0) print.note_gprs(Access::Read, insn.op_b_reg_index());
  print.note_gprs(Access::Write, insn.result_reg_index());
}
}  // namespace

void footprint(const Footprint& print, op::ADDDMAREG insn) {
  note_arithmetic(print, insn);
}
void footprint(const Footprint& print, op::SUBDMAREG insn) {
  note_arithmetic(print, insn);
}
void footprint(const Footprint& print, op::MULDMAREG insn) {
  note_arithmetic(print, insn);
}
void footprint(const Footprint& print, op::BITWOPDMAREG insn) {
  note_arithmetic(print, insn);
}
void footprint(const Footprint& print, op::SHIFTDMAREG insn) {
  note_arithmetic(print, insn);
}
void footprint(const Footprint& print, op::CMPDMAREG insn) {
  note_arithmetic(print, insn);
}
void footprint(const Footprint&, op::DMANOP) {}
void footprint(const Footprint& print, op::FLUSHDMA insn) {
  note_conditions(print, insn.flush_spec() != 0 ? insn.flush_spec() : 0xFu);
}

void footprint(const Footprint& print, op::REG2FLOP insn) {
  if (bit(insn.target_sel(), 1)) {
    const AdcTarget target = adc_target(insn, print.thread);
    if (!target.exists()) return;
    print.note_gprs(Access::Read, insn.reg_index());
    print.write(Space::Adc, footprint_cell::adc(target.thread, target.unit, target.channel,
                                                2 * target.dimension + target.carriage_return));
    return;
  }
  const u32 index = insn.flop_index();
  if (index >= kGlobalConfigBase - kThconConfigBase) return;
  const u32 count = insn.size_sel() != 0 ? 1 : 4;
  print.note_gprs(Access::Read, count == 1 ? insn.reg_index() : insn.reg_index() & ~3u, count);
  const unsigned bank = thread_cfg::CFG_STATE_ID_StateID::get(print.thread_config());
  const u32 first = kThconConfigBase + (count == 1 ? index : index & ~3u);
  for (u32 i = 0; i < count; ++i) note_config_write(print, bank, first + i);
}

}  // namespace bhemu::tensix
