// A PACR that is under way: rows of Dst that are read, and blocks of L1 that are written, as they
// go by.
#pragma once

#include <array>

#include "base/author.hpp"
#include "tensix/config.hpp"
#include "tensix/piece_clock.hpp"

namespace bhemu::tensix {

namespace pack {

/// Read interfaces onto Dst.
inline constexpr unsigned kInterfaces = 4;

/// Where the datums of one PACR come from: up to four rows, the same columns of each.
struct Input {
  bool zero = false;  // constant 0 instead of Dst
  bool from_l1 = false;
  u32 l1_address = 0;
  u32 rows = 0;
  std::array<u32, kInterfaces> row{};
  u32 column = 0;   // first column
  u32 columns = 0;  // datums per row
};

}  // namespace pack

struct PackFlight {
  u32 word = 0;
  u8 thread = 0;
  Origin origin = Origin::None;
  std::array<bool, 3> placed{};  // of Dst: DstMapping
  pack::Input input;
  ConfigWords config{};  // when it was issued
  Pieces pieces;         // a row each
};

}  // namespace bhemu::tensix
