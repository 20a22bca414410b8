// Disassembler of Tensix instruction words, from the rows of isa.def.
#pragma once

#include <string>

#include "base/types.hpp"

namespace bhemu::tensix {

/// "SEMPOST sem_sel=2": every field by name, in the order of the row. Bits that no field covers are
/// appended as "+0x...". A word without an instruction is ".word 0x...".
std::string disassemble(u32 word);

}  // namespace bhemu::tensix
