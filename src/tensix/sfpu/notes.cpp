#include "tensix/sfpu/notes.hpp"

namespace bhemu::tensix::sfpu {

using namespace footprint_cell;

namespace {
constexpr u32 kLaneConfig = 15;
constexpr u32 kColumns = 0xFF;
}  // namespace

u32 note_enabled(const Footprint& print) {
  print.read(Space::ConditionCode, UseLaneFlags);
  print.read(Space::ConditionCode, LaneFlags);
  print.read(Space::SfpuConfig, kLaneConfig, 1, kColumns);
  return enabled_lanes(print.state.sfpu);
}

void note_back_door(const Footprint& print, u32 vd) {
  if (vd >= 12) print.read(Space::SfpuConfig, kLaneConfig, 1, kColumns);
}

u32 note_lanes(const Footprint& print, u32 vd) {
  if (print.scheduled != nullptr) return print.scheduled->lanes;
  if (vd < 12) return kAllLanes;
  const u32 executing = lanes_with(print.state.sfpu, lane_config::kDisableBackdoorLoad);
  note_back_door(print, vd);
  print.write(Space::SfpuConfig, vd - 12, 1, ~executing & kColumns);
  return executing;
}

Execution note_begin(const Footprint& print, u32 vd) {
  const u32 lanes = note_lanes(print, vd);
  return {lanes, note_enabled(print) & lanes};
}

}  // namespace bhemu::tensix::sfpu
