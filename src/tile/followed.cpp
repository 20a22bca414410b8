// The followed schedule, for a trace or an observer: a followed core executes the same instructions
// one by one, and goes to sleep and wakes as it would without. What is told is in follower.hpp.
#include <algorithm>

#include "base/bits.hpp"
#include "tile/bus.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {

void Tile::set_observer(trace::Observer* observer) {
  Node::set_observer(observer);
  if (observer == nullptr && data_caches_ != nullptr) data_caches_->clear();
  follower_.observer_changed();
  if (coprocessor_ != nullptr) coprocessor_->set_observer(observer);
  for (auto& niu : nius_) niu->set_observer(observer);
  const bool all = observer != nullptr && observer->wants_l1_writes();
  if (all == ((l1_.flags_at(0) & L1::kObserved) != 0)) return;
  if (all)
    l1_.set_flag(L1::kObserved);
  else
    l1_.clear_flag(L1::kObserved);
}

/// One instruction.
riscv::Outcome Tile::step_followed(unsigned core) {
  if (late_ != nullptr && !follower_.follows(core)) return execute_late(core);
  const Cycle until = cores_[core].cycle + 1;
  DataCaches::Stale stale(l1_);
  follower_.begin(core, stale);
  const riscv::Outcome outcome = late_ != nullptr         ? execute_late(core)
                                 : slots_[core].recording ? execute_recorded(core, until)
                                                          : execute(core, until);
  follower_.end(core, outcome);
  if (outcome == riscv::Outcome::Blocked && follower_.wants_wait(core))
    follower_.blocked(core, waiting(shape_.core[core]));
  return outcome;
}

/// What run_core would do without being followed, and no less between two looks at the schedule:
/// when a core is found to repeat itself decides when a hang is noticed.
riscv::Outcome Tile::run_followed(unsigned core) {
  riscv::Outcome outcome;
  if (slots_[core].recording) {
    outcome = step_followed(core);
    recording_buses_[core]->attention = false;
    check_recording(core);
  } else {
    outcome = follow(core, turn_end_, false);
    buses_[core]->attention = false;
  }
  return outcome;
}

/// Executes instructions up to `end` so that who follows the core is told of what he wants to hear
/// of. `is_round`: it is a round that has no effect, in which the core stops nowhere.
riscv::Outcome Tile::follow(unsigned core, Cycle end, bool is_round) {
  const riscv::CoreState& state = cores_[core];
  const bool tells_all = late_ != nullptr || follower_.tells_all(core);
  riscv::Outcome outcome = riscv::Outcome::Ok;
  u32 told = Follower::Untold::kNowhere;
  do {
    if (!is_round && stops_before_step(core)) break;
    if (!tells_all && state.pc != told) {
      const Follower::Untold untold = follower_.untold_until(core, end);
      told = untold.told;
      if (untold.until != state.cycle) {
        outcome = execute(core, untold.until);
        follower_.ran();
        continue;
      }
    }
    told = Follower::Untold::kNowhere;
    outcome = step_followed(core);
  } while (outcome == riscv::Outcome::Ok && (is_round || !buses_[core]->attention) &&
           state.cycle < end);
  return outcome;
}

void Tile::run_coprocessor_followed(Cycle begin) {
  trace::Port* port = follower_.port_of_threads();
  if (port != nullptr || observer_ != nullptr)
    coprocessor_->run_followed(begin, turn_end_, port);
  else
    coprocessor_->run(begin, turn_end_);
}

/// The rounds of a parked core are executed one by one until it is certain that the trace leaves
/// them out; from then on they are only counted. Rounds in which registers grow are all traced.
void Tile::replay_traced(unsigned core, Cycle until) {
  riscv::CoreState& state = cores_[core];
  const Cycle period = slots_[core].period;
  if (!trace_->wants(trace::What::Riscv)) return skip_rounds(core, until);
  trace::Repeats& repeats = trace_->repeats(core);
  if (state.cycle < trace_->from()) skip_rounds(core, std::min(until, trace_->from()));
  const Cycle end = std::min(until, trace_->until());
  while (state.cycle < end) {
    const Cycle rounds = (end - state.cycle) / period;
    if (rounds != 0 && repeats.is_settled(period) && slots_[core].rounds_end == kNever) {
      repeats.skip(rounds * period);
      skip_rounds(core, state.cycle + rounds * period);
    } else {
      const riscv::Outcome outcome = step_followed(core);
      CHECK(outcome == riscv::Outcome::Ok);
    }
  }
  if (state.cycle < until) skip_rounds(core, until);
}

void Tile::catch_up_trace(Cycle now) {
  if (trace_ == nullptr || now <= trace_->from()) return;
  for (unsigned core = 0; core < kCores; ++core) {
    const CoreSlot& slot = slots_[core];
    if (slot.status != CoreStatus::Parked || cores_[core].cycle >= now) continue;
    // Also at the end of the range, where what is left out is counted.
    if (trace_->follows(core) && (!trace_->repeats(core).is_settled(slot.period) ||
                                  slot.rounds_end != kNever || now >= trace_->until())) {
      begin_host_access(now);
      replay(core, now);
    }
  }
}

}  // namespace bhemu::tile
