// SFPMOV, SFPCONFIG, SFPNOP, and the moves across lanes: SFPSWAP, SFPTRANSP, SFPSHFT2.
//
// Documents: tt-isa-documentation BlackholeA0, the page of each instruction.
#include <fmt/format.h>

#include "numeric/sfpu_float.hpp"
#include "numeric/sfpu_kernels.hpp"
#include "tensix/data_paths.hpp"
#include "tensix/prng.hpp"
#include "tensix/sfpu/notes.hpp"
#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix {

namespace sfpu {

Completion undefined(Context& context, const char* name, u32 mod) {
  context.raise(Rule::TensixUndefined, fmt::format("{} with Mod {}", name, mod));
  return Completion::Done;
}

}  // namespace sfpu

namespace {

using namespace sfpu;

Lanes broadcast_columns(const std::array<u32, kLaneColumns>& columns) {
  Lanes result;
  for (u32 i = 0; i < kLanes; ++i) result[i] = columns[i % kLaneColumns];
  return result;
}

/// SFPMOV with bit 3: configuration and random numbers, by VC.
Lanes special_source(SfpuState& sfpu, u32 vc, u32 active) {
  if (vc < 4) return broadcast_columns(sfpu.macro_instruction[vc]);
  if (vc < 8) return broadcast_columns(sfpu.macro_sequence[vc - 4]);
  switch (vc) {
    case 8:
      return broadcast_columns(sfpu.macro_misc);
    case 9: {
      Lanes result;
      result.lane = sfpu.prng;
      for (u32 i = 0; i < kLanes; ++i)
        if (bit(active, i)) sfpu.prng[i] = step_generator(sfpu.prng[i]);
      return result;
    }
    case 15:
      return broadcast_columns(sfpu.lane_config);
    default:
      return Lanes{};
  }
}

u32 equal_and_negative(const Lanes& c, const Lanes& d) {
  const Lanes same = numeric::map(c, d, [](u32 x, u32 y) { return x == y ? x : 0u; });
  return numeric::mask_where(same, [](u32 v) { return (v >> 31) != 0; });
}

/// Set, or, and, xor: bits 2:1 of SFPCONFIG's Mod1.
u32 combine(u32 how, u32 old, u32 value) {
  switch (how) {
    case 0:
      return value;
    case 1:
      return old | value;
    case 2:
      return old & value;
    default:
      return old ^ value;
  }
}

/// The immediate can only stand for these constants of LReg 11 to 14, which are those after reset.
/// SFPCONFIG.md and SoftReset.md have 1/65536 in LReg 12; ttsim's author says that it is 1/512
/// (tt-isa-documentation issue 42).
u32 default_constant(u32 vd) {
  constexpr u32 kConstants[4] = {0xBF800000, 0x3B000000, 0xBF2CC4C7, 0xBEB08FF9};
  return kConstants[vd - 11];
}

void configure_column(SfpuState& sfpu, u32 column, u32 vd, u32 mod, u32 immediate) {
  const bool by_immediate = bit(mod, 0);
  const u32 from_register = sfpu.lreg[0][column];
  const u32 value = by_immediate ? immediate : from_register;
  const u32 how = (mod >> 1) & 3;
  if (vd < 4) {
    sfpu.macro_instruction[vd][column] = from_register;  // whatever bit 0 says
  } else if (vd < 8) {
    sfpu.macro_sequence[vd - 4][column] = value;
  } else if (vd == 8) {
    sfpu.macro_misc[column] = combine(how, sfpu.macro_misc[column], value) & 0xFFF;
  } else if (vd >= 11 && vd <= 14) {
    const u32 constant = by_immediate ? default_constant(vd) : from_register;
    for (u32 lane = column; lane < kLanes; lane += kLaneColumns) sfpu.lreg[vd][lane] = constant;
  } else if (vd == 15) {
    const u32 old = sfpu.lane_config[column];
    u32 result = combine(how, old, value) & lane_config::kMask;
    if (by_immediate) result |= old & 0x30000;
    sfpu.lane_config[column] = result;
  }
}

/// Lanes that ROW_MASK disables: bit r of a column's mask is its lane in row r.
u32 masked_lanes(const SfpuState& sfpu) {
  u32 mask = 0;
  for (u32 row = 0; row < 4; ++row)
    mask |= lanes_with(sfpu, lane_config::kRowMask + row) & (0xFFu << (8 * row));
  return mask;
}

}  // namespace

