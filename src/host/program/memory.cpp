#include "host/program/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "host/error.hpp"

namespace bhemu::host {
namespace {

/// Calls f(page, tile, address) for each page in L1.
template <class F>
void for_each_l1_page(const Placement& placement, std::span<const Coord> tiles, F f) {
  for (size_t index = 0; index < tiles.size(); ++index) {
    const bool replicated = placement.memory == TensorMemory::L1Replicated;
    const Share share = replicated ? Share{0, placement.grid.pages}
                                   : share_of(placement.grid.pages, tiles.size(), index);
    for (u64 i = 0; i < share.count; ++i)
      f(share.start + i, tiles[index], placement.address + i * placement.stride);
  }
}

}  // namespace

u64 Allocator::allocate(u64 bytes, const std::string& purpose) {
  const u64 address = align_up(next_, alignment_);
  if (address > end_ || bytes > end_ - address)
    throw InputError("", "",
                     fmt::format("{}: {} bytes do not fit {}, where {} are left", purpose, bytes,
                                 what_, address > end_ ? 0 : end_ - address));
  next_ = address + bytes;
  return address;
}

Share share_of(u64 items, u64 parts, u64 index) {
  const u64 each = items / parts;
  const u64 larger = items % parts;
  return {index * each + std::min(index, larger), each + (index < larger ? 1 : 0)};
}

Placement place(TensorMemory memory, const PageGrid& grid, unsigned banks, size_t tiles,
                Allocator& dram, Allocator& l1, const std::string& name) {
  Placement placement{memory, grid, 0, 0};
  const bool in_dram = memory == TensorMemory::DramInterleaved;
  const u64 stride = align_up(grid.page_size, in_dram ? kDramAlignment : kL1Alignment);
  const u64 holders = in_dram ? banks : memory == TensorMemory::L1 ? tiles : 1;
  const u64 bytes = (grid.pages + holders - 1) / holders * stride;
  placement.stride = static_cast<u32>(stride);
  placement.address = static_cast<u32>((in_dram ? dram : l1).allocate(bytes, name));
  return placement;
}

void write_pages(Device& device, const Placement& placement, std::span<const Coord> tiles,
                 std::span<const u8> pages) {
  const u32 size = placement.grid.page_size;
  CHECK(pages.size() == placement.grid.pages * size);
  if (placement.memory != TensorMemory::DramInterleaved) {
    for_each_l1_page(placement, tiles, [&](u64 page, Coord tile, u64 address) {
      CHECK(device.write(tile, address, pages.subspan(page * size, size)));
    });
    return;
  }
  const unsigned banks = device.board().dram_banks();
  for (u64 page = 0; page < placement.grid.pages; ++page)
    CHECK(device.write_dram(static_cast<unsigned>(page % banks),
                            placement.address + page / banks * placement.stride,
                            pages.subspan(page * size, size)));
}

std::vector<u8> read_pages(Device& device, const Placement& placement,
                           std::span<const Coord> tiles) {
  const u32 size = placement.grid.page_size;
  std::vector<u8> result(placement.grid.pages * size);
  const std::span<u8> pages(result);
  if (placement.memory != TensorMemory::DramInterleaved) {
    const bool replicated = placement.memory == TensorMemory::L1Replicated;
    for_each_l1_page(placement, replicated ? tiles.first(1) : tiles,
                     [&](u64 page, Coord tile, u64 address) {
                       CHECK(device.read(tile, address, pages.subspan(page * size, size)));
                     });
    return result;
  }
  const unsigned banks = device.board().dram_banks();
  for (u64 page = 0; page < placement.grid.pages; ++page)
    CHECK(device.read_dram(static_cast<unsigned>(page % banks),
                           placement.address + page / banks * placement.stride,
                           pages.subspan(page * size, size)));
  return result;
}

Spot spot_of(const Board& board, const Placement& placement, std::span<const Coord> tiles,
             u64 offset) {
  const u64 wanted = offset / placement.grid.page_size;
  const u64 within = offset % placement.grid.page_size;
  if (placement.memory == TensorMemory::DramInterleaved) {
    const unsigned banks = board.dram_banks();
    return {board.dram_node(static_cast<unsigned>(wanted % banks)),
            placement.address + wanted / banks * placement.stride + within, 1};
  }
  Spot spot;
  const bool replicated = placement.memory == TensorMemory::L1Replicated;
  for_each_l1_page(placement, replicated ? tiles.first(1) : tiles,
                   [&](u64 page, Coord tile, u64 address) {
                     if (page == wanted)
                       spot = {board.node_at_translated(tile), address + within, 1};
                   });
  return spot;
}

}  // namespace bhemu::host
