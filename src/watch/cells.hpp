// What stands in a place, as numbers.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "watch/place.hpp"

namespace bhemu::watch {

/// One number for a byte of memory, a datum of a row, a lane of an LReg; words of registers (of
/// configuration, the bits that the place has). Empty for what has no contents that could be looked
/// at without changing anything.
std::vector<u32> cells_of(Device& device, NodeId node, const Place& place);

}  // namespace bhemu::watch
