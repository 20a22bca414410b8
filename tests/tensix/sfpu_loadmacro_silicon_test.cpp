// Five ways to double 8192 FP32 datums of Dst that were timed on a card (boopdotpng/blackhole-py
// tests/compute/sfpu/test_loadmacro_pipeline.py). The card's cycles include a constant share of the
// measurement itself; ours are the issue slots of the programs, to which the card's must come down.
#include <gtest/gtest.h>

#include "tensix/dst/dst_access.hpp"
#include "tensix/harness.hpp"

namespace bhemu::tensix::test {
namespace {

constexpr unsigned kThread = 1;
constexpr u32 kRows = 512;
constexpr u32 kFp32 = 3;  // Mod0

using Words = std::vector<u32>;

u32 loaded(u32 reg, u32 address) {
  return encode<op::SFPLOAD>(
      {{"lreg_ind", reg}, {"instr_mod0", kFp32}, {"dest_reg_addr", address}});
}
u32 stored(u32 reg, u32 address) {
  return encode<op::SFPSTORE>(
      {{"lreg_ind", reg}, {"instr_mod0", kFp32}, {"dest_reg_addr", address}});
}
u32 macro(u32 reg, u32 address) {
  return encode<op::SFPLOADMACRO>(
      {{"lreg_ind", reg}, {"instr_mod0", kFp32}, {"dest_reg_addr", address}});
}
/// LReg 6 holds 2.0. As template 0 the product goes to LReg 12, the back door.
u32 doubled(u32 reg, u32 target) {
  return encode<op::SFPMUL>(
      {{"lreg_src_a", 6}, {"lreg_src_b", reg}, {"lreg_src_c", 9}, {"lreg_dest", target}});
}
u32 half(u32 mod, u32 reg, u32 value) {
  return encode<op::SFPLOADI>({{"lreg_ind", reg}, {"instr_mod0", mod}, {"imm16", value}});
}
u32 configured(u32 target, u32 mod, u32 value) {
  return encode<op::SFPCONFIG>(
      {{"config_dest", target}, {"instr_mod1", mod}, {"imm16_math", value}});
}
u32 sfpnop() {
  return encode<op::SFPNOP>();
}
u32 next_rows() {
  return encode<op::INCRWC>({{"rwc_d", 2}});
}

class MeasuredSchedule : public testing::Test {
 protected:
  MeasuredSchedule() {
    DstAccess dst(bench.state());
    for (u32 i = 0; i < kRows * 16; ++i)
      dst.write32(i / 16, i % 16, numeric::dst_from_fp32(initial(i)));
    bench.execute(kThread, {half(0, 6, 0x4000), configured(15, 1, 0), sfpnop(), doubled(0, 12)});
    // Template 0 in the multiply-add unit one cycle after the macro, its product in the register
    // that was loaded; the store three cycles after the macro.
    bench.execute(kThread, {half(8, 0, 0x1300), half(10, 0, 0x8400), configured(4, 0, 0),
                            configured(8, 1, kFp32)});
    bench.run(4);
  }

  static u32 initial(u32 i) {
    const float value = static_cast<float>(i % 257) + 0.125F;
    return std::bit_cast<u32>(i % 3 != 0 ? -value : value);
  }

  /// Cycles from the first word to the last effect.
  Cycle time(const Words& words) {
    const Cycle begin = bench.now;
    std::size_t next = 0;
    while (next < words.size() || !bench.coprocessor.drained(kThread) ||
           !bench.state().sfpu.schedule.empty()) {
      if (next < words.size() && bench.coprocessor.can_push(kThread))
        bench.push(kThread, words[next++]);
      bench.run(1);
    }
    return bench.now - begin;
  }

  void expect_doubled() {
    DstAccess dst(bench.state());
    for (u32 i = 0; i < kRows * 16; ++i) {
      const float value = std::bit_cast<float>(initial(i)) * 2;
      ASSERT_EQ(numeric::fp32_from_dst(dst.read32(i / 16, i % 16)), std::bit_cast<u32>(value))
          << "row " << i / 16 << " column " << i % 16;
    }
    EXPECT_TRUE(bench.faults.faults().empty());
  }

  /// Sixty-four times a recorded body that treats eight rows, by a MOP of template 1.
  Cycle time_of_replays(const Words& body) {
    const u32 length = static_cast<u32>(body.size());
    Words record = {encode<op::REPLAY>({{"len", length}, {"load_mode", 1}})};
    record.insert(record.end(), body.begin(), body.end());
    bench.execute(kThread, record);
    const u32 play = encode<op::REPLAY>({{"len", length}});
    const u32 config[9] = {1, 64, nop(), nop(), nop(), play, nop(), play, play};
    for (u32 i = 0; i < 9; ++i)
      bench.coprocessor.write_mop_config(kThread, i, config[i], bench.core());
    return time({encode<op::MOP>({{"mop_type", 1}})});
  }

  Harness bench;
};

TEST_F(MeasuredSchedule, load_multiply_nop_store_takes_four_slots_a_step) {
  Words words;
  for (u32 row = 0; row < kRows; row += 2) {
    const u32 reg = row / 2 % 4;
    words.insert(words.end(), {loaded(reg, row), doubled(reg, reg), sfpnop(), stored(reg, row)});
  }
  const Cycle cycles = time(words);  // 1054 on the card
  EXPECT_GE(cycles, 1024u);
  EXPECT_LE(cycles, 1024u + 4);
  expect_doubled();
}

TEST_F(MeasuredSchedule, a_macro_and_three_nops_take_four_slots_a_step) {
  Words words;
  for (u32 row = 0; row < kRows; row += 2) {
    words.push_back(macro(row / 2 % 4, row));
    words.insert(words.end(), 3, sfpnop());
  }
  const Cycle cycles = time(words);  // 1164 on the card
  EXPECT_GE(cycles, 1024u);
  EXPECT_LE(cycles, 1024u + 4);
  expect_doubled();
}

TEST_F(MeasuredSchedule, macros_over_four_registers_take_one_slot_a_step) {
  Words words;
  for (u32 row = 0; row < kRows; row += 2) words.push_back(macro(row / 2 % 4, row));
  words.insert(words.end(), 4, sfpnop());
  const Cycle cycles = time(words);  // 306 on the card
  EXPECT_GE(cycles, 260u);
  EXPECT_LE(cycles, 260u + 4);
  expect_doubled();
}

TEST_F(MeasuredSchedule, replayed_single_steps_take_five_slots_each) {
  Words body;
  for (u32 reg = 0; reg < 4; ++reg)
    body.insert(body.end(),
                {loaded(reg, 0), doubled(reg, reg), sfpnop(), stored(reg, 0), next_rows()});
  const Cycle cycles = time_of_replays(body);  // 1377 on the card
  EXPECT_GE(cycles, 1280u);
  EXPECT_LE(cycles, 1280u + 8);
  expect_doubled();
}

TEST_F(MeasuredSchedule, replayed_macros_take_two_slots_each) {
  Words body;
  for (u32 reg = 0; reg < 4; ++reg) body.insert(body.end(), {macro(reg, 0), next_rows()});
  const Cycle cycles = time_of_replays(body);  // 597 on the card
  EXPECT_GE(cycles, 512u);
  EXPECT_LE(cycles, 512u + 8);
  expect_doubled();
}

}  // namespace
}  // namespace bhemu::tensix::test
