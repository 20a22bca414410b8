// The vector unit of RISCV T2: vset*, arithmetic, and the plan of a vector load or store.
// Rows: vector.def. Document: BabyRISCV/InstructionSet.md; otherwise the V extension 1.0.
//
// Tail and masked-off elements are left undisturbed whatever vta and vma say. Missing, as on
// silicon: integer division, floating-point division, square root and the two estimates, elements
// of 64 bits, vcsr.
#pragma once

#include <string>

#include "riscv/core.hpp"

namespace bhemu::riscv {

enum class VectorResult : u8 {
  Ok,
  Illegal,    // not an instruction, or reserved in the current vtype
  HalfFloat,  // floating point on 16-bit elements, which the documents do not mention
  BadType,    // vset* with a vtype that does not exist; there is no vill bit to report it with
};

constexpr bool is_vector_memory(u32 word) {
  return (word & 0x5F) == 0x07;
}

/// Executes an instruction of the vector opcode (not a load or store).
VectorResult execute_vector(CoreState& state, u32 word, bool allow_half);

/// The element accesses of a vector load or store, in order.
struct VectorAccess {
  struct Element {
    u32 address;
    u8 reg;
    u8 offset;  // bytes into the register
    u8 index;   // the element's number, for fault-only-first
  };
  bool store = false;
  bool fault_only_first = false;
  u8 bytes = 0;  // of an element
  u32 count = 0;
  std::array<Element, 128> element;
};
VectorResult plan_vector_access(const CoreState& state, u32 word, VectorAccess& access);

/// The mnemonic and operands of a vector instruction; empty when it is illegal.
std::string disassemble_vector(u32 word);

}  // namespace bhemu::riscv
