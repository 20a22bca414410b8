// The registers by which an NIU says where it is and how it translates coordinates: as the ARC
// firmware leaves them in every NIU of the chip, those of empty and harvested tiles included.
//
// BlackholeA0/NoC/MemoryMap.md ("NIU identification details", "NIU and NoC router configuration"
// and the table of NIU_BASE by tile type); tt-zephyr-platforms noc_init.c.
#pragma once

#include <optional>

#include "noc/routing.hpp"

namespace bhemu::noc {

/// NOC_NODE_ID of the tile at `noc0`: its coordinate on `noc`, the size of the NoC, its order of
/// axes. Which routers hold the dateline bits (26, 27) is not documented; they read 0.
u32 node_id(unsigned noc, Coord noc0);

/// The word at `offset` of an NIU of a tile without cores that we run. False: no such register, or
/// not modelled.
bool read_identity(const Routing& routing, unsigned noc, Coord noc0, Coord translated, u32 offset,
                   u32& value);

struct NiuPlace {
  unsigned noc = 0;
  u32 offset = 0;
};

/// Which NIU register a request that came over `carrier` reaches at `address` of a tile. DRAM and
/// Ethernet tiles, and harvested Tensix tiles, show both NIUs; all others only the carrier's.
std::optional<NiuPlace> niu_place(NodeKind kind, unsigned carrier, u64 address);

}  // namespace bhemu::noc
