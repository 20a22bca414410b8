// Why a host's access finds nothing, and what to do about it: for the message that every client
// gets, whichever way it came.
#pragma once

#include <string>

#include "device/device.hpp"

namespace bhemu {

/// Of `bytes` at `address` of the tile at `tile`, on NoC `noc`: "(16, 2) is ...; remedy". Never
/// empty; the access is taken to have been refused.
std::string why_refused(const Device& device, Coord tile, u64 address, u64 bytes, unsigned noc = 0);
/// The same of a tile that the access has found.
std::string why_refused(const Device& device, NodeId node, u64 address, u64 bytes);
/// Of a DRAM bank by its number.
std::string why_dram_refused(const Device& device, unsigned bank, u64 offset, u64 bytes);
/// Of a rectangle of Tensix tiles.
std::string why_multicast_refused(const Device& device, Coord first, Coord last, u64 address,
                                  u64 bytes);

}  // namespace bhemu
