// From an instruction word to its predecoded entry, and the immediates of the base formats.
#pragma once

#include "base/bits.hpp"
#include "riscv/core.hpp"
#include "riscv/isa.hpp"

namespace bhemu::riscv {

constexpr u32 rd_of(u32 word) {
  return bits(word, 7, 5);
}
constexpr u32 rs1_of(u32 word) {
  return bits(word, 15, 5);
}
constexpr u32 rs2_of(u32 word) {
  return bits(word, 20, 5);
}
constexpr u32 rs3_of(u32 word) {
  return bits(word, 27, 5);
}
constexpr i32 i_immediate(u32 word) {
  return static_cast<i32>(word) >> 20;
}
constexpr i32 s_immediate(u32 word) {
  return sign_extend((bits(word, 25, 7) << 5) | bits(word, 7, 5), 12);
}
constexpr i32 b_immediate(u32 word) {
  return sign_extend((bits(word, 31, 1) << 12) | (bits(word, 7, 1) << 11) |
                         (bits(word, 25, 6) << 5) | (bits(word, 8, 4) << 1),
                     13);
}
constexpr i32 j_immediate(u32 word) {
  return sign_extend((bits(word, 31, 1) << 20) | (bits(word, 12, 8) << 12) |
                         (bits(word, 20, 1) << 11) | (bits(word, 21, 10) << 1),
                     21);
}

/// Instructions are fetched from L1 only, and each occupies an aligned word.
constexpr bool is_instruction_address(u32 address, u32 l1_bytes = kL1Size) {
  return address < l1_bytes && (address & 3) == 0;
}

/// The entry of `word` at `pc`. In it, immediates of jal and branches count entries, not bytes;
/// auipc holds its sum; a Tensix word is rotated back; x0 as a destination is register 32.
Decoded decode(u32 word, u32 pc);

}  // namespace bhemu::riscv
