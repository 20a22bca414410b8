// Footprints of the vector unit: what its instructions share.
#pragma once

#include "tensix/footprint/recorder.hpp"
#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix::sfpu {

/// What decides whether the back door to the templates is open for `vd`.
void note_back_door(const Footprint& print, u32 vd);

/// As `begin`: whether columns keep the word as a template, and in which lanes it executes.
Execution note_begin(const Footprint& print, u32 vd);
/// For instructions that go by the lanes in which they execute, enabled or not.
u32 note_lanes(const Footprint& print, u32 vd);
/// Which lanes are enabled.
u32 note_enabled(const Footprint& print);

/// Lanes of an operand. What depends on its own lane alone is read where it is enabled.
inline void note_lreg(const Footprint& print, u32 index, u32 lanes) {
  print.read(Space::LReg, index, 1, lanes);
}
/// As `write_lreg`: nothing where VD cannot be written.
inline void note_result(const Footprint& print, u32 vd, u32 lanes) {
  if (is_writable(vd)) print.write(Space::LReg, vd, 1, lanes);
}
/// As `set_flags`.
inline void note_flags(const Footprint& print, u32 lanes) {
  print.write(Space::ConditionCode, footprint_cell::LaneFlags, 1, lanes);
}
/// Flags that are complemented.
inline void note_flags_inverted(const Footprint& print, u32 lanes) {
  print.update(Space::ConditionCode, footprint_cell::LaneFlags, 1, lanes);
}
/// As `load_from_dst`.
void note_load_from_dst(const Footprint& print, const DstOperand& operand);

}  // namespace bhemu::tensix::sfpu
