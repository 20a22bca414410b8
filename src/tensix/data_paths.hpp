// What the packer has worked out of the configuration and may use again. No state: with an
// environment that lends none, everything is worked out anew each time and gives the same bits.
#pragma once

#include "tensix/pack/path.hpp"

namespace bhemu::tensix {

struct DataPaths {
  pack::PathCache pack;
};

}  // namespace bhemu::tensix
