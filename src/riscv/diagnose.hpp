// What the faults of a core say. Kept out of the interpreter's templates.
#pragma once

#include <string>

#include "riscv/core.hpp"

namespace bhemu::riscv {

inline constexpr u32 kInstrnBufBase = 0xFFE40000;

std::string bad_pc_text(u32 pc);
std::string bad_target_text(u32 pc, u32 target);
std::string misaligned_text(u32 address, u32 size, bool store);
std::string atomic_text(u32 address);
std::string csr_text(u32 address, u32 value);
std::string unknown_csr_text(u32 address);
std::string ebreak_text(const CoreState& state);
std::string ecall_text(const CoreState& state);
std::string mret_text(const CoreState& state);
std::string ttinsn_text(const CoreState& state, u32 word);
std::string illegal_text(u32 word);
std::string vector_text(const CoreState& state, u32 word);
std::string vector_access_text(u32 address, u32 bytes, bool store);

}  // namespace bhemu::riscv
