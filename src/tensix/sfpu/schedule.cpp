#include "tensix/sfpu/schedule.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "tensix/sfpu/notes.hpp"
#include "tensix/sfpu/vector.hpp"
#include "tensix/watch.hpp"

namespace bhemu::tensix {
namespace sfpu {
namespace {

constexpr u32 kMathReset = 10;  // bit of SOFT_RESET_0
constexpr u32 kExtraLReg = 16;  // the LReg that only schedules reach

/// An operand is a field of the word, or it is the destination.
enum class Operand : u8 { Vd, Word };
struct Scheduled {
  SfpuUnit unit = SfpuUnit::Simple;
  u8 latency = 1;
  Operand vb = Operand::Vd;
  Operand vc = Operand::Word;
  u8 vd_bit = 4;
};
constexpr std::array<Scheduled, 256> make_rows() {
  std::array<Scheduled, 256> rows{};
#define PROPERTIES(sources, banks, declared) (Scheduled{})
#define SFPU(sub_unit, latency, vb, vc, vd) \
  (Scheduled{SfpuUnit::sub_unit, latency, Operand::vb, Operand::vc, vd})
#define INSN(name, opcode, unit, properties, fields) rows[opcode] = properties;
#include "tensix/isa.def"
  return rows;
}
constexpr std::array<Scheduled, 256> kRows = make_rows();

constexpr const Scheduled& row_of(u32 word) {
  return kRows[opcode_of(word)];
}

SfpuUnit unit_of(u32 word) {
  return row_of(word).unit;
}

bool is_nop(u32 word) {
  return opcode_of(word) == op::SFPNOP::kOpcode;
}

bool can_execute(SfpuUnit unit, u32 word) {
  if (is_nop(word)) return unit != SfpuUnit::Store;
  return kDecoded[opcode_of(word)].unit == Unit::Sfpu && unit_of(word) == unit;
}

/// Cycles from execution until the result is visible.
u32 latency_of(u32 word) {
  const bool rotation =
      opcode_of(word) == op::SFPSHFT2::kOpcode && bits(word, 0, 4) >= 2 && bits(word, 0, 4) <= 4;
  return rotation ? 2 : row_of(word).latency;
}

void set_operands(SfpuScheduled& entry, u32 sequence, u32 vd) {
  const u32 word = entry.word;
  const Scheduled& row = row_of(word);
  const u32 own_vd = bits(word, row.vd_bit, 4);
  if (entry.unit == SfpuUnit::Store) {
    entry.vd = static_cast<u8>(bit(sequence, 6) ? kExtraLReg : bit(sequence, 7) ? own_vd : vd);
    return;
  }
  const u32 vb = row.vb == Operand::Word ? bits(word, 12, 4) : own_vd;
  const u32 vc = row.vc == Operand::Word ? bits(word, 8, 4) : own_vd;
  entry.vb = static_cast<u8>(bit(sequence, 7) ? vd : vb);
  entry.vc = static_cast<u8>(bit(sequence, 7) ? vc : vd);
  entry.vd = static_cast<u8>(bit(sequence, 6) ? kExtraLReg : vd);
}

/// The schedule forgets what would execute in `unit` together with the new instruction. An older
/// entry has yet to count the present cycle.
void forget(SfpuSchedule& schedule, SfpuUnit unit, u32 delay, u32 lanes) {
  u32 kept = 0;
  for (u32 i = 0; i < schedule.waiting_count; ++i) {
    SfpuScheduled entry = schedule.waiting[i];
    if (entry.unit == unit && entry.fresh == 0 && entry.delay == delay + 1) entry.lanes &= ~lanes;
    if (entry.lanes != 0) schedule.waiting[kept++] = entry;
  }
  for (u32 i = kept; i < schedule.waiting_count; ++i) schedule.waiting[i] = {};
  schedule.waiting_count = kept;
}

/// What the column's configuration wants in `entry.unit`. False: undefined.
bool fill(const SfpuState& sfpu, SfpuScheduled& entry, u32 column, u32 sequence,
          op::SFPLOADMACRO insn) {
  const u32 selector = bits(sequence, 0, 3);
  const u32 macro = insn.lreg_ind() >> 2;
  const u32 vd = bits(insn.dest_reg_addr(), 0, 1) << 2 | (insn.lreg_ind() & 3);
  if (selector == 1) return false;
  entry.word = selector == 2   ? encode<op::SFPNOP>()
               : selector == 3 ? encode<op::SFPSTORE>()
                               : sfpu.macro_instruction[selector - 4][column];
  if (!can_execute(entry.unit, entry.word)) {
    if (entry.unit == SfpuUnit::Store) return false;
    entry.word = encode<op::SFPNOP>();
  }
  set_operands(entry, sequence, vd);
  const u32 misc = sfpu.macro_misc[column];
  if (entry.unit == SfpuUnit::Store) {
    const u32 mod = bit(misc, 4 + macro) ? insn.instr_mod0() : bits(misc, 0, 4);
    entry.word = with_bits(entry.word, 16, 4, mod);
  }
  entry.delay = static_cast<u8>(bits(sequence, 3, 3));
  entry.by_instruction = bit(misc, 8 + static_cast<u32>(entry.unit));
  return true;
}

bool same_but_lanes(SfpuScheduled a, const SfpuScheduled& b) {
  a.lanes = b.lanes;
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

/// One sub-unit's part of a macro. Columns that agree share an entry. False: undefined.
bool schedule_unit(Context& context, SfpuUnit unit, op::SFPLOADMACRO insn, u32 address) {
  SfpuState& sfpu = context.state.sfpu;
  SfpuSchedule& schedule = sfpu.schedule;
  const u32 first = schedule.waiting_count;
  for (u32 column = 0; column < kLaneColumns; ++column) {
    const u32 word = sfpu.macro_sequence[insn.lreg_ind() >> 2][column];
    const u32 sequence = bits(word, 8 * static_cast<u32>(unit), 8);
    if (bits(sequence, 0, 3) == 0) continue;
    SfpuScheduled entry;
    entry.unit = unit;
    entry.lanes = 0x01010101u << column;
    entry.address = static_cast<u16>(address);
    entry.fresh = 1;
    entry.thread = static_cast<u8>(context.thread);
    if (!fill(sfpu, entry, column, sequence, insn)) return false;
    u32 i = first;
    while (i < schedule.waiting_count && !same_but_lanes(schedule.waiting[i], entry)) ++i;
    if (i < schedule.waiting_count)
      schedule.waiting[i].lanes |= entry.lanes;
    else
      schedule.waiting[schedule.waiting_count++] = entry;
  }
  return true;
}

/// Only what is replaced: by the page, a part that schedules nothing forgets too, but the
/// reciprocals of LLK, with such parts of delay 0, need what is due then (ckernel_sfpu_recip.h).
void forget_replaced(SfpuState& sfpu, u32 macro) {
  for (u32 unit = 0; unit < 4; ++unit) {
    for (u32 column = 0; column < kLaneColumns; ++column) {
      const u32 sequence = bits(sfpu.macro_sequence[macro][column], 8 * unit, 8);
      if (bits(sequence, 0, 3) == 0) continue;
      const u32 delay = bits(sequence, 3, 3);
      forget(sfpu.schedule, static_cast<SfpuUnit>(unit), delay, 0x01010101u << column);
    }
  }
}

/// Any waiting instruction counts instructions: then nothing advances without one.
bool counts_instructions(const SfpuSchedule& schedule) {
  for (u32 i = 0; i < schedule.waiting_count; ++i) {
    if (schedule.waiting[i].by_instruction != 0) return true;
  }
  return false;
}

using Due = std::array<SfpuScheduled, kLaneColumns * 4>;

/// Takes what is due out of the schedule, by sub-unit: store, multiply-add, round, simple.
u32 take_due(SfpuSchedule& schedule, Due& due) {
  u32 count = 0;
  for (const SfpuUnit unit : {SfpuUnit::Store, SfpuUnit::Mad, SfpuUnit::Round, SfpuUnit::Simple}) {
    u32 kept = 0;
    for (u32 i = 0; i < schedule.waiting_count; ++i) {
      const SfpuScheduled entry = schedule.waiting[i];
      if (entry.unit == unit && entry.delay == 0 && entry.fresh == 0)
        due[count++] = entry;
      else
        schedule.waiting[kept++] = entry;
    }
    for (u32 i = kept; i < schedule.waiting_count; ++i) schedule.waiting[i] = {};
    schedule.waiting_count = kept;
  }
  return count;
}

/// What SFPLOADMACRO.md demands of instructions that meet in a cycle. False: reported, the thread
/// stops. The page wants a SFPNOP in the multiply-add unit beside SFPSWAP; LLK's reciprocal and
/// exponential leave that unit idle there (ckernel_sfpu_recip.h,
/// _calculate_reciprocal_fast_24b_5c_).
bool pairing_holds(Context& context, const Due& due, u32 count, bool after_swap) {
  u32 mad_lanes = 0, swap_lanes = 0, wrong = 0, busy_after_swap = 0;
  for (u32 i = 0; i < count; ++i) {
    const SfpuScheduled& entry = due[i];
    if (entry.unit == SfpuUnit::Mad && !is_nop(entry.word)) mad_lanes |= entry.lanes;
    if (opcode_of(entry.word) == op::SFPSWAP::kOpcode) swap_lanes |= entry.lanes;
    const bool either = entry.unit == SfpuUnit::Simple || entry.unit == SfpuUnit::Round;
    if (after_swap && either && !is_nop(entry.word)) busy_after_swap |= entry.lanes;
    if (entry.unit != SfpuUnit::Round) continue;
    for (u32 j = 0; j < count; ++j) {
      if (due[j].unit == SfpuUnit::Simple && (due[j].vd == kExtraLReg) == (entry.vd == kExtraLReg))
        wrong |= due[j].lanes & entry.lanes;
    }
  }
  const char* what = wrong != 0 ? "simple and round meet, and not exactly one writes LReg 16"
                     : (swap_lanes & mad_lanes) != 0 ? "SFPSWAP beside a busy multiply-add sub-unit"
                     : busy_after_swap != 0 ? "simple or round busy in the cycle after SFPSWAP"
                                            : nullptr;
  return what == nullptr || !context.raise(Rule::SfpuMacroPairing, what);
}

/// What the store slot has written reaches Dst later: taken back, and put among the rows to come.
void put_off_store(const Context& context, const Dst& before, u32 cycles) {
  Late& late = context.state.late;
  Dst& dst = context.state.fpu.dst;
  const Cycle at = context.now + cycles;
  for (u32 row = 0; row < kDstRows && late.rows < Late::kRows; ++row) {
    LateRow one;
    one.row = static_cast<u16>(row);
    one.at = at;
    for (u32 column = 0; column < one.value.size(); ++column) {
      one.value[column] = dst.row[row].datum[column];
      if (dst.row[row].datum[column] != before.row[row].datum[column])
        one.columns |= static_cast<u16>(1u << column);
    }
    if (one.columns == 0) continue;
    dst.row[row] = before.row[row];
    late.row[late.rows++] = one;
  }
  context.busy(BusyUnit::Sfpu, cycles + 1);
}

void execute_entry(Context& context) {
  SfpuState& sfpu = context.state.sfpu;
  const SfpuScheduled& entry = *context.scheduled;
  sfpu.schedule.taken |= 1u << static_cast<u32>(entry.unit);
  context.busy(BusyUnit::Sfpu, latency_of(entry.word));
  if (context.env.wakeup != nullptr) context.env.wakeup->touch(thread_of(context.thread));
  const SfpuCondition before = sfpu.condition;
  Watch* const watch = context.env.watch;
  if (watch != nullptr) [[unlikely]]
    watch->before_scheduled(context);
  u32 late = 0;
  if (context.env.delays != nullptr && entry.unit == SfpuUnit::Store && !is_nop(entry.word))
    late = context.env.delays->draw(DelayKind::MacroStore, agent_of_thread(context.thread),
                                    entry.word, context.now);
  const auto dst = late == 0 ? nullptr : std::make_unique<Dst>(context.state.fpu.dst);
  kDecoded[opcode_of(entry.word)].execute(context);
  if (dst != nullptr) put_off_store(context, *dst, late);
  if (watch != nullptr) [[unlikely]]
    watch->after_scheduled(context, context.now + latency_of(entry.word));
  const SfpuCondition after = sfpu.condition;
  sfpu.condition = before;
  if (after.use_lane_flags == before.use_lane_flags && after.lane_flags == before.lane_flags)
    return;
  SfpuSchedule& schedule = sfpu.schedule;
  const SfpuCondition base = schedule.condition_pending != 0 ? schedule.condition : before;
  const u32 lanes = entry.lanes;
  schedule.condition = {(base.use_lane_flags & ~lanes) | (after.use_lane_flags & lanes),
                        (base.lane_flags & ~lanes) | (after.lane_flags & lanes)};
  schedule.condition_pending = 1;
}

void commit(SfpuState& sfpu) {
  SfpuSchedule& schedule = sfpu.schedule;
  if (schedule.condition_pending != 0) sfpu.condition = schedule.condition;
  schedule.condition_pending = 0;
  schedule.condition = {};
  u32 kept = 0;
  for (u32 i = 0; i < schedule.writeback_count; ++i) {
    SfpuWriteback& result = schedule.writeback[i];
    if (--result.cycles == 0)
      numeric::blend(sfpu.lreg[result.vd], result.value, result.mask);
    else
      schedule.writeback[kept++] = result;
  }
  for (u32 i = kept; i < schedule.writeback_count; ++i) schedule.writeback[i] = {};
  schedule.writeback_count = kept;
}

}  // namespace

void write_back(Context& context, u32 vd, const Lanes& value, u32 mask) {
  SfpuSchedule& schedule = context.state.sfpu.schedule;
  mask &= context.scheduled->lanes;
  if (mask == 0) return;
  const u32 cycles = latency_of(context.scheduled->word);
  u32 i = 0;
  while (i < schedule.writeback_count &&
         (schedule.writeback[i].vd != vd || schedule.writeback[i].cycles != cycles))
    ++i;
  if (i == schedule.writeback_count) ++schedule.writeback_count;
  SfpuWriteback& result = schedule.writeback[i];
  result.vd = vd;
  result.cycles = cycles;
  numeric::blend(result.value, value, mask);
  result.mask |= mask;
}

bool schedule_advances(const State& state) {
  return schedule_in_use(state) && !bit(state.soft_reset, kMathReset) &&
         !counts_instructions(state.sfpu.schedule);
}

namespace {

void execute_due(State& state, const Environment& env, Cycle now) {
  SfpuSchedule& schedule = state.sfpu.schedule;
  Due due;
  const u32 count = take_due(schedule, due);
  const bool after_swap = schedule.idle_next != 0;
  schedule.idle_next = 0;
  if (count == 0) return;
  Context first{state, env, due[0].thread, now, due[0].word};
  if (!pairing_holds(first, due, count, after_swap)) return;
  for (u32 i = 0; i < count; ++i) {
    if (opcode_of(due[i].word) == op::SFPSWAP::kOpcode) schedule.idle_next = 1;
    Context context{state, env, due[i].thread, now, due[i].word, &due[i]};
    execute_entry(context);
  }
}

}  // namespace

void begin_cycle(State& state, const Environment& env, Cycle now) {
  if (bit(state.soft_reset, kMathReset) || counts_instructions(state.sfpu.schedule)) return;
  execute_due(state, env, now);
}

void before_issue(State& state, const Environment& env, Cycle now) {
  if (counts_instructions(state.sfpu.schedule)) execute_due(state, env, now);
}

void end_cycle(State& state, Cycle now, bool issued) {
  if (bit(state.soft_reset, kMathReset)) return;
  SfpuSchedule& schedule = state.sfpu.schedule;
  if (!issued && schedule.taken == 0 && counts_instructions(schedule)) return;
  schedule.taken = 0;
  commit(state.sfpu);
  const bool held = counts_instructions(schedule);
  for (u32 i = 0; i < schedule.waiting_count; ++i) {
    SfpuScheduled& entry = schedule.waiting[i];
    if (entry.fresh != 0)
      entry.fresh = 0;
    else
      --entry.delay;
    if (held) continue;
    // Executes in cycle now + 1 + delay.
    Cycle& until = state.busy_until[entry.thread][static_cast<unsigned>(BusyUnit::Sfpu)];
    until = std::max(until, now + 2 + entry.delay);
    state.quiet_from[entry.thread] = std::max(state.quiet_from[entry.thread], until);
  }
}

bool is_discarded(Context& context) {
  const u32 unit = static_cast<u32>(unit_of(context.word));
  if (!bit(context.state.sfpu.schedule.taken, unit)) return false;
  context.raise(Rule::SfpuMacroDiscard, fmt::format("{} is lost", info_of_word(context.word).name));
  return true;
}

}  // namespace sfpu

Completion execute(Context& context, op::SFPLOADMACRO insn) {
  using namespace sfpu;
  const u32 immediate = insn.dest_reg_addr();
  const u32 vd = bits(immediate, 0, 1) << 2 | (insn.lreg_ind() & 3);
  const u32 address =
      load_from_dst(context, {vd, insn.instr_mod0(), immediate, insn.sfpu_addr_mode()});
  if (context.state.frontend[context.thread].stopped) return Completion::Done;
  forget_replaced(context.state.sfpu, insn.lreg_ind() >> 2);
  for (const SfpuUnit unit : {SfpuUnit::Simple, SfpuUnit::Mad, SfpuUnit::Round, SfpuUnit::Store}) {
    if (!schedule_unit(context, unit, insn, address))
      return undefined(context, "SFPLOADMACRO, sub-unit", static_cast<u32>(unit));
  }
  return Completion::Done;
}

// --- Footprints.

/// The load; what it schedules is offered when it executes.
void footprint(const Footprint& print, op::SFPLOADMACRO insn) {
  const SfpuState& sfpu = print.state.sfpu;
  const u32 immediate = insn.dest_reg_addr();
  const u32 macro = insn.lreg_ind() >> 2;
  const u32 vd = bits(immediate, 0, 1) << 2 | (insn.lreg_ind() & 3);
  sfpu::note_load_from_dst(print, {vd, insn.instr_mod0(), immediate, insn.sfpu_addr_mode()});
  print.read(Space::SfpuConfig, 4 + macro, 1, 0xFF);
  print.read(Space::SfpuConfig, 8, 1, 0xFF);
  for (u32 column = 0; column < kLaneColumns; ++column) {
    for (u32 unit = 0; unit < 4; ++unit) {
      const u32 selector = bits(sfpu.macro_sequence[macro][column], 8 * unit, 3);
      if (selector >= 4) print.read(Space::SfpuConfig, selector - 4, 1, 1u << column);
    }
  }
  print.update(Space::SfpuSchedule, 0);
}

}  // namespace bhemu::tensix
