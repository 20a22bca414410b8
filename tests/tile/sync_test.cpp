// TTSync: what a core reads at 0xFFE80004 and 0xFFE80008 holds it until its Tensix thread, or the
// thread's MOP expander, is done (ManualTTSync.md); and the cores' window onto Dst.
#include "tensix/isa.hpp"
#include "tensix/state.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {
namespace {

constexpr u32 kCode = 0x6000;
constexpr u32 kResult = 0x9000;
constexpr u32 kWord = 0x8000;

using tensix::encode;
namespace op = tensix::op;

/// 16 * GPR 1 is kWord.
u32 set_gpr_1() {
  return encode<op::SETDMAREG>({{"reg_index_16b", 2}, {"payload_sig_sel", kWord / 16}});
}
u32 wait_for_5_store_3() {
  return encode<op::ATCAS>({{"addr_reg_index", 1}, {"cmp_val", 5}, {"swap_val", 3}});
}

/// TRISC0 pushes the words, reads `sync`, and then stores a mark.
void run_trisc(OneTile& chip, const std::vector<u32>& pushed, u32 sync) {
  Assembler a(kCode);
  a.li(t0, 0xFFE40000);
  for (const u32 word : pushed) {
    a.li(t1, word);
    a.sw(t1, 0, t0);
  }
  a.li(t2, sync);
  a.lw(a0, 0, t2);
  a.li(s0, kResult);
  a.li(s1, 0x77);
  a.sw(s1, 0, s0);
  a.halt();
  chip.load(kCode, a.finish());
  chip.start_at(CoreId::Trisc0, kCode);
  chip.start({CoreId::Trisc0});
}

TEST(TtSync, holds_the_core_until_the_threads_last_instruction_is_done) {
  for (const Cycle quantum : {1, 32}) {
    OneTile chip(quantum);
    run_trisc(chip, {set_gpr_1(), wait_for_5_store_3()}, 0xFFE80004);
    EXPECT_EQ(chip.run(), sched::Stop::Idle);
    EXPECT_EQ(chip.read(kResult), 0u);
    chip.write(kWord, 5);
    EXPECT_EQ(chip.run(), sched::Stop::Idle);
    EXPECT_EQ(chip.read(kWord), 3u);
    EXPECT_EQ(chip.read(kResult), 0x77u);
  }
}

TEST(TtSync, of_the_mop_expander_does_not_wait_for_what_has_left_it) {
  OneTile chip;
  run_trisc(chip, {set_gpr_1(), wait_for_5_store_3()}, 0xFFE80008);
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.read(kResult), 0x77u);
  EXPECT_EQ(chip.read(kWord), 0u);
}

/// A store that SFPLOADMACRO has put off for eight cycles belongs to the thread's work.
TEST(TtSync, holds_the_core_until_scheduled_vector_instructions_are_done) {
  OneTile chip;
  const auto immediate = [](u32 reg, u32 mod, u32 value) {
    return encode<op::SFPLOADI>({{"lreg_ind", reg}, {"instr_mod0", mod}, {"imm16", value}});
  };
  const auto configure = [](u32 target, u32 mod, u32 value) {
    return encode<op::SFPCONFIG>(
        {{"config_dest", target}, {"instr_mod1", mod}, {"imm16_math", value}});
  };
  const u32 store = 7u << 3 | 3;  // the register that the macro loads, delay 7
  Assembler a(kCode);
  a.li(t0, 0xFFE40000);
  for (const u32 word : {
           immediate(1, 2, 0x4000),
           encode<op::SFPSTORE>({{"lreg_ind", 1}, {"instr_mod0", 4}, {"dest_reg_addr", 0}}),
           immediate(0, 8, store << 8),
           immediate(0, 10, 0),
           configure(4, 0, 0),  // sequence 0
           configure(8, 1, 4),  // stores in mode 4
           // Loads what was stored and stores it to row 0 again, where zeros are by then.
           encode<op::SFPLOADMACRO>({{"lreg_ind", 2}, {"instr_mod0", 4}, {"dest_reg_addr", 0}}),
           encode<op::SFPSTORE>({{"lreg_ind", 9}, {"instr_mod0", 4}, {"dest_reg_addr", 0}}),
       }) {
    a.li(t1, word);
    a.sw(t1, 0, t0);
  }
  a.li(t2, 0xFFE80004);
  a.lw(a0, 0, t2);
  a.li(t2, 0xFFBD8000);  // the window, format 0
  a.lw(a1, 0, t2);
  a.li(s0, kResult);
  a.sw(a1, 0, s0);
  a.halt();
  chip.load(kCode, a.finish());
  chip.start_at(CoreId::Trisc0, kCode);
  chip.start({CoreId::Trisc0});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.read(kResult), 0x4000u);
  EXPECT_TRUE(chip.tile->coprocessor().state().sfpu.schedule.empty());
}

/// Cores store bytes, half-words and words to Dst and read them back through the same conversion.
TEST(DstWindowOfCores, converts_what_a_core_stores_and_loads) {
  OneTile chip;
  Assembler a(kCode);
  a.li(t0, 0xFFBD8000);
  a.li(t1, 0x3F812345);
  a.sw(t1, 64, t0);
  a.lw(a0, 64, t0);
  a.li(s0, kResult);
  a.sw(a0, 0, s0);
  a.halt();
  chip.load(kCode, a.finish());
  chip.start_at(CoreId::Trisc0, kCode);
  chip.start({CoreId::Trisc0});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.read(kResult), 0x3F812345u);
  const tensix::Dst& dst = chip.tile->coprocessor().state().fpu.dst;
  EXPECT_EQ(dst.row[1].datum[0], 0x017F) << "storage order: mantissa before exponent";
  EXPECT_EQ(dst.row[9].datum[0], 0x2345);
}

}  // namespace
}  // namespace bhemu::test
