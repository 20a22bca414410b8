#include "tensix/frontend/issue.hpp"

#include "base/delays.hpp"

namespace bhemu::tensix::frontend {

namespace {

constexpr u32 bit_of(Unit unit) {
  return 1u << static_cast<unsigned>(unit);
}

/// By how much more the unit works: rows of timing.def have the limit.
Cycle stretch_of(const Context& context, const Decoded& decoded) {
  constexpr u32 kVaries = bit_of(Unit::Unpack) | bit_of(Unit::Pack) | bit_of(Unit::Xmov) |
                          bit_of(Unit::Thcon) | bit_of(Unit::Cfg);
  if ((decoded.unit_mask() & kVaries) == 0) return 0;
  const TimingRow& row = kTimingRows[opcode_of(context.word)];
  const u32 per_kib = u32{row.per_kib.maximum} - row.per_kib.typical;
  const u32 most = u32{row.latency.maximum} - row.latency.typical +
                   static_cast<u32>((u64{context.moved} * per_kib + 1023) / 1024);
  return context.env.delays->draw(DelayKind::Window, agent_of_thread(context.thread), context.word,
                                  context.now, most, most);
}

}  // namespace

void leave_banks_visible(const Context& context, const SourceBanks& before) {
  const FpuState& fpu = context.state.fpu;
  const std::array<u8, 2> bank{fpu.src_a.matrix_bank, fpu.src_b.matrix_bank};
  for (unsigned file = 0; file < bank.size(); ++file) {
    if (bank[file] == before.bank[file] || !before.readable[file]) continue;
    const u32 cycles = context.env.delays->draw(DelayKind::Bank, agent_of_thread(context.thread),
                                                context.word, context.now);
    // A wait for the unit's end sees the new owner: the delay does not outlast the instruction.
    const Cycle done = context.now + context.env.timing->duration[opcode_of(context.word)].latency;
    if (cycles != 0) context.state.late.bank_until[file] = std::min(context.now + 1 + cycles, done);
  }
}

Cycle open_window(const Context& context, const Decoded& decoded, BusyUnit unit) {
  State& state = context.state;
  const Duration& duration = context.env.timing->duration[opcode_of(context.word)];
  const Cycle stretch = context.env.delays == nullptr ? 0 : stretch_of(context, decoded);
  const TimingRow& row = kTimingRows[opcode_of(context.word)];
  const bool keeps_others = row.occupancy.maximum > row.occupancy.typical || context.moved != 0;
  const Cycle free_at =
      context.now + duration.occupancy_of(context.moved) + (keeps_others ? stretch : 0);
  // An effect may have to wait for the unit's earlier ones: so long the instruction is at work.
  const Cycle end =
      std::max(context.now + duration.latency_of(context.moved) + stretch, context.last_effect);
  context.busy(unit, end - context.now);
  if (decoded.accept != 0) {
    Cycle& taken_until = state.taken_until[static_cast<unsigned>(unit)];
    taken_until = std::max(taken_until, free_at);
  }
  if (context.pieces != nullptr) {
    launch(context, *context.pieces, end);
    // The unit has one place for what is under way.
    Cycle& taken_until = state.taken_until[static_cast<unsigned>(unit)];
    if (context.pieces->count != 0)
      taken_until = std::max(taken_until, context.pieces->begin + context.pieces->span);
  }
  if (duration.holds_thread) state.held_until[context.thread] = free_at;
  return end;
}

}  // namespace bhemu::tensix::frontend
