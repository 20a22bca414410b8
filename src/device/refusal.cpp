#include "device/refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tile/regions.hpp"

namespace bhemu {
namespace {

constexpr u64 kRegisters = 0xFFB00000;
constexpr u64 kHostWindow = u64{1} << 60;

/// "1 to 7 and 10 to 14".
std::string spans(const std::set<unsigned>& numbers) {
  std::string text;
  for (auto begin = numbers.begin(); begin != numbers.end();) {
    auto last = begin;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    text += text.empty() ? "" : " and ";
    text += begin == last ? fmt::format("{}", *begin) : fmt::format("{} to {}", *begin, *last);
    begin = std::next(last);
  }
  return text;
}

std::string tensix_tiles(const Board& board) {
  std::set<unsigned> columns;
  std::set<unsigned> rows;
  for (const Coord coord : board.tensix()) {
    columns.insert(coord.x);
    rows.insert(coord.y);
  }
  return fmt::format("the Tensix tiles of this {} are at x {} and y {} (translated coordinates)",
                     board.name(), spans(columns), spans(rows));
}

bool is_tensix(const Board& board, Coord coord) {
  return std::find(board.tensix().begin(), board.tensix().end(), coord) != board.tensix().end();
}

std::string no_tile(const Board& board, Coord coord, unsigned noc_index) {
  const bool inside = coord.x < noc::Routing::kSpan && coord.y < noc::Routing::kSpan;
  const TileSite* const site = inside ? board.site_through(noc_index, coord) : nullptr;
  const std::string who =
      site != nullptr && site->harvested
          ? fmt::format("the {} tile there is fused off (harvested) on this board",
                        noc::name_of(site->kind))
          : "no tile has these coordinates";
  const Coord turned{coord.y, coord.x};
  const std::string guess =
      is_tensix(board, turned)
          ? fmt::format("; ({}, {}) is a Tensix tile: x comes first, then y", turned.x, turned.y)
          : "";
  return fmt::format("{}{}. Remedy: {}", who, guess, tensix_tiles(board));
}

std::string in_tensix(u64 address, u64 bytes) {
  if (address < kL1Size)
    return fmt::format(
        "it runs over the end of L1, {:#x}, by {} bytes. Remedy: lay out what is written below "
        "that end, or give less",
        kL1Size, address + bytes - kL1Size);
  if (address < kRegisters)
    return fmt::format(
        "L1 of a Tensix tile ends at {:#x}, and its registers begin at {:#x}; nothing is between. "
        "Remedy: correct the address, or the tile if DRAM was meant",
        kL1Size, kRegisters);
  if (address > 0xFFFFFFFF)
    return "a Tensix tile has addresses of 32 bits. Remedy: correct the address, or the tile if "
           "DRAM or host memory was meant";
  if (address % 4 != 0 || bytes % 4 != 0)
    return "registers are read and written as whole words of 4 bytes at multiples of 4. Remedy: "
           "access the word and pick the bytes from it";
  const tile::Region at = tile::tensix_regions().at(static_cast<u32>(address));
  if (at == tile::Region::Count)
    return "the tile has nothing there. Remedy: compare the address with docs/registers";
  const tile::RegionInfo& region = tile::tensix_regions()[at];
  if (!region.noc)
    return fmt::format(
        "there is {}, which only cores of the tile itself reach. Remedy: have a kernel do it, or "
        "use what looks inside (core, registers, circular buffers)",
        region.meaning);
  return fmt::format(
      "there is {}, without a register at that place. Remedy: compare the address with "
      "docs/registers",
      region.meaning);
}

std::string in_dram(const Device& device, u64 address, u64 bytes) {
  const u64 size = device.dram_bank_bytes();
  return fmt::format(
      "a DRAM bank has {:#x} bytes, and this {}. Remedy: spread the data over the {} banks of "
      "this {} (interleaved: page n is in bank n % {}), or correct the offset",
      size,
      address < size ? fmt::format("runs over its end by {}", bytes - (size - address))
                     : "begins behind them",
      device.board().dram_banks(), device.board().name(), device.board().dram_banks());
}

}  // namespace

std::string why_refused(const Device& device, NodeId node, u64 address, u64 bytes) {
  const TileSite* const site = device.board().site_of(node);
  if (site == nullptr) return "no tile is there. Remedy: " + tensix_tiles(device.board());
  switch (site->kind) {
    case noc::NodeKind::Tensix:
      return in_tensix(address, bytes);
    case noc::NodeKind::Dram:
      return in_dram(device, address, bytes);
    case noc::NodeKind::Pcie:
      if (address >= kHostWindow)
        return "the PCIe tile leads to host memory there, and the host has lent none at that "
               "address. Remedy: lend it (set_host_memory, pinned pages, DMA callbacks), or set "
               "up the outbound iATU, before anybody uses it";
      [[fallthrough]];
    default:
      return fmt::format(
          "the {} tile has nothing there that can be reached so. Remedy: correct the address "
          "(alignment and size too), or the coordinates: {}",
          noc::name_of(site->kind), tensix_tiles(device.board()));
  }
}

std::string why_refused(const Device& device, Coord tile, u64 address, u64 bytes, unsigned noc) {
  const NodeId node = device.board().routing().at(noc, tile);
  return node == kNoNode ? no_tile(device.board(), tile, noc)
                         : why_refused(device, node, address, bytes);
}

std::string why_dram_refused(const Device& device, unsigned bank, u64 offset, u64 bytes) {
  const Board& board = device.board();
  if (bank < board.dram_banks()) return in_dram(device, offset, bytes);
  return fmt::format(
      "this {} has {} banks, 0 to {}. Remedy: ask the card how many it has (dram_banks), and "
      "interleave over so many: the kernels do",
      board.name(), board.dram_banks(), board.dram_banks() - 1);
}

std::string why_multicast_refused(const Device& device, Coord first, Coord last, u64 address,
                                  u64 bytes) {
  if (first.x > last.x || first.y > last.y)
    return fmt::format(
        "the rectangle ends before it begins. Remedy: give the upper left corner first: ({}, {}) "
        "to ({}, {})",
        std::min(first.x, last.x), std::min(first.y, last.y), std::max(first.x, last.x),
        std::max(first.y, last.y));
  for (const Coord coord : device.board().tensix())
    if (coord.x >= first.x && coord.x <= last.x && coord.y >= first.y && coord.y <= last.y)
      return why_refused(device, coord, address, bytes);
  return fmt::format("no Tensix tile is in the rectangle to ({}, {}). Remedy: {}", last.x, last.y,
                     tensix_tiles(device.board()));
}

}  // namespace bhemu
