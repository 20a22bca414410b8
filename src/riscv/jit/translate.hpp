// From blocks of instructions to x86-64 code: a template per instruction.
//
// Within a block, values that have been read or written are kept in six registers of the host;
// every result is also written to the core's state at once, so an instruction can be handed to the
// interpreter, and a block be left, without more ado. Loads and stores do inline what the
// interpreter does inline (execute.hpp); what neither L1 nor own local memory takes, what has flags
// on its line, and every instruction without a template is interpreted from within the code.
#pragma once

#include <vector>

#include "riscv/jit/region.hpp"

namespace bhemu::riscv::jit {

struct Translated {
  std::vector<u8> code;
  std::vector<u32> heads;  // offset of each block
};

/// False where nothing can be translated: another processor.
bool can_translate();

/// The code with which a caller enters: u32 enter(Context*, const void* block), with the value of a
/// Leave; and the one to which translated code goes to leave.
struct Gate {
  std::vector<u8> code;
  u32 enter = 0;
  u32 leave = 0;
};
Gate make_gate();

/// `x`: the core's registers now, by which it is guessed which bases point to local memory.
Translated translate(const std::vector<Block>& blocks, u32 l1_bytes, const std::array<u32, 33>& x);

}  // namespace bhemu::riscv::jit
