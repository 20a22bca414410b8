// Somebody who looks at each instruction of a tile's cores before it is executed: a debugger that
// is no part of the chip. Looking costs no cycle and changes nothing, so a core that is looked at
// executes the same instructions in the same cycles; docs/ARCHITECTURE.md, "gdb".
//
// Unlike the RISC-V debug interface (riscv_debug.hpp), which guests and hosts of a card use, it
// reaches every core, NCRISC too, and stops time itself rather than a core.
#pragma once

#include "base/author.hpp"
#include "base/types.hpp"

namespace bhemu::tile {

class Tile;

class Onlooker {
 public:
  virtual ~Onlooker() = default;
  /// `core` of `tile` is going to execute the instruction at its pc. Called again for one that had
  /// to wait, when it is tried again. Nothing of the chip goes on until this returns; meanwhile
  /// Tile's functions under "For a debugger" may be called.
  virtual void before_instruction(Tile& tile, unsigned core) = 0;
  /// Bytes of a line of L1 that is observed (Tile::observe) are about to change.
  virtual void before_l1_write(Tile& tile, u32 address, u32 bytes, const Author& author) = 0;
};

}  // namespace bhemu::tile