namespace sfpu {

void follow_lane_config(SfpuState& sfpu) {
  for (u32 i = 0; i < sfpu.lanes_with.size(); ++i) {
    u32 columns = 0;
    for (u32 column = 0; column < kLaneColumns; ++column)
      columns |= static_cast<u32>(bit(sfpu.lane_config[column], i)) << column;
    sfpu.lanes_with[i] = columns * 0x01010101u;
  }
  sfpu.masked_lanes = masked_lanes(sfpu);
}

}  // namespace sfpu

/// SFPMOV's mode "all lanes". Bit 2 is reserved and left out of account by the hardware.
constexpr bool is_for_all_lanes(u32 mod) {
  return (mod & ~4u) == 2;
}

Completion execute(Context& context, op::SFPMOV insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 vd = vd_of(context, insn.lreg_dest());
  const u32 vc = vc_of(context, insn.lreg_c());
  const u32 mod = insn.instr_mod1();
  const Execution execution = begin(context, vd);
  if (bit(mod, 3)) {
    write_lreg(context, vd, special_source(sfpu, vc, execution.active), execution.active);
    return Completion::Done;
  }
  const u32 flip = bit(mod, 0) ? numeric::kFp32Sign : 0;
  write_lreg(context, vd, numeric::map(lreg(context, vc), [=](u32 c) { return c ^ flip; }),
             is_for_all_lanes(mod) ? execution.lanes : execution.active);
  return Completion::Done;
}

Completion execute(Context& context, op::SFPCONFIG insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 mod = insn.instr_mod1();
  const u32 immediate = insn.imm16_math();
  const u32 enabled = ~sfpu.condition.use_lane_flags | sfpu.condition.lane_flags;
  const u32 lanes = context.scheduled != nullptr ? context.scheduled->lanes : kAllLanes;
  const u32 target = vd_of(context, insn.config_dest());
  for (u32 column = 0; column < kLaneColumns; ++column) {
    if (bit(mod, 3) && !bit(immediate, 2 * column)) continue;
    if (!bit(enabled & lanes, column)) continue;
    configure_column(sfpu, column, target, mod, immediate);
  }
  follow_lane_config(sfpu);
  if (context.env.paths != nullptr) context.env.paths->distrust();
  return Completion::Done;
}

Completion execute(Context& context, op::SFPNOP) {
  begin(context, bits(context.word, 4, 4));
  return Completion::Done;
}

Completion execute(Context& context, op::SFPSWAP insn) {
  // Lanes in which VD gets the minimum; modes of 9 and more: in none.
  constexpr u32 kMinimumInVd[16] = {0,          0xFFFFFFFF, 0x0000FFFF, 0x00FF00FF, 0xFF0000FF,
                                    0x000000FF, 0x0000FF00, 0x00FF0000, 0xFF000000};
  SfpuState& sfpu = context.state.sfpu;
  const u32 mod = insn.instr_mod1();
  const u32 vc = vc_of(context, insn.lreg_src_c());
  const u32 vd = vd_of(context, insn.lreg_dest());
  const Execution execution = begin(context, vd);
  const Lanes c = lreg(context, vc);
  // In a macro, the other operand is VB and VD only says where it goes. LLK's exponential clamps
  // so: VB is a constant, VC and VD both the loaded register, which has to end as the maximum
  // (tt-llk, ckernel_sfpu_exp.h, _init_exponential_): what VC gets is written last.
  const Lanes d = lreg(context, vb_of(context, vd));
  u32 swap = kAllLanes;
  if (mod != 0) {
    // Where VD gets the minimum, equal operands stay, and they swap where it gets the maximum. The
    // chip's comparator takes a negative number for smaller than itself, so that it is the other
    // way round there (measured: boopdotpng/blackhole-py tests/movement/sfpu/test_minmax.py).
    const u32 smaller = numeric::sfpu_smaller_lanes(c, d) | equal_and_negative(c, d);
    swap = ~(smaller ^ kMinimumInVd[mod]);
    swap ^= lanes_with(sfpu, lane_config::kExchangeSrcbSrcc);
  }
  swap &= execution.active;
  const u32 with_index = swap & lanes_with(sfpu, lane_config::kEnableDestIndex);
  const u32 plain = swap & ~with_index;
  if (vd < 8) set_lreg(context, vd, c, vd < 4 ? swap : plain);
  if (vc < 8) set_lreg(context, vc, d, vc < 4 ? swap : plain);
  if (with_index != 0) {
    const Lanes index_c = sfpu.lreg[4 + (vc & 3)];
    const Lanes index_d = sfpu.lreg[4 + (vd & 3)];
    set_lreg(context, 4 + (vc & 3), index_d, with_index);
    set_lreg(context, 4 + (vd & 3), index_c, with_index);
  }
  return Completion::Done;
}

