// Backend configuration. Owner: cfg/.
#pragma once

#include <array>

#include "tensix/config.hpp"

namespace bhemu::tensix {

struct CfgState {
  std::array<ConfigWords, 2> bank{};
  std::array<ThreadConfigWords, kThreads> thread{};
  /// DBG_FEATURE_DISABLE, owned by the tile (bit 11 changes what Dst16b means).
  u32 debug_feature_disable = 0;
};

}  // namespace bhemu::tensix
