// Whether the result of a run, good or wrong, hangs on two accesses without an order.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "host/boot/machine.hpp"

namespace bhemu::watch {

/// At most `most` of them, the first and the last among them, and those between as far apart as
/// they can be.
std::vector<Coord> spread_over(std::span<const Coord> tiles, size_t most);

/// Runs the program again with the race detector, and adds the first race to `ran`'s first cause.
/// Of a run that went well only races between threads of the coprocessor are told, and at first a
/// few tiles of each part are watched; what they show may be in order by way of others.
void tell_of_race(const DeviceOptions& options, const std::function<host::Firmware()>& firmware,
                  Cycle limit, const host::PreparedProgram& prepared, host::Outcome& ran);

}  // namespace bhemu::watch
