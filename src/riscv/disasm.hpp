// Words back to text, from the same rows that decode and execute them.
#pragma once

#include <string>

#include "base/types.hpp"

namespace bhemu::riscv {

/// The instruction at `pc`, with ABI register names and absolute branch targets. A word that is no
/// instruction prints as `.word 0x...`; a Tensix word as `.ttinsn 0x...`, rotated back.
std::string disassemble(u32 word, u32 pc);

/// "zero", "ra", "sp" ...; register 32, the sink, prints as zero.
const char* integer_register_name(unsigned index);
const char* float_register_name(unsigned index);

}  // namespace bhemu::riscv
