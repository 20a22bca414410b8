// A board with half of its columns, which is booted in half of the time: for programs that take all
// tiles that there are, or few.
#pragma once

#include "device/board.hpp"

namespace bhemu::test {

/// Of `bhemu`.
inline constexpr char kNarrow[] = " --harvest-columns 7,8,9,10,11,12,13";

inline BoardOptions narrow(BoardOptions board = BoardOptions::defaults(BoardModel::P100A)) {
  board.harvested_columns = 0x3F80;
  return board;
}

}  // namespace bhemu::test
