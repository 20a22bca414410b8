// What checks have to know about the software on a tile: where its kernels begin, and where its
// circular buffers lie. Whoever knows the software's conventions says it
// (host/settings/software.hpp).
#pragma once

#include "base/types.hpp"

namespace bhemu::tile {

class Tile;

struct BufferPlace {
  u32 address = 0;
  u32 page_size = 0;
  u32 pages = 0;  // 0: there is no such buffer
};

class Software {
 public:
  Software() = default;
  virtual ~Software() = default;
  Software(const Software&) = delete;
  Software& operator=(const Software&) = delete;

  /// Code from here on is a kernel's, code below is firmware; 0: not known. From the thread that
  /// runs the tile.
  virtual u32 kernel_base(Tile& tile) const = 0;
  virtual BufferPlace buffer(Tile& tile, u32 index) const = 0;
};

}  // namespace bhemu::tile
