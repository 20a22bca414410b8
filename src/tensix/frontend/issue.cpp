#include "tensix/frontend/issue.hpp"

namespace bhemu::tensix::frontend {

Cycle open_window(const Context& context, const Decoded& decoded, BusyUnit unit) {
  State& state = context.state;
  const Duration& duration = context.env.timing->duration[opcode_of(context.word)];
  const Cycle free_at = context.now + duration.occupancy_of(context.moved);
  // An effect may have to wait for the unit's earlier ones: so long the instruction is at work.
  const Cycle end = std::max(context.now + duration.latency_of(context.moved), context.last_effect);
  context.busy(unit, end - context.now);
  if (decoded.accept != 0) {
    Cycle& taken_until = state.taken_until[static_cast<unsigned>(unit)];
    taken_until = std::max(taken_until, free_at);
  }
  if (duration.holds_thread) state.held_until[context.thread] = free_at;
  return end;
}

}  // namespace bhemu::tensix::frontend
