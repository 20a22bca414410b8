// What the debugger of the cores (debugger.hpp) asks of the schedule.
#include <algorithm>

#include "tile/bus.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {

void Tile::leave_loop(unsigned core) {
  replay(core, std::max(wake_cycle(core), cores_[core].cycle));
  unwatch(core);
}

void Tile::end_run_of(unsigned core) {
  if (core == position_) buses_[core]->attention = true;
}

riscv::Outcome Tile::execute_one(unsigned core) {
  riscv::CoreState& state = cores_[core];
  const Cycle end = state.cycle + 1;
  const bool traced =
      trace_ != nullptr && trace_->covers(state.cycle, end) && trace_->follows(core);
  const bool followed = traced || observer_ != nullptr || late_ != nullptr;
  const riscv::Outcome outcome = followed                 ? step_followed(core)
                                 : slots_[core].recording ? execute_recorded(core, end)
                                                          : execute(core, end);
  recording_buses_[core]->attention = buses_[core]->attention = false;
  return outcome;
}

}  // namespace bhemu::tile
