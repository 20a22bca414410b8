// The address maps of a Tensix and of an Ethernet tile as data: which region an address is in, and
// who may go there.
#pragma once

#include <span>

#include "base/types.hpp"

namespace bhemu::tile {

/// Of both maps; what both have is one region.
enum class Region : u8 {
#define REGION(name, first, last, cores, noc, meaning) name,
#define SHARED_REGION(name, first, last, cores, noc, meaning)
#include "tile/ethernet_regions.def"
#include "tile/regions.def"
#undef SHARED_REGION
#undef REGION
  Count,
};

struct RegionInfo {
  Region region;
  const char* name;
  u32 first;
  u32 last;  // inclusive
  u8 cores;  // bit per core of the tile
  bool noc;
  const char* meaning;
};

class RegionMap {
 public:
  /// Rows ascend; the first is L1, the others lie above kRegisters.
  constexpr explicit RegionMap(std::span<const RegionInfo> rows) : rows_(rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      row_of_[static_cast<unsigned>(rows[i].region)] = static_cast<u8>(i);
    for (u32 page = 0; page < kPages; ++page) {
      std::size_t row = 1;
      while (row < rows.size() && rows[row].last < kRegisters + (page << kPageShift)) ++row;
      row_at_[page] = static_cast<u8>(row);
    }
  }
  /// Region::Count where the tile has nothing.
  Region at(u32 address) const {
    const u32 page = (address - kRegisters) >> kPageShift;
    if (page >= kPages) return address <= rows_[0].last ? rows_[0].region : Region::Count;
    for (std::size_t row = row_at_[page]; row < rows_.size(); ++row)
      if (address <= rows_[row].last)
        return address >= rows_[row].first ? rows_[row].region : Region::Count;
    return Region::Count;
  }
  /// Of a region that the map has.
  const RegionInfo& operator[](Region region) const {
    return rows_[row_of_[static_cast<unsigned>(region)]];
  }
  std::span<const RegionInfo> rows() const { return rows_; }

 private:
  static constexpr u32 kRegisters = 0xFFB00000;
  static constexpr u32 kPageShift = 12;
  static constexpr u32 kPages = 0x400;

  std::span<const RegionInfo> rows_;
  std::array<u8, kPages> row_at_{};  // the first that ends in a page or behind it
  std::array<u8, static_cast<unsigned>(Region::Count)> row_of_{};
};

const RegionMap& tensix_regions();
const RegionMap& ethernet_regions();

}  // namespace bhemu::tile
