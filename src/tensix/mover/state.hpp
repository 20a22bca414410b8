// The mover (XMOV) and the TDMA-RISC registers that instruct it. Owner: mover/.
#pragma once

#include <array>

#include "base/types.hpp"

namespace bhemu::tensix {

struct MoverState {
  /// CmdParams: source, destination, size, direction, as written by a core.
  std::array<u32, 4> parameter{};
  /// MovCmdBase of BRISC and the three TRISCs; NCRISC uses that of TRISC 0.
  std::array<u32, 4> command_base{};
  /// Registers that are remembered and read back: CLK_GATE_EN, CLK_GATE_HYST.
  u32 clock_gate_enable = 0;
  u32 clock_gate_hysteresis = 0;
  /// First cycle in which no request of the mover is outstanding.
  Cycle busy_until = 0;
};

}  // namespace bhemu::tensix
