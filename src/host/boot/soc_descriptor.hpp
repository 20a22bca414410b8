// What tt-umd wants beside a simulator: the SoC descriptor, a YAML file that lists the tiles of one
// chip, and the cluster descriptor, one that says which chips there are and what each has lost.
#pragma once

#include <string>

#include "device/board.hpp"

namespace bhemu::host {

/// Format: tenstorrent/tt-umd tests/soc_descs/blackhole_140_arch.yaml, device/soc_descriptor.cpp.
///
/// Without a cluster descriptor tt-umd takes a simulated chip for unharvested
/// (tt_sim_tt_device.cpp) and so names a tile over the NoC as the list does, unless the list is
/// complete. A board that has lost tiles therefore lists the live ones by translated coordinates; a
/// complete list is in NoC 0 coordinates.
std::string soc_descriptor(const Board& board);
/// The complete chip, for use with a cluster descriptor, whose masks then take off what is lost.
std::string complete_soc_descriptor();

/// One chip, `board`, behind PCI Express, without cables. Format: tenstorrent/tt-umd
/// device/cluster_descriptor.cpp, load_*_from_yaml; tests/cluster_descriptor_examples.
std::string cluster_descriptor(const Board& board);

}  // namespace bhemu::host
