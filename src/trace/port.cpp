#include "trace/port.hpp"

namespace bhemu::trace {

void Port::add(Cycle cycle, Agent agent, Agent subject, Detail detail) {
  if (!covers(cycle) || !wants(what_of(detail), subject)) return;
  events_.push_back({cycle, node_, agent, std::move(detail)});
}

void Port::insert(std::size_t at, Cycle cycle, Agent agent, Detail detail) {
  events_.insert(events_.begin() + static_cast<std::ptrdiff_t>(at),
                 Event{cycle, node_, agent, std::move(detail)});
}

void Port::retired(std::size_t mark, unsigned core, Cycle cycle, const Retired& retired) {
  const Agent agent = this->agent(core);
  // Before the first cycle nothing is remembered either: whether a core was run or parked until
  // then must not show.
  if (!covers(cycle) || !wants(What::Riscv, agent)) return;
  const Cycle ended_at = repeats_[core].now();
  const Repeats::Verdict verdict = repeats_[core].next(retired, cycle);
  if (!verdict.left_out) insert(mark, cycle, agent, retired);
  if (verdict.ended) insert(mark, ended_at, agent, *verdict.ended);
}

void Port::executed(std::size_t mark, unsigned thread, Cycle cycle, const Executed& executed) {
  const Agent agent = agent_of_thread(thread);
  if (covers(cycle) && wants(What::Tensix, agent)) insert(mark, cycle, agent, executed);
}

void Port::end_repeats(unsigned core) {
  const Cycle now = repeats_[core].now();
  if (const auto ended = repeats_[core].end()) insert(events_.size(), now, agent(core), *ended);
}

void Port::end_stall(std::size_t mark, unsigned index, Cycle cycle, u32 at) {
  Stall& stall = stalls_[index];
  if (!stall.open) return;
  stall.open = false;
  const Agent agent = index < kCores ? this->agent(index) : agent_of_thread(index - kCores);
  if (!covers(cycle) || !wants(What::Stall, agent)) return;
  const bool known = stall.begin >= from();
  insert(mark, cycle, agent, StallEnd{at, known ? stall.begin : kNever});
}

void Port::forget() {
  repeats_ = {};
  stalls_ = {};
  faults_seen_ = 0;
}

}  // namespace bhemu::trace
