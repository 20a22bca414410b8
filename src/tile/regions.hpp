// The address map of a Tensix tile as data: which region an address is in, and who may go there.
#pragma once

#include "base/types.hpp"

namespace bhemu::tile {

enum class Region : u8 {
#define REGION(name, first, last, cores, noc, meaning) name,
#include "tile/regions.def"
#undef REGION
  Count,
};

struct RegionInfo {
  const char* name;
  u32 first;
  u32 last;  // inclusive
  u8 cores;  // bit per CoreId
  bool noc;
  const char* meaning;
};

/// Region::Count where the tile has nothing.
Region region_at(u32 address);
const RegionInfo& info_of(Region region);

}  // namespace bhemu::tile
