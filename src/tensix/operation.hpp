// An instruction at work in its unit.
#pragma once

#include "base/author.hpp"

namespace bhemu::tensix {

/// What STALLWAIT, TTSync and the status CSRs can find busy.
enum class BusyUnit : u8 { Thcon, Unpack0, Unpack1, Pack, Fpu, Sfpu, Cfg, Xmov, Sync, Misc };
inline constexpr unsigned kBusyUnits = 10;

/// It is issued when it leaves the wait gate and keeps its unit busy in [begin, end).
struct Operation {
  Author author;  // the thread, with the instruction word and where the word came from
  BusyUnit unit = BusyUnit::Misc;
  Cycle issue = 0;
  Cycle begin = 0;
  Cycle end = 0;
  u32 bytes = 0;  // that it moves; of unpackers, packer and mover
};

}  // namespace bhemu::tensix
