#include "tile/regions.hpp"

#include <algorithm>
#include <iterator>

namespace bhemu::tile {
namespace {

constexpr u8 kB = 1;
constexpr u8 kT = 0b11100;
constexpr u8 kBT = kB | kT;
constexpr u8 kAll = 0b11111;

constexpr RegionInfo kRegions[] = {
#define REGION(name, first, last, cores, noc, meaning) {#name, first, last, cores, noc, meaning},
#include "tile/regions.def"
#undef REGION
};

constexpr bool rows_ascend() {
  for (std::size_t i = 1; i < std::size(kRegions); ++i)
    if (kRegions[i].first <= kRegions[i - 1].last) return false;
  return true;
}
static_assert(rows_ascend(), "the lookup below is a binary search");

}  // namespace

Region region_at(u32 address) {
  const auto* row = std::upper_bound(std::begin(kRegions), std::end(kRegions), address,
                                     [](u32 a, const RegionInfo& r) { return a < r.first; });
  if (row == std::begin(kRegions)) return Region::Count;
  --row;
  return address <= row->last ? static_cast<Region>(row - kRegions) : Region::Count;
}

const RegionInfo& info_of(Region region) {
  return kRegions[static_cast<unsigned>(region)];
}

}  // namespace bhemu::tile
