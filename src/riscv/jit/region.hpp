// Which instructions are translated together: those that can be reached from a pc by branches and
// jumps whose targets the code itself names, cut into blocks. Control leaves a block at its end, or
// where an instruction is handed to the interpreter.
#pragma once

#include <vector>

#include "riscv/core.hpp"
#include "riscv/loop_heads.hpp"

namespace bhemu::riscv::jit {

/// A block pays for its time when it is entered, and is entered only if there is enough: of longer
/// ones much of a turn would be gone through step by step.
inline constexpr u32 kLongestBlock = 24;
inline constexpr u32 kLongestRegion = 96;

struct Block {
  u32 pc = 0;
  std::vector<Decoded> code;
  u32 end() const { return pc + static_cast<u32>(code.size()) * 4; }
};

/// How far to look for code.
enum class Extent : u8 {
  Region,  // everything that can be reached, up to kLongestRegion
  Block,   // to the end of the block: a way into the middle of a region
};

/// In the order of their addresses; empty when nothing at `pc` can be translated. The last word of
/// L1 is not code here: it has none after it.
/// Heads of loops (nullptr: none) are left to the interpreter, which stops there.
std::vector<Block> find_blocks(const u8* l1, u32 l1_bytes, u32 pc, Extent extent,
                               const LoopHeads* heads = nullptr);

/// A block ends after it: jumps, branches, and what is not supposed to go on.
bool ends_block(Decoded entry);

}  // namespace bhemu::riscv::jit
