// A program of the differential tool: what cores of one or more tiles do, as a list that can be
// made shorter item by item, and the memory image that makes a device do it.
//
// The items are interpreted by a small RISC-V stub on each core that has some (a list of stores and
// loads), so that pushing a Tensix word, writing a register and reading one back are all one item
// each. Items of kind Code are RISC-V instructions that run once before the list, between known
// register contents and a dump of all registers. Only guest-visible means are used: results are
// what is in L1 at the end.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace bhemu::diff {

/// The cores of a tile, as items name them. A core that no item names stays in reset.
inline constexpr u8 kTrisc0 = 0;
inline constexpr u8 kTrisc1 = 1;
inline constexpr u8 kTrisc2 = 2;
inline constexpr u8 kBrisc = 3;
inline constexpr u8 kNcrisc = 4;
inline constexpr u32 kCores = 5;
inline constexpr u32 kMaxTiles = 4;

/// Where a core starts when nothing overrides it.
inline constexpr std::array<u32, kCores> kStubs{0x6000, 0xA000, 0xE000, 0x0, 0x12000};
inline constexpr u32 kLists = 0x30000;  // the items, one list for each core
inline constexpr u32 kListBytes = 0x10000;
inline constexpr u32 kData = 0x20000;  // inputs; also the start of what is compared
inline constexpr u32 kDataBytes = 0x2000;
inline constexpr u32 kOut = 0x22000;  // where programs pack to
inline constexpr u32 kOutBytes = 0x4000;
inline constexpr u32 kResults = 0x26000;  // one word per load, those of core 0 first
inline constexpr u32 kMaxResults = 2000;  // of all cores of a tile
inline constexpr u32 kFlag = 0x27FFC;     // set at the end, of core n one of the words below
inline constexpr u32 kDumpBytes = 0x8000;

inline constexpr u32 kPushTensix = 0xFFE40000;  // BRISC: + 0x10000 for each further thread
inline constexpr u32 kTensixSync = 0xFFE80004;
inline constexpr u32 kSoftReset = 0xFFB121B0;
inline constexpr u32 kAllHeld = 0x47800;
/// The first tile, unless the runner chooses another. The others of a program complete a square:
/// tile 1 to the east, 2 to the south, 3 both.
inline constexpr Coord kFirstTile{1, 2};
constexpr Coord coord_of(Coord first, u32 tile) {
  return {static_cast<u8>(first.x + (tile & 1)), static_cast<u8>(first.y + (tile >> 1))};
}

enum class Kind : u8 {
  Store,
  Load,
  Code,
  Place,  // a store of the NoC coordinates of tile(s), see place_value
  Wait,   // until the word has the value
  Count,  // until the word has the sum of the values of this and all earlier items of this kind on
          // this word: a counter that so many events have raised, whichever items are taken out
};

/// Value of an item of kind Place: the coordinates of `tile`, and those of the first tile of a
/// rectangle that ends there, as address registers of a NIU hold them.
constexpr u32 place_value(u32 tile) {
  return tile;
}
constexpr u32 place_value(u32 from, u32 to) {
  return to | from << 4 | 0x100;
}

struct Item {
  Kind kind = Kind::Store;
  u32 address = 0;
  u32 value = 0;      // stored, or the instruction of Code
  bool keep = false;  // set-up and read-back: never taken out when shrinking
  u8 core = kTrisc0;
  u8 tile = 0;
  u32 group = 0;  // unless 0: shrinking takes all items of the group out together
};

struct Program {
  std::vector<Item> items;
  std::vector<u32> data;  // at kData of every tile; tile n has n * 0x01010101 added to each word
  bool alone = false;     // needs a fresh device, and the tile above
  u32 tiles = 1;
  bool floats = false;   // Code: f0..f31 come from the data and are dumped, and fcsr
  bool vectors = false;  // Code: so are v0..v31 (TRISC2)
};

/// What the host writes to the tile before it releases its cores.
std::vector<std::pair<u32, std::vector<u32>>> image_of(const Program& program, u32 tile = 0,
                                                       Coord first = kFirstTile);
/// The cores with items, bit per core.
u32 cores_of(const Program& program, u32 tile);
/// The soft-reset word that releases these cores.
u32 release_of(u32 cores);
constexpr u32 flag_of(u32 core) {
  return kFlag - 4 * core;
}

/// One line per item that is not `keep`, or per item, with its disassembly.
std::string listing(const Program& program, bool all);

/// "out+0x40", "result 3 (load of 0xffe00000)" ...: where in the dump (of all tiles) an offset
/// lies.
std::string place_of(const Program& program, u32 offset);

}  // namespace bhemu::diff
