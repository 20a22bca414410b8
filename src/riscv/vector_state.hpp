// Vector registers of RISCV T2: 32 registers of 128 bits (BabyRISCV/README.md, Pipeline;
// InstructionSet.md: registers are 16 bytes wide, the longest element is 32 bits). vl and vtype
// live among the CSRs.
#pragma once

#include "base/types.hpp"

namespace bhemu::riscv {

inline constexpr u32 kVectorBytes = 16;
inline constexpr u32 kVectorElementBits = 32;

struct VectorState {
  alignas(16) std::array<std::array<u8, kVectorBytes>, 32> reg;
};

}  // namespace bhemu::riscv
