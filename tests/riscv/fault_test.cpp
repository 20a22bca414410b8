// What a guest may do wrong: each names its rule, leaves the core at the instruction and changes
// nothing.
#include <gtest/gtest.h>

#include "riscv/guest.hpp"

namespace bhemu::riscv {
namespace {

template <class GuestType>
void expect_stop(GuestType& guest, Rule rule, const char* text_part) {
  const std::array<u32, 33> x = guest.core.x;
  const u32 pc = guest.core.pc;
  EXPECT_EQ(guest.steps(1), Outcome::Stop);
  EXPECT_EQ(guest.fault(), rule);
  ASSERT_FALSE(guest.bus.faults.empty());
  EXPECT_NE(guest.bus.faults.back().text.find(text_part), std::string::npos)
      << guest.bus.faults.back().text;
  EXPECT_EQ(guest.bus.faults.back().pc, pc);
  EXPECT_EQ(guest.core.pc, pc);
  EXPECT_EQ(guest.core.x, x);
  EXPECT_EQ(guest.core.cycle, 0u);
  EXPECT_EQ(guest.core.instret, 0u);
}

void expect_fault(CoreId id, u32 word, u32 a0, Rule rule, const char* text_part) {
  Guest fast(id);
  RecordingGuest recording(id);
  fast.core.x[10] = recording.core.x[10] = a0;
  fast.load({word});
  recording.load({word});
  expect_stop(fast, rule, text_part);
  expect_stop(recording, rule, text_part);
}

TEST(Fault, misaligned_accesses_stop_the_core) {
  for (const Op op : {Op::lh, Op::lhu, Op::lw, Op::flw, Op::flh})
    expect_fault(CoreId::Brisc, encode_i(op, 11, 10, 1), 0x2000, Rule::RiscvMisaligned, "2001");
  for (const Op op : {Op::sh, Op::sw, Op::fsw, Op::fsh})
    expect_fault(CoreId::Brisc, encode_s(op, 11, 10, 1), kLdmBase, Rule::RiscvMisaligned, "store");
  expect_fault(CoreId::Brisc, encode_i(Op::lw, 11, 10, 2), 0x2000, Rule::RiscvMisaligned, "4");
}

TEST(Fault, aligned_accesses_of_each_size_are_silent) {
  const auto silent = [](u32 word, u32 address) {
    Guest guest;
    guest.core.x[10] = address;
    return guest.execute({word}) == Outcome::Ok && guest.bus.faults.empty();
  };
  for (const u32 offset : {1u, 2u, 3u}) {
    EXPECT_TRUE(silent(encode_i(Op::lb, 11, 10, static_cast<i32>(offset)), 0x2000)) << offset;
    EXPECT_TRUE(silent(encode_s(Op::sb, 11, 10, static_cast<i32>(offset)), kLdmBase)) << offset;
  }
  EXPECT_TRUE(silent(encode_i(Op::lh, 11, 10, 2), 0x2000));
  EXPECT_TRUE(silent(encode_s(Op::sh, 11, 10, 2), kLdmBase));
  EXPECT_TRUE(silent(encode_i(Op::lw, 11, 10, 4), 0x2000));
  // The sum counts, not its parts.
  EXPECT_TRUE(silent(encode_i(Op::lw, 11, 10, 3), 0x2001));
  EXPECT_TRUE(silent(encode_r(Op::amoadd_w, 11, 10, 10), 0x2004));
}

TEST(Fault, words_that_are_no_instruction) {
  constexpr u32 kFdiv = 0x18B57553, kFsqrt = 0x58057553, kLrW = 0x1005252F, kFenceI = 0x0000100F,
                kFld = 0x00053507, kWfi = 0x10500073, kPackh = 0x08B57533, kBset = 0x28B51533;
  for (const u32 word : {0xFFFFFFFFu, kFdiv, kFsqrt, kLrW, kFenceI, kFld, kWfi, kPackh, kBset})
    expect_fault(CoreId::Trisc0, word, 0x2000, Rule::RiscvIllegalInstruction, "no instruction");
}

TEST(Fault, accesses_where_nothing_is_mapped_reach_the_bus) {
  expect_fault(CoreId::Brisc, encode_i(Op::lw, 11, 10, 0), kL1Size, Rule::TileUnmappedAddress, "");
  expect_fault(CoreId::Trisc0, encode_i(Op::lw, 11, 10, 0), kLdmBase + 0x1000,
               Rule::TileUnmappedAddress, "");
  expect_fault(CoreId::Ncrisc, encode_s(Op::sb, 11, 10, 0), kLdmBase + 0x2000,
               Rule::TileUnmappedAddress, "");
}

TEST(Fault, atomics_outside_l1) {
  for (const u32 address : {kL1Size, kLdmBase, 0x2002u, 0xFFB12000u})
    expect_fault(CoreId::Brisc, encode_r(Op::amoadd_w, 11, 10, 10), address,
                 Rule::RiscvAtomicTarget, "atomic");
}

TEST(Fault, jumps_out_of_l1_are_caught_at_the_jump) {
  expect_fault(CoreId::Brisc, encode_i(Op::jalr, 1, 10, 0), kL1Size, Rule::RiscvBadPc, "00180000");
  expect_fault(CoreId::Brisc, encode_i(Op::jalr, 1, 10, 0), 0x2002, Rule::RiscvBadPc, "multiple");
  expect_fault(CoreId::Brisc, encode_j(1, -0x2000), 0, Rule::RiscvBadPc, "fffff000");
  expect_fault(CoreId::Brisc, encode_j(1, 6), 0, Rule::RiscvBadPc, "multiple of four");
  expect_fault(CoreId::Brisc, encode_b(Op::beq, 0, 0, 6), 0, Rule::RiscvBadPc, "00001006");
}

TEST(Fault, a_bad_branch_target_does_not_matter_when_not_taken) {
  for (const Op op : {Op::bne, Op::blt, Op::bltu}) {
    Guest guest;
    EXPECT_EQ(guest.execute({encode_b(op, 0, 0, 6)}), Outcome::Ok) << row_of(op).name;
    EXPECT_EQ(guest.core.pc, 0x1004u);
  }
  for (const Op op : {Op::beq, Op::bge, Op::bgeu})
    expect_fault(CoreId::Brisc, encode_b(op, 0, 0, 6), 0, Rule::RiscvBadPc, "00001006");
}

TEST(Fault, a_bad_reset_pc) {
  for (const u32 pc : {kL1Size, 0x1002u, kLdmBase}) {
    Guest guest;
    guest.core.pc = pc;
    expect_stop(guest, Rule::RiscvBadPc, "pc 0x");
  }
}

TEST(Fault, code_at_the_end_of_l1_runs_into_nothing) {
  Guest guest;
  guest.core.pc = kL1Size - 8;
  guest.load({encode_i(Op::addi, 10, 0, 1), encode_i(Op::addi, 10, 10, 1)});
  EXPECT_EQ(guest.steps(10), Outcome::Stop);
  EXPECT_EQ(guest.core.x[10], 2u);
  EXPECT_EQ(guest.core.cycle, 2u);
  EXPECT_EQ(guest.core.instret, 2u);
  EXPECT_EQ(guest.core.pc, kL1Size);
  EXPECT_EQ(guest.fault(), Rule::RiscvBadPc);
}

TEST(Fault, the_last_word_of_l1_may_jump_back_and_be_rewritten) {
  Guest guest;
  guest.core.pc = kL1Size - 8;
  guest.load({encode_i(Op::addi, 10, 10, 1), encode_j(5, -4)});
  EXPECT_EQ(guest.steps(7), Outcome::Ok);
  EXPECT_EQ(guest.core.x[10], 4u);
  EXPECT_EQ(guest.core.x[5], kL1Size);
  guest.memory.write32(kL1Size - 4, match_of(Op::ebreak));
  EXPECT_EQ(guest.steps(9), Outcome::Stop);
  EXPECT_EQ(guest.fault(), Rule::RiscvEbreak);
}

TEST(Fault, system_instructions_stop_the_core) {
  expect_fault(CoreId::Trisc0, match_of(Op::ebreak), 0, Rule::RiscvEbreak, "failed assertion");
  expect_fault(CoreId::Trisc0, match_of(Op::ecall), 0, Rule::RiscvEcall, "ecall");
  expect_fault(CoreId::Trisc0, match_of(Op::mret), 0, Rule::RiscvMret, "TRISC0");
  expect_fault(CoreId::Brisc, match_of(Op::mret), 0, Rule::RiscvMret, "outside");
  expect_fault(CoreId::Ncrisc, ttinsn_of(0x02000000), 0, Rule::RiscvTtinsn, "0x02000000");
}

TEST(Fault, vector_instructions_exist_on_trisc2_only) {
  constexpr u32 kVsetivli = 0xC0847057;  // vsetivli zero, 8, e8, m1
  for (const CoreId id : {CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc1})
    expect_fault(id, kVsetivli, 0, Rule::RiscvVectorCore, "vsetivli");
  Guest guest(CoreId::Trisc2);
  EXPECT_EQ(guest.execute({kVsetivli}), Outcome::Ok);
}

TEST(Fault, a_tolerant_misaligned_store_fills_the_lanes_of_its_line) {
  // What tt-exalens test_l1_mem_access.py expects of a card, for every offset in two lines of L1.
  constexpr u32 kValue = 0xA1B2C3D4, kPattern = 0xDEADBEEF;
  for (u32 offset = 0; offset < 32; ++offset) {
    for (const u32 size : {2u, 4u}) {
      Guest guest;
      guest.bus.tolerant = true;
      guest.core.x[10] = 0x2000 + offset;
      guest.core.x[11] = kValue;
      for (u32 at = 0; at < 64; at += 4) guest.memory.write32(0x2000 + at, kPattern);
      EXPECT_EQ(guest.execute({encode_s(size == 2 ? Op::sh : Op::sw, 11, 10, 0)}), Outcome::Ok);
      for (u32 at = 0; at < 64; ++at) {
        const bool written = at >= offset && at < offset + size && at / 16 == offset / 16;
        const u32 word = written ? kValue >> (at % size * 8) : kPattern >> (at % 4 * 8);
        ASSERT_EQ(guest.memory.read32(0x2000 + at / 4 * 4) >> (at % 4 * 8) & 0xFF, word & 0xFF)
            << "size " << size << " offset " << offset << " byte " << at;
      }
    }
  }
}

TEST(Fault, a_tolerant_run_goes_on_where_silicon_would) {
  Guest guest;
  guest.bus.tolerant = true;
  guest.core.x[10] = 0x2001;
  guest.memory.write32(0x2000, 0x12345678);
  EXPECT_EQ(guest.execute({0xFFFFFFFF, encode_i(Op::lw, 11, 10, 0)}), Outcome::Ok);
  EXPECT_EQ(guest.core.x[11], 0x12345678u);  // the address rounded down
  EXPECT_EQ(guest.bus.pauses, 0u);
  EXPECT_EQ(guest.execute({match_of(Op::ebreak)}), Outcome::Ok);
  EXPECT_EQ(guest.bus.pauses, 1u);
  guest.bus.attention = false;
  guest.core.pc = kL1Size;
  EXPECT_EQ(guest.steps(1), Outcome::Blocked);
}

}  // namespace
}  // namespace bhemu::riscv
