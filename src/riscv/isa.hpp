// The instruction table, as data: isa.def and vector.def expanded into enumerators and rows.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace bhemu::riscv {

enum class Extension : u8 { I, Machine, M, Zicsr, Zaamo, Zba, Zbb, Zbkb, F, Zfh, V, Tensix };

/// Which operands a row has, how its immediate is formed and how it prints.
enum class Format : u8 {
  Upper,
  UpperPc,
  Jal,
  Jalr,
  Branch,
  Load,
  Store,
  Imm,
  Shift,
  Reg,
  Unary,
  Fence,
  System,
  Csr,
  CsrImm,
  Amo,
  FpLoad,
  FpStore,
  FpTernary,
  FpTernaryHalf,
  FpBinary,
  FpBinaryHalf,
  FpCompare,
  FpCompareHalf,
  FpToInt,
  FpToIntHalf,
  FpFromInt,
  FpFromIntHalf,
  FpMoveHalf,
  FpWiden,
  FpNarrow,
  Vector,
  Ttinsn,
};

/// Decoded::op. The first six are not instructions.
enum class Op : u8 {
  undecoded,    // must stay 0: what a dropped entry reads as
  illegal,      // imm: the word
  bad_target,   // a jal or branch whose target is no instruction address
  next_line,    // behind the last word of a line: the words of the next lie elsewhere
  loop_head,    // an instruction at which a polling loop comes round (riscv/loop_heads.hpp)
  clear_words,  // `sw` of x0, and so are those behind it, `rd` together, each to the word above or
                // below the last
#define RV(name, bits, extension, format, ...) name,
#include "riscv/isa.def"
#undef RV
  Count,
};
inline constexpr unsigned kOps = static_cast<unsigned>(Op::Count);
inline constexpr unsigned kFirstRow = 6;
static_assert(kOps <= 256);

/// Mask and match of an encoding written as the manual writes it, bit 31 first.
struct Encoding {
  u32 mask = 0;
  u32 match = 0;
};
consteval Encoding encoding_of(std::string_view text) {
  Encoding encoding;
  if (text.size() != 32) throw "an encoding has 32 characters";
  for (unsigned i = 0; i < 32; ++i) {
    const u32 bit = 0x80000000u >> i;
    if (text[i] == '0' || text[i] == '1') encoding.mask |= bit;
    if (text[i] == '1') encoding.match |= bit;
  }
  return encoding;
}

struct Row {
  Op op;
  std::string_view name;  // the enumerator's spelling
  std::string_view bits;
  Encoding encoding;
  Extension extension;
  Format format;
};

inline constexpr Row kRows[] = {
#define RV(name, bits, extension, format, ...) \
  {Op::name, #name, bits, encoding_of(bits), Extension::extension, Format::format},
#include "riscv/isa.def"
#undef RV
};
inline constexpr unsigned kRowCount = sizeof kRows / sizeof kRows[0];
static_assert(kRowCount + kFirstRow == kOps);
constexpr const Row& row_of(Op op) {
  return kRows[static_cast<unsigned>(op) - kFirstRow];
}

/// The row that a word decodes to; null when it is illegal.
const Row* find_row(u32 word);

/// How the name prints: `amoadd_w` as amoadd.w, `and_` as and.
std::string_view spell(std::string_view name, std::array<char, 24>& buffer);

}  // namespace bhemu::riscv
