// Vectors per integer instruction, from the manual's definitions, and a check that none is missing.
#include <gtest/gtest.h>

#include <set>

#include "riscv/guest.hpp"

namespace bhemu::riscv {
namespace {

struct Vector {
  Op op;
  u32 rs1;
  u32 rs2;  // or the immediate
  u32 rd;
};

constexpr Vector kVectors[] = {
    {Op::addi, 5, 0xFFFFFFFF, 4},
    {Op::slti, 0x80000000, 0, 1},
    {Op::sltiu, 0x80000000, 0xFFFFFFFF, 1},
    {Op::xori, 0x0F0F0F0F, 0xFFFFFFFF, 0xF0F0F0F0},
    {Op::ori, 0x100, 0x7FF, 0x7FF},
    {Op::andi, 0xFFFFFFFF, 0xFFFFF800, 0xFFFFF800},
    {Op::slli, 1, 31, 0x80000000},
    {Op::srli, 0x80000000, 31, 1},
    {Op::srai, 0x80000000, 31, 0xFFFFFFFF},
    {Op::add, 0xFFFFFFFF, 2, 1},
    {Op::sub, 1, 2, 0xFFFFFFFF},
    {Op::sll, 1, 33, 2},
    {Op::slt, 0xFFFFFFFF, 0, 1},
    {Op::sltu, 0xFFFFFFFF, 0, 0},
    {Op::xor_, 0xFF00, 0x0FF0, 0xF0F0},
    {Op::srl, 0x80000000, 63, 1},
    {Op::sra, 0x80000000, 36, 0xF8000000},
    {Op::or_, 0xF0, 0x0F, 0xFF},
    {Op::and_, 0xF0, 0x3F, 0x30},
    {Op::mul, 0x10001, 0x10001, 0x20001},
    {Op::mulh, 0x80000000, 0x80000000, 0x40000000},
    {Op::mulhsu, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF},
    {Op::mulhu, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE},
    {Op::div_, 0x80000000, 0xFFFFFFFF, 0x80000000},
    {Op::div_, 7, 0, 0xFFFFFFFF},
    {Op::div_, 0xFFFFFFF9, 2, 0xFFFFFFFD},
    {Op::divu, 0xFFFFFFFF, 16, 0x0FFFFFFF},
    {Op::divu, 7, 0, 0xFFFFFFFF},
    {Op::rem, 0x80000000, 0xFFFFFFFF, 0},
    {Op::rem, 0xFFFFFFF9, 2, 0xFFFFFFFF},
    {Op::rem, 7, 0, 7},
    {Op::remu, 0xFFFFFFFF, 16, 15},
    {Op::remu, 7, 0, 7},
    {Op::sh1add, 3, 100, 106},
    {Op::sh2add, 3, 100, 112},
    {Op::sh3add, 3, 100, 124},
    {Op::andn, 0xFF, 0x0F, 0xF0},
    {Op::orn, 0, 0xFFFFFF00, 0xFF},
    {Op::xnor, 0xFFFF0000, 0xFF00FF00, 0xFF0000FF},
    {Op::clz, 0x00010000, 0, 15},
    {Op::clz, 0, 0, 32},
    {Op::ctz, 0x00010000, 0, 16},
    {Op::ctz, 0, 0, 32},
    {Op::cpop, 0xF0F00001, 0, 9},
    {Op::sext_b, 0x1280, 0, 0xFFFFFF80},
    {Op::sext_h, 0x18000, 0, 0xFFFF8000},
    {Op::zext_h, 0x12348765, 0, 0x8765},
    {Op::orc_b, 0x00100180, 0, 0x00FFFFFF},
    {Op::rev8, 0x12345678, 0, 0x78563412},
    {Op::max, 0xFFFFFFFF, 1, 1},
    {Op::maxu, 0xFFFFFFFF, 1, 0xFFFFFFFF},
    {Op::min, 0xFFFFFFFF, 1, 0xFFFFFFFF},
    {Op::minu, 0xFFFFFFFF, 1, 1},
    {Op::rol, 0x80000001, 4, 0x18},
    {Op::ror, 0x80000001, 4, 0x18000000},
    {Op::rori, 0x80000001, 1, 0xC0000000},
    {Op::pack, 0x12345678, 0x9ABCDEF0, 0xDEF05678},
    {Op::brev8, 0x01020480, 0, 0x80402001},
    {Op::grevi, 0x80000000, 31, 1},
    {Op::grevi, 0x12345678, 16, 0x56781234},
    {Op::grevi, 0x12345678, 1, 0x2138A9B4},
};

u32 word_of(const Vector& v) {
  switch (row_of(v.op).format) {
    case Format::Imm:
      return encode_i(v.op, 12, 10, static_cast<i32>(v.rs2));
    case Format::Shift:
      return encode_r(v.op, 12, 10, v.rs2);
    case Format::Unary:
      return match_of(v.op) | 12 << 7 | 10 << 15;
    default:
      return encode_r(v.op, 12, 10, 11);
  }
}

TEST(Instruction, arithmetic_gives_the_manuals_results) {
  for (const Vector& v : kVectors) {
    Guest guest;
    guest.core.x[10] = v.rs1;
    guest.core.x[11] = v.rs2;
    EXPECT_EQ(guest.execute({word_of(v)}), Outcome::Ok);
    EXPECT_EQ(guest.core.x[12], v.rd) << row_of(v.op).name << std::hex << " 0x" << v.rs1;
    EXPECT_EQ(guest.core.pc, 0x1004u);
  }
}

TEST(Instruction, every_arithmetic_row_has_a_vector) {
  std::set<Op> covered;
  for (const Vector& v : kVectors) covered.insert(v.op);
  for (const Row& row : kRows) {
    const bool is_arithmetic = row.format == Format::Imm || row.format == Format::Shift ||
                               row.format == Format::Reg || row.format == Format::Unary;
    if (is_arithmetic) {
      EXPECT_TRUE(covered.contains(row.op)) << row.name;
    }
  }
}

TEST(Instruction, x0_stays_zero_whatever_writes_it) {
  Guest guest;
  guest.core.x[10] = 0x2000;
  guest.memory.write32(0x2000, 77);
  guest.execute({encode_i(Op::addi, 0, 0, 5), encode_i(Op::lw, 0, 10, 0), encode_u(Op::lui, 0, ~0u),
                 encode_r(Op::amoadd_w, 0, 10, 10), encode_csr(Op::csrrs, 0, 0x301, 0),
                 encode_j(0, 4), encode_r(Op::add, 5, 0, 0)});
  EXPECT_EQ(guest.core.x[0], 0u);
  EXPECT_EQ(guest.core.x[5], 0u);
}

TEST(Instruction, loads_extend_and_stores_cut) {
  Guest guest;
  guest.core.x[10] = 0x2010;
  guest.core.x[11] = 0x8899AABB;
  guest.execute(
      {encode_s(Op::sw, 11, 10, 0), encode_i(Op::lb, 1, 10, 0), encode_i(Op::lbu, 2, 10, 1),
       encode_i(Op::lh, 3, 10, 2), encode_i(Op::lhu, 4, 10, 2), encode_s(Op::sb, 10, 10, -4),
       encode_s(Op::sh, 11, 10, -8), encode_i(Op::lw, 5, 10, -4), encode_i(Op::lw, 6, 10, -8)});
  EXPECT_EQ(guest.core.x[1], 0xFFFFFFBB);
  EXPECT_EQ(guest.core.x[2], 0xAAu);
  EXPECT_EQ(guest.core.x[3], 0xFFFF8899);
  EXPECT_EQ(guest.core.x[4], 0x8899u);
  EXPECT_EQ(guest.core.x[5], 0x10u);
  EXPECT_EQ(guest.core.x[6], 0xAABBu);
}

TEST(Instruction, jumps_link_and_branches_choose) {
  Guest guest;
  guest.load({encode_u(Op::auipc, 1, 0x5000), encode_j(2, 8), 0xFFFFFFFF,
              encode_i(Op::jalr, 3, 2, 13), 0xFFFFFFFF, encode_b(Op::bltu, 0, 2, 8), 0xFFFFFFFF,
              encode_b(Op::bne, 0, 0, -4), encode_b(Op::beq, 0, 0, -32)});
  EXPECT_EQ(guest.steps(5), Outcome::Ok);  // auipc, jal, jalr to 0x1014, bltu, bne
  EXPECT_EQ(guest.core.x[1], 0x6000u);
  EXPECT_EQ(guest.core.x[2], 0x1008u);
  EXPECT_EQ(guest.core.x[3], 0x1010u);
  EXPECT_EQ(guest.core.pc, 0x1020u);
  EXPECT_EQ(guest.steps(1), Outcome::Ok);
  EXPECT_EQ(guest.core.pc, 0x1000u);
}

TEST(Instruction, atomics_return_the_old_word_and_ignore_ordering_bits) {
  static constexpr struct {
    Op op;
    u32 memory, rs2, result;
  } kAtomics[] = {
      {Op::amoswap_w, 1, 2, 2},
      {Op::amoadd_w, 0xFFFFFFFF, 2, 1},
      {Op::amoxor_w, 0xFF, 0x0F, 0xF0},
      {Op::amoand_w, 0xFF, 0x0F, 0x0F},
      {Op::amoor_w, 0xF0, 0x0F, 0xFF},
      {Op::amomin_w, 0xFFFFFFFF, 1, 0xFFFFFFFF},
      {Op::amomax_w, 0xFFFFFFFF, 1, 1},
      {Op::amominu_w, 0xFFFFFFFF, 1, 1},
      {Op::amomaxu_w, 0xFFFFFFFF, 1, 0xFFFFFFFF},
  };
  for (const auto& a : kAtomics) {
    for (u32 ordering = 0; ordering < 4; ++ordering) {
      Guest guest;
      guest.core.x[10] = 0x2000;
      guest.core.x[11] = a.rs2;
      guest.memory.write32(0x2000, a.memory);
      guest.execute({encode_r(a.op, 12, 10, 11) | ordering << 25});
      EXPECT_EQ(guest.core.x[12], a.memory) << row_of(a.op).name;
      EXPECT_EQ(guest.memory.read32(0x2000), a.result) << row_of(a.op).name;
    }
  }
}

TEST(Instruction, ttinsn_pushes_the_word_rotated_back) {
  for (const u32 tensix : {0x02000000u, 0xBFFFFFFFu, 0x40000001u, 0x84001230u}) {
    Guest guest(CoreId::Trisc1);
    EXPECT_EQ(guest.execute({ttinsn_of(tensix)}), Outcome::Ok);
    EXPECT_EQ(guest.bus.pushed, std::vector<u32>{tensix});
  }
}

TEST(Instruction, ttinsn_on_brisc_is_a_store_to_the_first_instruction_buffer) {
  Guest guest(CoreId::Brisc);
  guest.bus.devices[kInstrnBufBase] = 0;
  EXPECT_EQ(guest.execute({ttinsn_of(0x02000000)}), Outcome::Ok);
  EXPECT_EQ(guest.bus.devices[kInstrnBufBase], 0x02000000u);
}

TEST(Instruction, ttinsn_waits_for_room_without_effect) {
  Guest guest(CoreId::Trisc0);
  guest.bus.push_outcome = Outcome::Blocked;
  EXPECT_EQ(guest.execute({ttinsn_of(0x02000000)}), Outcome::Blocked);
  EXPECT_EQ(guest.core.pc, 0x1000u);
  EXPECT_EQ(guest.core.cycle, 0u);
  EXPECT_EQ(guest.core.instret, 0u);
  guest.bus.push_outcome = Outcome::Ok;
  EXPECT_EQ(guest.steps(1), Outcome::Ok);
  EXPECT_EQ(guest.bus.pushed.size(), 1u);
}

}  // namespace
}  // namespace bhemu::riscv
