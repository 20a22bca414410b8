// Which bits of STALLWAIT's block mask hold an instruction back: for the wait gate and for the race
// detector.
#pragma once

#include "tensix/isa.hpp"

namespace bhemu::tensix {

/// Block bits of the table in STALLWAIT.md, which follow from the unit.
constexpr u16 blocked_by(u8 opcode, Unit unit) {
  switch (opcode) {
    case op::STALLWAIT::kOpcode:
    case op::SEMWAIT::kOpcode:
    case op::STREAMWAIT::kOpcode:
    case op::NOP::kOpcode:
      return 0x1FF;
    default:
      break;
  }
  switch (unit) {
    case Unit::Misc:
      return 1u << 0;
    case Unit::Sync:
      return 1u << 1;
    case Unit::Pack:
      return 1u << 0 | 1u << 2;
    case Unit::Unpack:
      return 1u << 0 | 1u << 3;
    case Unit::Xmov:
      return 1u << 0 | 1u << 4;
    case Unit::Thcon:
      return 1u << 0 | 1u << 5;
    case Unit::Fpu:
      return 1u << 6;
    case Unit::Cfg:
      return 1u << 7;
    case Unit::Sfpu:
      return 1u << 8;
    case Unit::None:
    case Unit::Frontend:
      break;
  }
  return 0;
}

}  // namespace bhemu::tensix
