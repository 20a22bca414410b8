// How long the NoC takes. `fast` and `reference` use constants; a timing that is
// fitted to silicon will fill this from tables of measurements.
#pragma once

#include "base/types.hpp"
#include "noc/spread.hpp"

namespace bhemu::noc {

struct Timing {
  /// One way between different nodes. Also the length of an epoch: no tile can see another sooner.
  Cycle one_way = 256;
  /// One way inside a tile (a command whose target is the tile itself; on silicon such a request
  /// and its answer travel the whole ring). No turn of a tile is longer.
  Cycle loopback = 64;
  /// Of sources that are read and payloads that land.
  Spread spread;
};

}  // namespace bhemu::noc
