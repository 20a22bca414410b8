// Lane flags and their stack: SFPENCC, SFPSETCC, SFPPUSHC, SFPPOPC, SFPCOMPC, SFPLE, SFPGT.
//
// Documents: tt-isa-documentation BlackholeA0, the page of each instruction. The stack has one
// depth for all lanes: only an instruction with VD >= 12 and a LaneConfig that differs between
// columns could make lanes diverge, and that is reported as undefined.
#include <fmt/format.h>

#include "numeric/sfpu_float.hpp"
#include "tensix/sfpu/notes.hpp"
#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix {
namespace {

using namespace sfpu;

/// Modes 1 to 12 of SFPPUSHC and SFPPOPC, on a bit per lane.
u32 boolean_op(u32 mod, u32 a, u32 b) {
  switch (mod) {
    case 1:
      return b;
    case 2:
      return ~b;
    case 3:
      return a & b;
    case 4:
      return a | b;
    case 5:
      return a & ~b;
    case 6:
      return a | ~b;
    case 7:
      return ~a & b;
    case 8:
      return ~a | b;
    case 9:
      return ~a & ~b;
    case 10:
      return ~a | ~b;
    case 11:
      return a ^ b;
    default:
      return ~(a ^ b);
  }
}

/// For the instructions that change the stack: false when nothing is to be executed.
bool begin_in_all_lanes(Context& context, u32 vd) {
  const Execution execution = begin(context, vd);
  if (execution.lanes == kAllLanes) return true;
  if (execution.lanes != 0)
    context.raise(Rule::TensixUndefined, "the flag stack changes in some columns only");
  return false;
}

Completion stack_fault(Context& context, const char* what) {
  context.raise(Rule::SfpuConditionStack, what);
  return Completion::Done;
}

template <class Op>
Completion compare(Context& context, Op insn, bool greater) {
  enum : u32 { kSetFlags = 0, kMutateStack = 1, kMutateOr = 2, kSetVd = 3 };
  SfpuState& sfpu = context.state.sfpu;
  const u32 vd = vd_of(context, insn.lreg_dest());
  const u32 mod = insn.instr_mod1();
  const Execution execution = begin(context, vd);
  const Lanes& c = lreg(context, vc_of(context, insn.lreg_c()));
  const Lanes& d = lreg(context, vb_of(context, insn.lreg_dest()));
  const u32 smaller = numeric::sfpu_smaller_lanes(c, d);
  const u32 holds = greater ? smaller : ~smaller;
  if (bit(mod, kSetVd)) {
    Lanes result;
    numeric::sfpu_blend_lanes(result, numeric::splat(~0u), holds);
    write_lreg(context, vd, result, execution.active);
  }
  if (bit(mod, kSetFlags)) set_flags(sfpu, holds, execution.active);
  if (bit(mod, kMutateStack) && sfpu.stack_size != 0) {
    // In every lane, enabled or not.
    u32& top = sfpu.stack[sfpu.stack_size - 1].lane_flags;
    const u32 mutated = bit(mod, kMutateOr) ? top | holds : top & holds;
    top = (top & ~execution.lanes) | (mutated & execution.lanes);
  }
  return Completion::Done;
}

}  // namespace

