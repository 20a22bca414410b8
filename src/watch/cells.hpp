// What stands in a place, as numbers.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "watch/place.hpp"

namespace bhemu::watch {

/// Bytes of memory; the datums of rows; words of registers (of configuration, the bits that the
/// place has). Empty for what has no contents that could be looked at without changing anything.
std::vector<u32> cells_of(Device& device, NodeId node, const Place& place);
/// How many of them make one unit of the place (a row has 16, an LReg 32, a byte one), and for
/// places that are counted in bits, how many bits a cell has.
u32 cells_per_unit(Area area);

}  // namespace bhemu::watch
