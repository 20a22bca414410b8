// From blocks of instructions to x86-64 code: a template per instruction.
//
// Within a block, values that have been read or written are kept in six registers of the host.
// Results are written to the core's state before the block ends, and before an instruction is
// handed to the interpreter. Loads and stores do inline what the interpreter does inline
// (execute.hpp); what neither L1 nor own local memory takes, what has flags on its line, and every
// instruction without a template is interpreted from within the code.
//
// Behind the blocks stand their steps: each instruction by itself, with a look at the time before
// it, so that a turn may end and begin anywhere.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "riscv/jit/region.hpp"

namespace bhemu::riscv::jit {

struct Translated {
  std::span<const u8> code;  // until the translator is asked again
  std::vector<u32> heads;    // offset of each block
  std::vector<u32> steps;    // and of each instruction, block after block, to be entered at
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

class Translator {
 public:
  Translator();
  ~Translator();

  /// `x`: the core's registers now, by which it is guessed which bases point to local memory.
  Translated translate(const std::vector<Block>& blocks, u32 l1_bytes,
                       const std::array<u32, 33>& x);

 private:
  std::unique_ptr<u8[]> buffer_;  // kept: the host would give zeroed pages each time
};

}  // namespace bhemu::riscv::jit