Completion execute(Context& context, op::SFPTRANSP insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 active = begin(context, vd_of(context, insn.lreg_dest())).active;
  const std::array<LReg, kLRegs> old = sfpu.lreg;
  for (u32 i = 0; i < 8; ++i) {
    const u32 base = i & 4;
    Lanes value;
    for (u32 lane = 0; lane < kLanes; ++lane)
      value[lane] = old[base + lane / 8][8 * (i & 3) + lane % 8];
    set_lreg(context, i, value, active);
  }
  return Completion::Done;
}

namespace {

/// Within each group of eight lanes one to the right; lane 0 of a group takes lane 7 or 0.
Lanes rotate_groups(const Lanes& c, bool fill_with_zero) {
  Lanes result;
  for (u32 i = 0; i < kLanes; ++i)
    result[i] = i % 8 != 0 ? c[i - 1] : fill_with_zero ? 0 : c[i + 7];
  return result;
}

/// L0 := L1, L1 := L2, L2 := L3, L3 := `last`.
void copy_4(Context& context, const Lanes& last, u32 active) {
  for (u32 i = 0; i < 3; ++i) set_lreg(context, i, lreg(context, i + 1), active);
  set_lreg(context, 3, last, active);
}

Lanes shift_logical(const Lanes& x, const Lanes& amounts) {
  return numeric::map(x, amounts, [](u32 v, u32 n) {
    return (n >> 31) == 0 ? v << (n & 31) : v >> ((0u - n) & 31);
  });
}

}  // namespace

Completion execute(Context& context, op::SFPSHFT2 insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 vd = vd_of(context, insn.lreg_dest());
  const u32 immediate = insn.imm12_math();
  if (insn.instr_mod1() > 6) return undefined(context, "SFPSHFT2", insn.instr_mod1());
  const u32 active = begin(context, vd).active;
  const Lanes c = lreg(context, vc_of(context, insn.lreg_src_c()));
  const Lanes& b = lreg(context, vb_of(context, immediate & 15));
  switch (insn.instr_mod1()) {
    case 0:  // COPY4
      copy_4(context, Lanes{}, active);
      break;
    case 1: {  // SUBVEC_CHAINED_COPY4
      Lanes last;
      for (u32 i = 0; i + 8 < kLanes; ++i) last[i] = sfpu.lreg[0][i + 8];
      copy_4(context, last, active);
      break;
    }
    case 2:  // SUBVEC_SHFLROR1_AND_COPY4
      copy_4(context, rotate_groups(c, false), active);
      break;
    case 3:  // SUBVEC_SHFLROR1
      write_lreg(context, vd, rotate_groups(c, false), active);
      break;
    case 4:  // SUBVEC_SHFLSHR1
      write_lreg(context, vd, rotate_groups(c, true), active);
      break;
    case 5:  // SHFT_LREG
      write_lreg(context, vd, shift_logical(b, c), active);
      break;
    default:  // SHFT_IMM: VB shares the low bits of the amount
      write_lreg(context, vd,
                 shift_logical(b, numeric::splat(static_cast<u32>(sign_extend(immediate, 12)))),
                 active);
      break;
  }
  return Completion::Done;
}

// --- Footprints.

