// How many Tensix instructions a core can push onto a thread that does not advance
// (PushTensixInstruction.md), and what MOPExpanderDoneCheck needs of such a thread.
#include <random>

#include "riscv/jit/cache.hpp"
#include "tensix/isa.hpp"
#include "tensix/state.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {
namespace {

using tensix::encode;
namespace op = tensix::op;

constexpr u32 kCode = 0x6000;
constexpr u32 kResult = 0x9000;
constexpr u32 kFusionOff = 1u << 18;

u32 endless_wait() {  // semaphore 0 stays zero
  return encode<op::SEMWAIT>({{"stall_res", 0x1FF}, {"wait_sem_cond", 1}, {"sem_sel", 1}});
}
u32 nop() {
  return encode<op::DMANOP>();
}

/// Stores how many pushes were done, one by one, before and after each.
struct Pusher : Assembler {
  explicit Pusher(u32 base) : Assembler(base) {
    li(s0, kResult);
    li(s1, 0xFFE40000);
    li(a1, nop());
    li(a2, 0);
  }
  void count() {
    addi(a2, a2, 1);
    sw(a2, 0, s0);
  }
};

u32 pushed(OneTile& chip, CoreId core, Pusher& program) {
  program.halt();
  const u32 at = core == CoreId::Brisc ? 0 : kCode;
  chip.load(at, program.finish());
  if (core != CoreId::Brisc) chip.start_at(core, at);
  chip.start({core});
  chip.run(5000);
  return chip.read(kResult);
}

TEST(PushDepth, of_a_triscs_stores_is_29_with_the_one_that_waits_at_the_gate) {
  for (const Cycle quantum : {1, 32})
    for (const bool parking : {false, true}) {
      OneTile chip(quantum, parking);
      Pusher p(kCode);
      p.li(t1, endless_wait());
      p.sw(t1, 0, s1);
      // The wait itself passes; behind it nothing does.
      for (u32 i = 0; i < 40; ++i) {
        p.sw(a1, 0, s1);
        p.count();
      }
      EXPECT_EQ(pushed(chip, CoreId::Trisc0, p), 29u);
      EXPECT_TRUE(chip.tile->faults().faults().empty());
    }
}

/// `lead` stores, and then `.ttinsn` in a row, up to four of which are one push.
u32 depth_with_ttinsn(u32 lead, bool fuses) {
  u32 depth = 0;
  for (const Cycle quantum : {1, 64}) {
    OneTile chip(quantum);
    Pusher p(kCode);
    p.li(t1, fuses ? 0 : kFusionOff);
    p.word(0x7C0u << 20 | static_cast<u32>(t1) << 15 | 1 << 12 | 0x73);  // csrw cfg0
    p.ttinsn(endless_wait());
    p.li(a3, 0);  // ends the group
    for (u32 i = 0; i < lead; ++i) p.sw(a1, 0, s1);
    for (u32 i = 0; i < 8; ++i) p.ttinsn(nop());
    pushed(chip, CoreId::Trisc0, p);
    const tensix::Frontend& frontend = chip.tile->coprocessor().state().frontend[0];
    const u32 found = frontend.fifo.size() + (frontend.gate_full ? 1 : 0);
    if (quantum != 1) {
      EXPECT_EQ(found, depth) << "turns of " << quantum;
    }
    depth = found;
  }
  return depth;
}

TEST(PushDepth, of_fused_ttinsns_reaches_32_from_exactly_28) {
  EXPECT_EQ(depth_with_ttinsn(28, true), 32u);
  EXPECT_EQ(depth_with_ttinsn(27, true), 31u);
  EXPECT_EQ(depth_with_ttinsn(26, true), 30u);
  EXPECT_EQ(depth_with_ttinsn(25, true), 29u);
  EXPECT_EQ(depth_with_ttinsn(24, true), 32u) << "two groups, the second from 28";
  EXPECT_EQ(depth_with_ttinsn(28, false), 29u);
  EXPECT_EQ(depth_with_ttinsn(29, true), 29u);
}

/// Groups of up to nine `.ttinsn`, forty times over. Registers tell the order in which a thread has
/// executed them; words for several cycles make it full, and a STOREREG ends what goes at once.
std::vector<u32> group_program(u32 seed) {
  std::mt19937 random(seed);
  const auto pick = [&](u32 count) { return static_cast<u32>(random()) % count; };
  Assembler a(kCode);
  a.li(s0, kResult);
  a.li(s1, 40);
  const std::array<u32, 9> config{
      1, 16, nop(), nop(), nop(), nop(), nop(), nop(), encode<op::NOP>()};
  a.li(t0, 0xFFB80000);
  for (u32 i = 0; i < config.size(); ++i) {
    a.li(t1, config[i]);
    a.sw(t1, static_cast<i32>(4 * i), t0);
  }
  a.label("round");
  for (u32 group = 0; group < 6; ++group) {
    for (u32 left = 1 + pick(9); left != 0; --left) {
      switch (pick(12)) {
        case 0:
          a.ttinsn(encode<op::MOP>({{"mop_type", 1}}));
          break;
        case 1:
          a.ttinsn(encode<op::STOREREG>({{"tdma_data_reg_index", 4}, {"reg_addr", 0x20000 / 4}}));
          break;
        default:
          a.ttinsn(encode<op::MULDMAREG>({{"op_b_is_const", 1},
                                          {"result_reg_index", 4},
                                          {"op_b_reg_index", pick(64)},
                                          {"op_a_reg_index", 4}}));
          a.ttinsn(encode<op::ADDDMAREG>({{"op_b_is_const", 1},
                                          {"result_reg_index", 4},
                                          {"op_b_reg_index", 1 + pick(63)},
                                          {"op_a_reg_index", 4}}));
          break;
      }
    }
    a.addi(a2, a2, 1);
  }
  a.addi(s1, s1, -1);
  a.bne(s1, zero, "round");
  a.csrr(t1, 0xB00);  // how long it took
  a.sw(t1, 0, s0);
  a.halt();
  return a.finish();
}

TEST(PushDepth, and_order_are_the_same_when_translated_code_pushes_groups) {
  const auto code = riscv::jit::CodeCache::create(riscv::jit::Options{true, 2, 1 << 20});
  if (code == nullptr) GTEST_SKIP() << "code is not translated on this processor";
  for (u32 seed = 0; seed < 12; ++seed) {
    OneTile interpreted(64);
    OneTile translated(64, true, nullptr, code);
    for (OneTile* chip : {&interpreted, &translated}) {
      chip->load(kCode, group_program(seed));
      chip->start_at(CoreId::Trisc0, kCode);
      chip->start({CoreId::Trisc0});
    }
    for (u32 slice = 0; slice < 100; ++slice) {
      for (OneTile* chip : {&interpreted, &translated}) chip->run(51);
      ASSERT_EQ(translated.hash(), interpreted.hash()) << seed << ", slice " << slice;
    }
    for (OneTile* chip : {&interpreted, &translated}) chip->run(20'000);
    EXPECT_EQ(translated.hash(), interpreted.hash()) << seed;
    EXPECT_NE(translated.read(kResult), 0u);
    EXPECT_TRUE(translated.tile->faults().faults().empty());
  }
}

TEST(PushDepth, of_briscs_stores_is_what_fits_behind_the_mop_expander) {
  OneTile chip;
  Pusher p(0);
  p.li(t1, endless_wait());
  p.sw(t1, 0, s1);
  for (u32 i = 0; i < 40; ++i) {
    p.sw(a1, 0, s1);
    p.count();
  }
  EXPECT_EQ(pushed(chip, CoreId::Brisc, p), 11u) << "8 + 2, and one at the gate";
}

/// A MOP of `count` instructions on a thread that waits for a semaphore which the TRISC posts once
/// the MOP expander is done, and with another MOP configured by then. Returns whether it got there.
bool passes_mop_sync(u32 count) {
  OneTile chip;
  Assembler a(kCode);
  const auto configure = [&a](u32 inner, u32 word) {
    const std::array<u32, 9> config{1,
                                    inner,
                                    encode<op::NOP>(),
                                    encode<op::NOP>(),
                                    encode<op::NOP>(),
                                    word,
                                    encode<op::NOP>(),
                                    word,
                                    word};
    a.li(t0, 0xFFB80000);
    for (u32 i = 0; i < 9; ++i) {
      a.li(t1, config[i]);
      a.sw(t1, static_cast<i32>(4 * i), t0);
    }
  };
  const auto add = [](u32 gpr) {
    return encode<op::ADDDMAREG>({{"op_b_is_const", 1},
                                  {"result_reg_index", gpr},
                                  {"op_b_reg_index", 1},
                                  {"op_a_reg_index", gpr}});
  };
  a.li(s1, 0xFFE40000);
  a.li(t1, encode<op::SEMINIT>({{"max_value", 15}, {"sem_sel", 1}}));
  a.sw(t1, 0, s1);
  configure(count, add(10));
  for (const u32 word : {endless_wait(), encode<op::MOP>({{"mop_type", 1}})}) {
    a.li(t1, word);
    a.sw(t1, 0, s1);
  }
  a.li(t0, 0xFFE80008);
  a.lw(a0, 0, t0);
  configure(3, add(11));
  a.li(t0, 0xFFE80020);
  a.sw(zero, 0, t0);  // post
  a.li(t1, encode<op::MOP>({{"mop_type", 1}}));
  a.sw(t1, 0, s1);
  a.li(t0, 0xFFE80004);
  a.lw(a0, 0, t0);
  a.li(s0, kResult);
  a.li(t1, 1);
  a.sw(t1, 0, s0);
  a.halt();
  chip.load(kCode, a.finish());
  chip.start_at(CoreId::Trisc0, kCode);
  chip.start({CoreId::Trisc0});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_TRUE(chip.tile->faults().faults().empty());
  const bool passed = chip.read(kResult) == 1;
  const auto& gpr = chip.tile->coprocessor().state().thcon.gpr[0];
  EXPECT_EQ(gpr[10], passed ? count : 0u) << "what the first MOP was configured to";
  EXPECT_EQ(gpr[11], passed ? 3u : 0u);
  return passed;
}

TEST(PushDepth, lets_the_mop_expander_finish_what_fits_behind_it) {
  EXPECT_TRUE(passes_mop_sync(1));
  EXPECT_TRUE(passes_mop_sync(9));
  // Ten places and the gate.
  EXPECT_TRUE(passes_mop_sync(11));
  EXPECT_FALSE(passes_mop_sync(12));
}

}  // namespace
}  // namespace bhemu::test
