#include "race/window.hpp"

#include <gtest/gtest.h>

#include "race/bench.hpp"

namespace bhemu::race::test {
namespace {

using namespace tensix;

Instruction instruction(u32 word, std::vector<Location> reads = {},
                        std::vector<Location> writes = {}) {
  Instruction one;
  one.site = {Agent::Thread1, word, 0, 0, Origin::Queue};
  one.reads = std::move(reads);
  one.writes = std::move(writes);
  return one;
}

struct Case {
  EdgeId edge;
  Instruction first;
  Instruction second;
  unsigned needed;  // instructions between that make it right
};

Location config_word(u64 index) {
  return {Place::Config, 1, index};
}

u32 mad(u32 vd) {
  return word<op::SFPMAD>({{"lreg_dest", vd}});
}

std::vector<Case> cases() {
  const u32 iadd = word<op::SFPIADD>({{"lreg_dest", 3}, {"lreg_c", 1}});
  const u32 and_vb = word<op::SFPAND>({{"instr_mod1", 1}, {"imm12_math", 3}, {"lreg_dest", 2}});
  const u32 or_vb = word<op::SFPOR>({{"instr_mod1", 1}, {"imm12_math", 3}, {"lreg_dest", 2}});
  const u32 shift = word<op::SFPSHFT>({{"lreg_dest", 3}, {"lreg_c", 1}});
  const u32 config = word<op::SFPCONFIG>({{"config_dest", 12}});
  const u32 swap = word<op::SFPSWAP>({{"instr_mod1", 1}, {"lreg_dest", 3}, {"lreg_src_c", 2}});
  const u32 rotate = word<op::SFPSHFT2>({{"instr_mod1", 3}, {"lreg_src_c", 3}});
  const u32 shift_vb = word<op::SFPSHFT2>({{"instr_mod1", 5}, {"imm12_math", 3}, {"lreg_dest", 2}});
  const u32 setdmareg = word<op::SETDMAREG>({{"reg_index_16b", 24}});
  const u32 wrcfg = word<op::WRCFG>({{"gpr_address", 12}});
  const u32 reg2flop = word<op::REG2FLOP>({{"reg_index", 12}});
  std::vector<Case> all = {
      {EdgeId::FpuToSfpLoad, instruction(words::mvmul, {}, {dst(0)}),
       instruction(words::sfpload, {dst(0, 4)}), 3},
      {EdgeId::MoveToDst, instruction(word<op::MOVA2D>(), {}, {dst(0)}),
       instruction(words::elwadd, {dst(0)}), 3},
      {EdgeId::WrcfgToNext, instruction(words::wrcfg, {}, {config_word(4)}),
       instruction(words::unpacr(), {config_word(4)}), 1},
      {EdgeId::CfgshiftmaskToNext, instruction(word<op::CFGSHIFTMASK>(), {}, {config_word(4)}),
       instruction(words::unpacr(), {config_word(4)}), 1},
      {EdgeId::SetdmaregToWrcfg, instruction(setdmareg), instruction(wrcfg), 2},
      {EdgeId::SetdmaregToWrcfg, instruction(setdmareg), instruction(reg2flop), 2},
      {EdgeId::BackdoorSwitch,
       instruction(word<op::SFPCONFIG>({{"config_dest", 15}}), {}, {{Place::LReg, 1, 18}}),
       instruction(word<op::SFPLOADI>({{"lreg_ind", 13}})), 1},
  };
  for (const u32 reader : {iadd, and_vb, or_vb, shift, swap, rotate, shift_vb})
    all.push_back({EdgeId::MadToReader, instruction(mad(3)), instruction(reader), 1});
  all.push_back({EdgeId::MadToReader, instruction(mad(0)), instruction(config), 1});
  return all;
}

std::size_t findings(const Case& one, unsigned between, u32 filler = words::nop) {
  WindowChecker checker;
  checker.issue(one.first);
  for (unsigned i = 0; i < between; ++i) checker.issue(instruction(filler));
  checker.issue(one.second);
  for (const Finding& finding : checker.findings()) EXPECT_EQ(finding.edge, one.edge);
  return checker.findings().size();
}

TEST(RaceWindow, too_few_instructions_between_are_found_and_the_documented_number_is_enough) {
  for (const Case& one : cases()) {
    for (unsigned between = 0; between < one.needed; ++between)
      EXPECT_EQ(findings(one, between), 1u) << info_of(one.edge).name << " " << between;
    EXPECT_EQ(findings(one, one.needed), 0u) << info_of(one.edge).name;
  }
}

TEST(RaceWindow, cycles_that_happened_to_pass_do_not_count) {
  for (Case one : cases()) {
    one.second.site.cycle = 1000;
    EXPECT_EQ(findings(one, 0), 1u) << info_of(one.edge).name;
  }
}

TEST(RaceWindow, the_same_instructions_on_other_things_are_silent) {
  for (Case one : cases()) {
    if (one.edge == EdgeId::SetdmaregToWrcfg) {
      one.first.site.pc = word<op::SETDMAREG>({{"reg_index_16b", 80}});
    } else if (one.edge == EdgeId::MadToReader) {
      one.first.site.pc = mad(7);
    } else if (one.edge == EdgeId::BackdoorSwitch) {
      one.second.site.pc = word<op::SFPLOADI>({{"lreg_ind", 3}});
    } else {
      for (Location& where : one.second.reads) where.begin += 64;
    }
    EXPECT_EQ(findings(one, 0), 0u) << info_of(one.edge).name;
  }
}

TEST(RaceWindow, a_stallwait_for_the_first_unit_that_holds_the_second_is_enough) {
  const Case dst_case = cases().front();
  EXPECT_EQ(findings(dst_case, 1, words::stallwait(block::kSfpu, wait::kMath)), 0u);
  EXPECT_EQ(findings(dst_case, 1, words::stallwait(block::kSfpu, wait::kPack)), 1u);
  EXPECT_EQ(findings(dst_case, 1, words::stallwait(block::kPack, wait::kMath)), 1u);
}

TEST(RaceWindow, readers_that_hardware_holds_are_silent) {
  const u32 held[] = {word<op::SFPMUL>({{"lreg_src_a", 3}}), word<op::SFPIADD>({{"lreg_c", 3}}),
                      word<op::SFPSWAP>({{"lreg_dest", 3}}), word<op::SFPAND>({{"lreg_dest", 3}}),
                      word<op::SFPSTORE>({{"lreg_ind", 3}})};
  for (const u32 reader : held) {
    const Case one{EdgeId::MadToReader, instruction(mad(3)), instruction(reader), 0};
    EXPECT_EQ(findings(one, 0), 0u) << info_of_word(reader).name;
  }
}

TEST(RaceWindow, the_store_slot_of_a_macro_has_no_distance_that_is_known_to_be_enough) {
  Case one{EdgeId::MacroStoreToLoad, instruction(word<op::SFPLOADMACRO>()),
           instruction(words::sfpload, {dst(8, 4)}), 0};
  one.first.macro_stores = {dst(8, 4)};
  for (unsigned between = 0; between < 5; ++between) EXPECT_EQ(findings(one, between), 1u);
  one.first.macro_stores = {dst(16, 4)};
  EXPECT_EQ(findings(one, 0), 0u);
}

TEST(RaceWindow, a_macro_whose_slots_count_cycles_must_not_be_pushed_word_by_word) {
  Case one{EdgeId::MacroSchedule, instruction(word<op::SFPLOADMACRO>()), instruction(mad(3)), 0};
  one.first.macro_by_cycles = true;
  EXPECT_EQ(findings(one, 0), 1u);
  one.second.site.origin = Origin::Replay;
  EXPECT_EQ(findings(one, 0), 0u);
}

TEST(RaceWindow, a_change_of_the_state_bank_is_not_seen_in_its_own_bundle) {
  Instruction first = instruction(word<op::SETC16>({{"setc16_reg", 0}}));
  first.in_bundle = 1;
  Instruction second = instruction(words::unpacr(), {config_word(4)});
  second.in_bundle = 2;
  EXPECT_EQ(findings({EdgeId::Setc16ToNext, first, second, 0}, 0), 1u);
  second.in_bundle = 0;
  EXPECT_EQ(findings({EdgeId::Setc16ToNext, first, second, 0}, 0), 0u);
}

TEST(RaceWindow, recording_a_replay_while_the_core_fuses_is_found) {
  for (const bool gathering : {true, false}) {
    WindowChecker checker;
    Instruction one = instruction(word<op::REPLAY>({{"load_mode", 1}, {"len", 8}}));
    one.gathering = gathering;
    checker.issue(one);
    EXPECT_EQ(checker.findings().size(), gathering ? 1u : 0u);
  }
}

}  // namespace
}  // namespace bhemu::race::test