namespace {

/// As `special_source`.
void note_special_source(const Footprint& print, u32 vc, u32 active) {
  if (vc <= 8 || vc == 15)
    print.read(Space::SfpuConfig, vc, 1, 0xFF);
  else if (vc == 9)
    print.update(Space::Random, 0, 1, active);
}

/// A column of SFPCONFIG. What it combines with the old value it reads, too.
void note_column(const Footprint& print, u32 column, u32 vd, u32 mod) {
  const bool by_immediate = bit(mod, 0);
  if (vd == 9 || vd == 10) return;
  if (!by_immediate || vd < 4) note_lreg(print, 0, 1u << column);
  if (vd >= 11 && vd <= 14) return print.write(Space::LReg, vd, 1, 0x01010101u << column);
  const bool combines = (vd == 8 || vd == 15) && ((mod >> 1 & 3) != 0);
  const bool keeps = vd == 15 && by_immediate;
  print.note(combines || keeps ? Access::ReadWrite : Access::Write, Space::SfpuConfig, vd, 1,
             1u << column);
}

}  // namespace

void footprint(const Footprint& print, op::SFPMOV insn) {
  const u32 vd = vd_of(print, insn.lreg_dest());
  const u32 vc = vc_of(print, insn.lreg_c());
  const u32 mod = insn.instr_mod1();
  const bool everywhere = is_for_all_lanes(mod);
  const u32 lanes = everywhere ? note_lanes(print, vd) : note_begin(print, vd).active;
  if (bit(mod, 3))
    note_special_source(print, vc, lanes);
  else
    note_lreg(print, vc, lanes);
  note_result(print, vd, lanes);
}

void footprint(const Footprint& print, op::SFPCONFIG insn) {
  const SfpuCondition& condition = print.state.sfpu.condition;
  const u32 mod = insn.instr_mod1();
  const u32 enabled = ~condition.use_lane_flags | condition.lane_flags;
  const u32 lanes = print.scheduled != nullptr ? print.scheduled->lanes : kAllLanes;
  print.read(Space::ConditionCode, footprint_cell::UseLaneFlags, 1, 0xFF);
  print.read(Space::ConditionCode, footprint_cell::LaneFlags, 1, 0xFF);
  for (u32 column = 0; column < kLaneColumns; ++column) {
    if (bit(mod, 3) && !bit(insn.imm16_math(), 2 * column)) continue;
    if (bit(enabled & lanes, column))
      note_column(print, column, vd_of(print, insn.config_dest()), mod);
  }
}

void footprint(const Footprint& print, op::SFPNOP) {
  note_lanes(print, bits(print.word, 4, 4));
}

/// Which of the enabled lanes swap is data: all are named.
void footprint(const Footprint& print, op::SFPSWAP insn) {
  const u32 vc = vc_of(print, insn.lreg_src_c());
  const u32 vd = vd_of(print, insn.lreg_dest());
  const u32 active = note_begin(print, vd).active;
  note_lreg(print, vc, active);
  note_lreg(print, vb_of(print, vd), active);
  const u32 with_index = active & lanes_with(print.state.sfpu, lane_config::kEnableDestIndex);
  if (vd < 8) print.write(Space::LReg, vd, 1, vd < 4 ? active : active & ~with_index);
  if (vc < 8) print.write(Space::LReg, vc, 1, vc < 4 ? active : active & ~with_index);
  print.update(Space::LReg, 4 + (vc & 3), 1, with_index);
  print.update(Space::LReg, 4 + (vd & 3), 1, with_index);
}

void footprint(const Footprint& print, op::SFPTRANSP insn) {
  const u32 active = note_begin(print, vd_of(print, insn.lreg_dest())).active;
  if (active == 0) return;
  print.read(Space::LReg, 0, 8);
  print.write(Space::LReg, 0, 8, active);
}

namespace {
void note_copy_4(const Footprint& print, u32 active) {
  print.read(Space::LReg, 1, 3, active);
  print.write(Space::LReg, 0, 4, active);
}
}  // namespace

void footprint(const Footprint& print, op::SFPSHFT2 insn) {
  const u32 vd = vd_of(print, insn.lreg_dest());
  const u32 mod = insn.instr_mod1();
  if (mod > 6) return;
  const u32 active = note_begin(print, vd).active;
  const u32 vc = vc_of(print, insn.lreg_src_c());
  const u32 vb = vb_of(print, insn.imm12_math() & 15);
  if (mod <= 2) note_copy_4(print, active);
  if (mod == 1) print.read(Space::LReg, 0);
  if (mod >= 2 && mod <= 4) note_lreg(print, vc, kAllLanes);
  if (mod == 5) note_lreg(print, vc, active);
  if (mod >= 5) note_lreg(print, vb, active);
  if (mod >= 3) note_result(print, vd, active);
}

}  // namespace bhemu::tensix
