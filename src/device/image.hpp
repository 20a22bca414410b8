// The state of a device, frozen: any number of devices go on from it, each node when it is needed.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace bhemu {

struct DeviceImage {
  struct Part {
    std::vector<u8> bytes;  // the node's archive
    bool acts = false;      // by itself, once time goes on
    bool has_faults = false;
  };
  std::vector<u8> header;  // of what board and timing, as snapshots have it
  std::vector<u8> engine;
  std::vector<Part> parts;  // of every node
};

}  // namespace bhemu
