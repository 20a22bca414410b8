#include "riscv/disasm.hpp"

#include <fmt/format.h>

#include <bit>

#include "riscv/csr.hpp"
#include "riscv/decode.hpp"
#include "riscv/vector.hpp"

namespace bhemu::riscv {
namespace {

constexpr const char* kIntegerNames[33] = {"zero", "ra", "sp", "gp", "tp", "t0",  "t1", "t2", "s0",
                                           "s1",   "a0", "a1", "a2", "a3", "a4",  "a5", "a6", "a7",
                                           "s2",   "s3", "s4", "s5", "s6", "s7",  "s8", "s9", "s10",
                                           "s11",  "t3", "t4", "t5", "t6", "zero"};
constexpr const char* kFloatNames[32] = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

const char* x_name(u32 index) {
  return kIntegerNames[index];
}
const char* f_name(u32 index) {
  return kFloatNames[index];
}

std::string csr_name(u32 address) {
  const CsrInfo* info = find_csr(address);
  return info != nullptr ? std::string(info->name) : fmt::format("0x{:03x}", address);
}

/// Everything after the mnemonic.
std::string operands(const Row& row, u32 word, u32 pc) {
  const char* rd = x_name(rd_of(word));
  const char* rs1 = x_name(rs1_of(word));
  const char* rs2 = x_name(rs2_of(word));
  const char* fd = f_name(rd_of(word));
  const char* fs1 = f_name(rs1_of(word));
  const char* fs2 = f_name(rs2_of(word));
  switch (row.format) {
    case Format::Upper:
    case Format::UpperPc:
      return fmt::format("{}, 0x{:x}", rd, word >> 12);
    case Format::Jal:
      return fmt::format("{}, 0x{:x}", rd, pc + static_cast<u32>(j_immediate(word)));
    case Format::Branch:
      return fmt::format("{}, {}, 0x{:x}", rs1, rs2, pc + static_cast<u32>(b_immediate(word)));
    case Format::Jalr:
    case Format::Load:
      return fmt::format("{}, {}({})", rd, i_immediate(word), rs1);
    case Format::Store:
      return fmt::format("{}, {}({})", rs2, s_immediate(word), rs1);
    case Format::FpLoad:
      return fmt::format("{}, {}({})", fd, i_immediate(word), rs1);
    case Format::FpStore:
      return fmt::format("{}, {}({})", fs2, s_immediate(word), rs1);
    case Format::Imm:
      return fmt::format("{}, {}, {}", rd, rs1, i_immediate(word));
    case Format::Shift:
      return fmt::format("{}, {}, {}", rd, rs1, rs2_of(word));
    case Format::Reg:
      return fmt::format("{}, {}, {}", rd, rs1, rs2);
    case Format::Unary:
      return fmt::format("{}, {}", rd, rs1);
    case Format::Csr:
      return fmt::format("{}, {}, {}", rd, csr_name(bits(word, 20, 12)), rs1);
    case Format::CsrImm:
      return fmt::format("{}, {}, {}", rd, csr_name(bits(word, 20, 12)), rs1_of(word));
    case Format::Amo:
      return fmt::format("{}, {}, ({})", rd, rs2, rs1);
    case Format::FpTernary:
    case Format::FpTernaryHalf:
      return fmt::format("{}, {}, {}, {}", fd, fs1, fs2, f_name(rs3_of(word)));
    case Format::FpBinary:
    case Format::FpBinaryHalf:
      return fmt::format("{}, {}, {}", fd, fs1, fs2);
    case Format::FpCompare:
    case Format::FpCompareHalf:
      return fmt::format("{}, {}, {}", rd, fs1, fs2);
    case Format::FpToInt:
    case Format::FpToIntHalf:
    case Format::FpMoveHalf:
      return fmt::format("{}, {}", rd, fs1);
    case Format::FpFromInt:
    case Format::FpFromIntHalf:
      return fmt::format("{}, {}", fd, rs1);
    case Format::FpWiden:
    case Format::FpNarrow:
      return fmt::format("{}, {}", fd, fs1);
    case Format::Fence:
    case Format::System:
    case Format::Vector:
    case Format::Ttinsn:
      break;
  }
  return {};
}

}  // namespace

const char* integer_register_name(unsigned index) {
  return kIntegerNames[index];
}
const char* float_register_name(unsigned index) {
  return kFloatNames[index];
}

std::string disassemble(u32 word, u32 pc) {
  const Row* row = find_row(word);
  if (row != nullptr && row->format == Format::Ttinsn)
    return fmt::format(".ttinsn 0x{:08x}", std::rotr(word, 2));
  if (row != nullptr && row->format == Format::Vector) {
    const std::string text = disassemble_vector(word);
    if (!text.empty()) return text;
    row = nullptr;
  }
  if (row == nullptr) return fmt::format(".word 0x{:08x}", word);
  std::array<char, 24> buffer;
  const std::string_view name = spell(row->name, buffer);
  const std::string tail = operands(*row, word, pc);
  return tail.empty() ? std::string(name) : fmt::format("{} {}", name, tail);
}

}  // namespace bhemu::riscv