Completion execute(Context& context, op::SFPENCC insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 mod = insn.instr_mod1();
  const u32 immediate = insn.imm12_math();
  const u32 lanes = begin(context, insn.lreg_dest()).lanes;
  u32& use = sfpu.condition.use_lane_flags;
  const u32 value = bit(mod, 1) ? (bit(immediate, 0) ? kAllLanes : 0) : (bit(mod, 0) ? ~use : use);
  use = (use & ~lanes) | (value & lanes);
  set_flags(sfpu, !bit(mod, 3) || bit(immediate, 1) ? kAllLanes : 0, lanes);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPSETCC insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 mod = insn.instr_mod1();
  const Execution execution = begin(context, insn.lreg_dest());
  const Lanes& c = lreg(context, vc_of(context, insn.lreg_c()));
  u32 flags = 0;
  if (bit(mod, 3)) {
    flags = 0;
  } else if (bit(mod, 0)) {
    flags = insn.imm12_math() != 0 ? kAllLanes : 0;
  } else {
    const bool test_zero = bit(mod, 1);
    flags = test_zero ? numeric::sfpu_nonzero_lanes(c) : numeric::sfpu_negative_lanes(c);
    if (bit(mod, 2)) flags = ~flags;
  }
  // Lanes that do not use their flag get 0.
  set_flags(sfpu, flags & sfpu.condition.use_lane_flags, execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPPUSHC insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 mod = insn.instr_mod1();
  if (!begin_in_all_lanes(context, insn.lreg_dest())) return Completion::Done;
  if (mod == 0) {
    if (sfpu.stack_size == kConditionStack)
      return stack_fault(context, "SFPPUSHC on a stack of eight");
    sfpu.stack[sfpu.stack_size++] = sfpu.condition;
    return Completion::Done;
  }
  if (sfpu.stack_size == 0) return stack_fault(context, "SFPPUSHC changes the top of no stack");
  SfpuCondition& top = sfpu.stack[sfpu.stack_size - 1];
  if (mod <= 12) {
    top.use_lane_flags = sfpu.condition.use_lane_flags;
    top.lane_flags = boolean_op(mod, top.lane_flags, sfpu.condition.lane_flags);
  } else if (mod == 13) {
    sfpu.condition.lane_flags = ~sfpu.condition.lane_flags;
    top = sfpu.condition;
  } else {
    top = {kAllLanes, mod == 14 ? kAllLanes : 0};
  }
  return Completion::Done;
}

Completion execute(Context& context, op::SFPPOPC insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 mod = insn.instr_mod1();
  if (!begin_in_all_lanes(context, insn.lreg_dest())) return Completion::Done;
  const SfpuCondition top =
      sfpu.stack_size != 0 ? sfpu.stack[sfpu.stack_size - 1] : SfpuCondition{};
  if (mod == 0) {
    if (sfpu.stack_size == 0) return stack_fault(context, "SFPPOPC on an empty stack");
    sfpu.condition = top;
    // The slot is cleared so that equal states have equal bytes.
    sfpu.stack[--sfpu.stack_size] = {};
  } else if (mod <= 12) {
    sfpu.condition.use_lane_flags = top.use_lane_flags;
    sfpu.condition.lane_flags = boolean_op(mod, sfpu.condition.lane_flags, top.lane_flags);
  } else if (mod == 13) {
    sfpu.condition.lane_flags = ~sfpu.condition.lane_flags;
  } else {
    sfpu.condition = {kAllLanes, mod == 14 ? kAllLanes : 0};
  }
  return Completion::Done;
}

Completion execute(Context& context, op::SFPCOMPC insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 lanes = begin(context, insn.lreg_dest()).lanes;
  const SfpuCondition top =
      sfpu.stack_size != 0 ? sfpu.stack[sfpu.stack_size - 1] : SfpuCondition{kAllLanes, kAllLanes};
  set_flags(sfpu,
            top.use_lane_flags & sfpu.condition.use_lane_flags & top.lane_flags &
                ~sfpu.condition.lane_flags,
            lanes);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPGT insn) {
  return compare(context, insn, true);
}

Completion execute(Context& context, op::SFPLE insn) {
  return compare(context, insn, false);
}

// --- Footprints.

namespace {

using namespace footprint_cell;

/// False: the word became a template in some columns, and nothing is executed.
bool note_all_lanes(const Footprint& print, u32 vd) {
  return note_lanes(print, vd) == kAllLanes;
}
void note_condition(const Footprint& print, Access access) {
  print.note(access, Space::ConditionCode, UseLaneFlags);
  print.note(access, Space::ConditionCode, LaneFlags);
}
/// Entry `index` of the flag stack, if it exists.
void note_entry(const Footprint& print, Access access, u32 index, u32 lanes = kAllLanes) {
  if (index < kConditionStack) print.note(access, Space::ConditionCode, Stack + index, 1, lanes);
}

template <class Op>
void note_compare(const Footprint& print, Op insn) {
  const u32 mod = insn.instr_mod1();
  const u32 vd = vd_of(print, insn.lreg_dest());
  const Execution execution = note_begin(print, vd);
  const u32 size = print.state.sfpu.stack_size;
  const bool mutates = bit(mod, 1);
  // The stack changes in every lane, enabled or not.
  const u32 lanes = mutates ? execution.lanes : execution.active;
  note_lreg(print, vc_of(print, insn.lreg_c()), lanes);
  note_lreg(print, vb_of(print, insn.lreg_dest()), lanes);
  if (bit(mod, 3)) note_result(print, vd, execution.active);
  if (bit(mod, 0)) note_flags(print, execution.active);
  if (!mutates) return;
  print.read(Space::ConditionCode, StackSize);
  note_entry(print, Access::ReadWrite, size - 1, execution.lanes);
}

}  // namespace

void footprint(const Footprint& print, op::SFPENCC insn) {
  const u32 mod = insn.instr_mod1();
  const u32 lanes = note_lanes(print, insn.lreg_dest());
  if (bit(mod, 1))
    print.write(Space::ConditionCode, UseLaneFlags, 1, lanes);
  else if (bit(mod, 0))
    print.update(Space::ConditionCode, UseLaneFlags, 1, lanes);
  note_flags(print, lanes);
}

void footprint(const Footprint& print, op::SFPSETCC insn) {
  const u32 mod = insn.instr_mod1();
  const u32 active = note_begin(print, insn.lreg_dest()).active;
  if (!bit(mod, 3) && !bit(mod, 0)) note_lreg(print, vc_of(print, insn.lreg_c()), active);
  note_flags(print, active);
}

void footprint(const Footprint& print, op::SFPPUSHC insn) {
  const u32 mod = insn.instr_mod1();
  const u32 size = print.state.sfpu.stack_size;
  if (!note_all_lanes(print, insn.lreg_dest())) return;
  print.note(mod == 0 ? Access::ReadWrite : Access::Read, Space::ConditionCode, StackSize);
  if (mod <= 13) note_condition(print, Access::Read);
  if (mod == 0) return note_entry(print, Access::Write, size);
  if (mod == 13) print.write(Space::ConditionCode, LaneFlags);
  note_entry(print, mod <= 12 ? Access::ReadWrite : Access::Write, size - 1);
}

void footprint(const Footprint& print, op::SFPPOPC insn) {
  const u32 mod = insn.instr_mod1();
  const u32 size = print.state.sfpu.stack_size;
  if (!note_all_lanes(print, insn.lreg_dest())) return;
  if (mod == 13) return note_flags_inverted(print, kAllLanes);
  if (mod > 13) return note_condition(print, Access::Write);
  print.note(mod == 0 ? Access::ReadWrite : Access::Read, Space::ConditionCode, StackSize);
  note_entry(print, mod == 0 ? Access::ReadWrite : Access::Read, size - 1);
  print.write(Space::ConditionCode, UseLaneFlags);
  print.note(mod == 0 ? Access::Write : Access::ReadWrite, Space::ConditionCode, LaneFlags);
}

void footprint(const Footprint& print, op::SFPCOMPC insn) {
  const u32 lanes = note_lanes(print, insn.lreg_dest());
  print.read(Space::ConditionCode, StackSize);
  note_entry(print, Access::Read, print.state.sfpu.stack_size - 1, lanes);
  print.read(Space::ConditionCode, UseLaneFlags, 1, lanes);
  note_flags_inverted(print, lanes);
}

void footprint(const Footprint& print, op::SFPGT insn) {
  note_compare(print, insn);
}
void footprint(const Footprint& print, op::SFPLE insn) {
  note_compare(print, insn);
}

}  // namespace bhemu::tensix
