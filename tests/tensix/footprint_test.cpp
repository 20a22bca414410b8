// Footprints against execution: random words in random states, and the exact footprints of examples
// from the ISA's pages.
#include <gtest/gtest.h>

#include "support/footprint_check.hpp"
#include "support/rounds.hpp"

namespace bhemu::tensix::test {
namespace {

using namespace footprint_cell;
using bhemu::test::rounds;
using bhemu::test::seed;

/// State in which most instructions do something: sources ready, counters that count datums small.
void prepare(FootprintCheck& check, const Info& info) {
  State& state = check.state();
  check.randomise_all();
  for (SrcFile* file : {&state.fpu.src_a, &state.fpu.src_b}) {
    if (info.unit == Unit::Fpu) file->owner.fill(SrcOwner::Matrix);
    if (info.unit == Unit::Unpack || info.unit == Unit::Misc) file->owner.fill(SrcOwner::Unpacker);
  }
  for (auto& thread : state.adc.adc)
    for (Adc& adc : thread)
      for (AdcChannel& channel : adc.channel) {
        channel.x &= 63;
        for (u16* narrow :
             {&channel.y, &channel.y_cr, &channel.z, &channel.z_cr, &channel.w, &channel.w_cr})
          *narrow &= 0x1FFF;
      }
  for (auto& gprs : state.thcon.gpr)
    for (u32 i = 0; i < kGprs; i += 2) gprs[i] = check.below(L1::kSize / 16);
  state.sfpu.schedule = {};
  // Tiles that lie in L1.
  for (ConfigWords& words : state.cfg.bank) {
    for (const u32 section : {0u, kThconSection}) {
      const u32 descriptor = cfg::THCON_SEC0_REG0_TileDescriptor::kWord + section;
      words[descriptor] = (words[descriptor] & 0xFFFF) | 256u << 16;
      words[descriptor + 1] &= 0x00030003;
      words[descriptor + 2] &= 3;
      words[descriptor + 3] = 0;
      for (u32 i = 0; i < 8; ++i)
        words[cfg::THCON_SEC0_REG3_Base_address::kWord + section + i] = check.below(0x8000);
    }
  }
  state.mover.busy_until = 0;
  state.thcon.occupied_by = 0;
  state.soft_reset = 0;
}

class EveryInstruction : public testing::TestWithParam<bool> {
 protected:
  void try_row(FootprintCheck& check, const Info& info, u64 rounds) {
    for (u64 i = 0; i < rounds; ++i) {
      prepare(check, info);
      const std::string wrong = check.run(check.below(kThreads), check.random_word(info));
      EXPECT_EQ(wrong, "") << "round " << i;
      if (!wrong.empty()) return;
    }
  }
};

TEST_P(EveryInstruction, stays_within_its_footprint_in_any_state) {
  FootprintCheck check;
  check.seed(seed(1));
  check.set_rules(GetParam());
  for (const Info& info : kInfo) {
    if (info.name == nullptr || !info.implemented || info.unit == Unit::Frontend) continue;
    try_row(check, info, rounds(40));
  }
}

/// What a scheduled instruction will write to LRegs.
bool names_results(const FootprintCheck& check, const SfpuSchedule& schedule) {
  for (u32 i = 0; i < schedule.writeback_count; ++i) {
    u32 named = 0;
    for (const Touch& touch : check.touches())
      if (touch.space == Space::LReg && writes(touch.access) &&
          schedule.writeback[i].vd >= touch.begin && schedule.writeback[i].vd < touch.end())
        named |= touch.mask;
    if ((schedule.writeback[i].mask & ~named) != 0) return false;
  }
  return true;
}

TEST_P(EveryInstruction, that_a_macro_schedules_stays_within_its_footprint) {
  FootprintCheck check;
  check.seed(seed(2));
  check.set_rules(GetParam());
  for (const Info& info : kInfo) {
    if (info.name == nullptr || info.unit != Unit::Sfpu || info.opcode == op::SFPLOADMACRO::kOpcode)
      continue;
    for (u64 i = 0; i < rounds(40); ++i) {
      prepare(check, info);
      SfpuScheduled entry;
      entry.word = check.random_word(info);
      entry.lanes = check.one_in(2) ? ~0u : 0x01010101u << check.below(8);
      entry.address = static_cast<u16>(check.below(1024));
      entry.thread = static_cast<u8>(check.below(kThreads));
      entry.vb = static_cast<u8>(check.below(17));
      entry.vc = static_cast<u8>(check.below(17));
      entry.vd = static_cast<u8>(check.below(17));
      ASSERT_EQ(check.run(entry.thread, entry.word, &entry), "") << "round " << i;
      ASSERT_TRUE(names_results(check, check.state().sfpu.schedule)) << info.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Footprint, EveryInstruction, testing::Bool(),
                         [](const auto& stop) { return stop.param ? "rules_stop" : "silicon"; });

}  // namespace
}  // namespace bhemu::tensix::test
