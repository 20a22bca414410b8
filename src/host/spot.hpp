// A few bytes of a node's memory that a report is about.
#pragma once

#include "base/types.hpp"

namespace bhemu::host {

struct Spot {
  NodeId node = kNoNode;
  u64 address = 0;
  u32 bytes = 0;
};

}  // namespace bhemu::host
