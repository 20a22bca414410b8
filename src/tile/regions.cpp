#include "tile/regions.hpp"

namespace bhemu::tile {
namespace {

constexpr u8 kB = 1;
constexpr u8 kT = 0b11100;
constexpr u8 kBT = kB | kT;
constexpr u8 kAll = 0b11111;

#define REGION(name, first, last, cores, noc, meaning) \
  {Region::name, #name, first, last, cores, noc, meaning},
#define SHARED_REGION REGION
constexpr RegionInfo kTensixRows[] = {
#include "tile/regions.def"
};
constexpr RegionInfo kEthernetRows[] = {
#include "tile/ethernet_regions.def"
};
#undef SHARED_REGION
#undef REGION

constexpr bool rows_ascend(std::span<const RegionInfo> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].first <= rows[i - 1].last) return false;
  return true;
}
static_assert(rows_ascend(kTensixRows) && rows_ascend(kEthernetRows), "the lookup relies on it");

constexpr RegionMap kTensix{kTensixRows};
constexpr RegionMap kEthernet{kEthernetRows};

}  // namespace

const RegionMap& tensix_regions() {
  return kTensix;
}
const RegionMap& ethernet_regions() {
  return kEthernet;
}

}  // namespace bhemu::tile
