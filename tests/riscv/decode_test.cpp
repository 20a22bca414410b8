// The table against itself, and the disassembler against GNU's spelling.
#include <gtest/gtest.h>

#include "riscv/disasm.hpp"
#include "riscv/encode.hpp"
#include "riscv/vector_unit.hpp"

namespace bhemu::riscv {
namespace {

TEST(Decode, a_random_word_of_a_row_finds_that_row_or_a_more_special_one) {
  std::mt19937_64 random(1);
  for (const Row& row : kRows) {
    bool found = false;
    for (int i = 0; i < 200; ++i) {
      const u32 word = random_word(row.encoding, random);
      const Row* hit = find_row(word);
      ASSERT_NE(hit, nullptr) << row.name;
      found |= hit == &row;
      if (hit != &row) {
        EXPECT_LT(hit->op, row.op) << row.name;
        EXPECT_EQ(hit->encoding.mask & row.encoding.mask, row.encoding.mask)
            << hit->name << " hides part of " << row.name;
      }
    }
    EXPECT_TRUE(found) << row.name << " can never be decoded";
  }
}

TEST(Decode, vector_rows_do_not_overlap) {
  for (const VectorRow& a : kVectorRows)
    for (const VectorRow& b : kVectorRows) {
      if (&a == &b) continue;
      const u32 common = a.encoding.mask & b.encoding.mask;
      EXPECT_NE(a.encoding.match & common, b.encoding.match & common)
          << a.name << '.' << a.form << " and " << b.name << '.' << b.form;
    }
}

TEST(Decode, immediates_survive_encoding) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const i32 twelve = static_cast<i32>(random() % 4096) - 2048;
    EXPECT_EQ(i_immediate(encode_i(Op::addi, 1, 2, twelve)), twelve);
    EXPECT_EQ(s_immediate(encode_s(Op::sw, 1, 2, twelve)), twelve);
    EXPECT_EQ(b_immediate(encode_b(Op::beq, 1, 2, twelve * 2)), twelve * 2);
    const i32 twenty = (static_cast<i32>(random() % (1 << 20)) - (1 << 19)) * 2;
    EXPECT_EQ(j_immediate(encode_j(1, twenty)), twenty);
  }
}

TEST(Decode, entries_hold_displacements_in_entries_and_x0_as_the_sink) {
  const Decoded branch = decode(encode_b(Op::bne, 3, 4, -8), 0x1000);
  EXPECT_EQ(branch.op, static_cast<u8>(Op::bne));
  EXPECT_EQ(branch.imm, -2);
  EXPECT_EQ(decode(encode_j(0, 16), 0x1000).rd, 32);
  EXPECT_EQ(decode(encode_u(Op::auipc, 1, 0x2000), 0x1004).imm, 0x3004);
  EXPECT_EQ(decode(encode_j(0, -0x2000), 0x1000).op, static_cast<u8>(Op::bad_target));
  EXPECT_EQ(decode(0x00000000, 0).op, static_cast<u8>(Op::ttinsn_0));
}

// Words and text by GNU as and objdump (riscv64-unknown-elf, binutils 2.40), names not aliased.
constexpr std::pair<u32, const char*> kTexts[] = {
    {0x12345537, "lui a0, 0x12345"},
    {0x00001517, "auipc a0, 0x1"},
    {0xff5ff0ef, "jal ra, 0xff4"},
    {0x00008067, "jalr zero, 0(ra)"},
    {0xfe0598e3, "bne a1, zero, 0xff0"},
    {0xffc12503, "lw a0, -4(sp)"},
    {0x00a12623, "sw a0, 12(sp)"},
    {0x40b50533, "sub a0, a0, a1"},
    {0x41f55513, "srai a0, a0, 31"},
    {0x02b54533, "div a0, a0, a1"},
    {0x0ff0000f, "fence"},
    {0x00100073, "ebreak"},
    {0x7c0025f3, "csrrs a1, cfg0, zero"},
    {0x7c045073, "csrrwi zero, cfg0, 8"},
    {0x30029073, "csrrw zero, mstatus, t0"},
    {0x00b5262f, "amoadd.w a2, a1, (a0)"},
    {0x20b52533, "sh1add a0, a0, a1"},
    {0x60051513, "clz a0, a0"},
    {0x08054533, "zext.h a0, a0"},
    {0x69855513, "rev8 a0, a0"},
    {0x60455513, "rori a0, a0, 4"},
    {0x00052507, "flw fa0, 0(a0)"},
    {0x68c5f543, "fmadd.s fa0, fa1, fa2, fa3"},
    {0x04b57553, "fadd.h fa0, fa0, fa1"},
    {0xc0051553, "fcvt.w.s a0, fa0"},
    {0x40250553, "fcvt.s.h fa0, fa0"},
    {0xe4050553, "fmv.x.h a0, fa0"},
    {0x050572d7, "vsetvli t0, a0, e32, m1, ta, mu"},
    {0xcd0472d7, "vsetivli t0, 8, e32, m1, ta, ma"},
    {0x02056087, "vle32.v v1, (a0)"},
    {0x0805d127, "vsse16.v v2, (a1), zero, v0.t"},
    {0x021180d7, "vadd.vv v1, v1, v3"},
    {0x0020c0d7, "vadd.vx v1, v2, ra, v0.t"},
    {0x5c0130d7, "vmerge.vim v1, v0, 2, v0"},
    {0x420020d7, "vmv.x.s ra, v0"},
    {0x5e0080d7, "vmv.v.v v1, v1"},
    {0xb2219257, "vfmacc.vv v4, v3, v2"},
    {0xffffffff, ".word 0xffffffff"},
    {0x08000000, ".ttinsn 0x02000000"},
};

TEST(Disassemble, spells_as_gnu_does) {
  for (const auto& [word, text] : kTexts) EXPECT_EQ(disassemble(word, 0x1000), text);
}

TEST(Disassemble, every_row_prints_with_its_own_name) {
  std::mt19937_64 random(3);
  std::array<char, 24> buffer;
  for (const Row& row : kRows) {
    if (row.format == Format::Vector || row.format == Format::Ttinsn) continue;
    const u32 word = random_word(row.encoding, random);
    const std::string name(spell(find_row(word)->name, buffer));
    EXPECT_EQ(disassemble(word, 0).substr(0, name.size()), name);
  }
  for (const VectorRow& row : kVectorRows) {
    const std::string name(spell(row.name, buffer));
    EXPECT_EQ(disassemble(random_word(row.encoding, random), 0).substr(0, name.size()), name);
  }
}

}  // namespace
}  // namespace bhemu::riscv
