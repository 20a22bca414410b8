// The SoC descriptor that tt-umd wants beside a simulator: a YAML file that lists the tiles of one
// chip.
#pragma once

#include <string>

#include "device/board.hpp"

namespace bhemu::host {

/// Format: tenstorrent/tt-umd tests/soc_descs/blackhole_140_arch.yaml, device/soc_descriptor.cpp.
///
/// tt-umd takes a simulated chip for unharvested (tt_sim_tt_device.cpp) and so names a tile over
/// the NoC as the list does, unless the list is complete. A board that has lost tiles therefore
/// lists the live ones by translated coordinates; a complete list is in NoC 0 coordinates.
std::string soc_descriptor(const Board& board);

}  // namespace bhemu::host
