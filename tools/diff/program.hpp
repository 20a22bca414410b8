// A program of the differential tool: what one core of one tile does, as a list that can be made
// shorter item by item, and the memory image that makes a device do it.
//
// The items are interpreted by a small RISC-V stub (a list of stores and loads), so that pushing a
// Tensix word, writing a register and reading one back are all one item each. Items of kind Code
// are RISC-V instructions that run once before the list, between known register contents and a
// dump of all registers. Only guest-visible means are used: results are what is in L1 at the end.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace bhemu::diff {

inline constexpr u32 kStub = 0x6000;   // where TRISC0 starts when nothing overrides it
inline constexpr u32 kList = 0x10000;  // the items
inline constexpr u32 kData = 0x20000;  // inputs; also the start of what is compared
inline constexpr u32 kDataBytes = 0x2000;
inline constexpr u32 kOut = 0x22000;  // where programs pack to
inline constexpr u32 kOutBytes = 0x4000;
inline constexpr u32 kResults = 0x26000;  // one word per load
inline constexpr u32 kFlag = 0x27FFC;     // set at the end
inline constexpr u32 kDumpBytes = 0x8000;

inline constexpr u32 kPushTensix = 0xFFE40000;
inline constexpr u32 kTensixSync = 0xFFE80004;
inline constexpr u32 kSoftReset = 0xFFB121B0;
/// The tile of programs that must know where they are.
inline constexpr u32 kTileX = 1;
inline constexpr u32 kTileY = 2;
inline constexpr u32 kAllHeld = 0x47800;
inline constexpr u32 kTrisc0Runs = 0x46800;

enum class Kind : u8 { Store, Load, Code, Wait };

struct Item {
  Kind kind = Kind::Store;
  u32 address = 0;
  u32 value = 0;      // stored, or the instruction of Code
  bool keep = false;  // set-up and read-back: never taken out when shrinking
};

struct Program {
  std::vector<Item> items;
  std::vector<u32> data;  // at kData
  bool alone = false;     // needs a fresh device, and the tile above
};

/// What the host writes before it releases TRISC0.
std::vector<std::pair<u32, std::vector<u32>>> image_of(const Program& program);

/// One line per item that is not `keep`, or per item, with its disassembly.
std::string listing(const Program& program, bool all);

/// "out+0x40", "result 3 (load of 0xffe00000)" ...: where in the dump an offset lies.
std::string place_of(const Program& program, u32 offset);

}  // namespace bhemu::diff
