// What the debugger of the cores (debugger.hpp) and the debug unit (debug_unit.hpp) ask of the
// tile.
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
// A parked core is brought to where it would be for whoever asks.
u32 Tile::pc_of(unsigned core) {
  if (slots_[core].status == CoreStatus::Parked)
    replay(core, std::max(wake_cycle(core), cores_[core].cycle));
  return cores_[core].pc;
}

DaisyGroup Tile::look_at_daisy(const DaisySelection& select, Cycle now) {
  DebugProbe probe(*this, now);
  return daisy_group(probe, select.daisy, select.signal);
}

Cycle Tile::counted_until(Cycle now) const {
  if (position_ == kOutside) return now_;
  return position_ < kCores ? nominal_begin(now) : 0;
}

Cycle Tile::counted_from(Cycle now) const {
  return position_ < kCores ? nominal_begin(now) : std::min(now, now_);
}

}  // namespace bhemu::tile
