// Instruction words from rows of isa.def: what the assembler would write. For tests only.
#pragma once

#include <random>

#include "riscv/decode.hpp"

namespace bhemu::riscv {

inline u32 match_of(Op op) {
  return row_of(op).encoding.match;
}
inline u32 encode_r(Op op, u32 rd, u32 rs1, u32 rs2) {
  return match_of(op) | rd << 7 | rs1 << 15 | rs2 << 20;
}
inline u32 encode_i(Op op, u32 rd, u32 rs1, i32 imm) {
  return match_of(op) | rd << 7 | rs1 << 15 | static_cast<u32>(imm) << 20;
}
inline u32 encode_u(Op op, u32 rd, u32 imm) {
  return match_of(op) | rd << 7 | (imm & ~0xFFFu);
}
inline u32 encode_s(Op op, u32 rs2, u32 rs1, i32 imm) {
  const u32 u = static_cast<u32>(imm);
  return match_of(op) | rs1 << 15 | rs2 << 20 | bits(u, 5, 7) << 25 | bits(u, 0, 5) << 7;
}
inline u32 encode_b(Op op, u32 rs1, u32 rs2, i32 displacement) {
  const u32 u = static_cast<u32>(displacement);
  return match_of(op) | rs1 << 15 | rs2 << 20 | bits(u, 12, 1) << 31 | bits(u, 5, 6) << 25 |
         bits(u, 1, 4) << 8 | bits(u, 11, 1) << 7;
}
inline u32 encode_j(u32 rd, i32 displacement) {
  const u32 u = static_cast<u32>(displacement);
  return match_of(Op::jal) | rd << 7 | bits(u, 20, 1) << 31 | bits(u, 1, 10) << 21 |
         bits(u, 11, 1) << 20 | bits(u, 12, 8) << 12;
}
inline u32 encode_csr(Op op, u32 rd, u32 csr, u32 rs1_or_imm) {
  return match_of(op) | rd << 7 | rs1_or_imm << 15 | csr << 20;
}
inline u32 ttinsn_of(u32 tensix) {
  return tensix << 2 | tensix >> 30;
}

/// The row's fixed bits, and random ones elsewhere.
template <class Random>
u32 random_word(const Encoding& encoding, Random& random) {
  return (static_cast<u32>(random()) & ~encoding.mask) | encoding.match;
}

/// Two instructions that set rd to any value.
inline std::array<u32, 2> load_constant(u32 rd, u32 value) {
  const u32 upper = value + 0x800;
  return {encode_u(Op::lui, rd, upper), encode_i(Op::addi, rd, rd, sign_extend(value & 0xFFF, 12))};
}

}  // namespace bhemu::riscv
