// The differential tool's own parts: programs of several cores and tiles, comparison, shrinking.
#include <gtest/gtest.h>

#include <cstring>

#include "diff/campaign.hpp"
#include "diff/shrink.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

constexpr u32 kGprs = 0xFFE00000;

u32 result_of(const Outcome& outcome, u32 number, u32 tile = 0) {
  u32 word = 0;
  std::memcpy(&word, outcome.dump.data() + tile * kDumpBytes + (kResults - kData) + number * 4, 4);
  return word;
}

bool stores_to(const Program& program, u32 address) {
  for (const Item& item : program.items)
    if (item.kind == Kind::Store && item.address == address) return true;
  return false;
}

TEST(DiffProgram, every_core_works_through_its_own_list) {
  Writer w(1);
  for (const u8 core : {kTrisc2, kTrisc0, kTrisc1}) {
    w.core = core;
    w.store(kGprs, 100 + core);
    w.load(kGprs);
  }
  w.core = kBrisc;
  w.store(kData, 7);
  w.load(kData);
  w.core = kNcrisc;
  w.store(kData + 4, 8);
  w.load(kData + 4);
  const Outcome outcome = Ours(TimingModel::Fast, true).run(w.program);
  ASSERT_EQ(outcome.end, End::Done);
  for (u32 core = 0; core < 3; ++core) EXPECT_EQ(result_of(outcome, core), 100 + core);
  EXPECT_EQ(result_of(outcome, 3), 7u);
  EXPECT_EQ(result_of(outcome, 4), 8u);
}

TEST(DiffProgram, every_tile_has_its_own_data_and_its_own_part_of_the_dump) {
  Writer w(1);
  w.program.tiles = 4;
  w.program.data = {0x10};
  for (w.tile = 0; w.tile < 4; ++w.tile) w.load(kData);
  Ours ours(TimingModel::Fast, true);
  for (unsigned run = 0; run < 40; ++run) {  // more than one device has squares for
    const Outcome outcome = ours.run(w.program);
    ASSERT_EQ(outcome.end, End::Done);
    for (u32 tile = 0; tile < 4; ++tile)
      EXPECT_EQ(result_of(outcome, 0, tile), 0x10 + tile * 0x01010101);
  }
}

TEST(DiffProgram, a_count_waits_for_the_events_of_the_items_that_are_left) {
  Writer w(1);
  w.store(kData, 2);
  w.count(kData, 2);
  w.store(kData, 5);
  w.count(kData, 3);
  Ours ours(TimingModel::Fast, true);
  EXPECT_EQ(ours.run(w.program).end, End::Done);
  w.program.items.erase(w.program.items.begin(), w.program.items.begin() + 2);
  w.program.items[0].value = 3;
  EXPECT_EQ(ours.run(w.program).end, End::Done);
  w.program.items[0].value = 4;
  EXPECT_EQ(ours.run(w.program).end, End::Hung);
}

TEST(DiffProgram, a_seed_gives_the_same_program_every_time_and_it_runs) {
  Ours ours(TimingModel::Fast, true);
  for (const ProgramClass& kind : classes()) {
    const Program program = kind.make(5);
    EXPECT_EQ(listing(program, true), listing(kind.make(5), true)) << kind.name;
    EXPECT_EQ(ours.run(program).end, End::Done) << kind.name;
  }
}

Program without_item(const Program& program, size_t gone) {
  Program rest = program;
  rest.items.clear();
  const Item& item = program.items[gone];
  for (size_t i = 0; i < program.items.size(); ++i) {
    const Item& other = program.items[i];
    if (i == gone || (item.group != 0 && other.group == item.group)) continue;
    rest.items.push_back(other);
  }
  return rest;
}

// A class whose dump did not depend on what its programs do could find nothing.
TEST(DiffProgram, what_a_program_does_can_be_seen_in_its_dump) {
  for (const ProgramClass& kind : classes()) {
    Ours ours(TimingModel::Fast, true);
    unsigned tried = 0;
    unsigned seen = 0;
    for (u64 seed = 1; seed <= 20; ++seed) {
      const Program program = kind.make(seed);
      const Outcome whole = ours.run(program);
      std::vector<size_t> removable;
      for (size_t i = 0; i < program.items.size(); ++i)
        if (!program.items[i].keep) removable.push_back(i);
      if (removable.empty()) continue;
      ++tried;
      const Outcome less = ours.run(without_item(program, removable[removable.size() / 2]));
      seen += less.end != whole.end || less.dump != whole.dump ? 1 : 0;
    }
    EXPECT_GE(seen * 6, tried) << kind.name << ": seen in " << seen << " of " << tried;
  }
}

TEST(DiffShrink, leaves_the_two_items_that_show_it_and_makes_them_simple) {
  Writer w(1);
  for (u32 i = 0; i < 100; ++i) w.store(kData + i * 4, 0x50000 + i);
  w.program.data.assign(64, 9);
  unsigned asked = 0;
  const Program small = shrink(w.program, [&](const Program& candidate) {
    ++asked;
    bool first = false;
    bool second = false;
    for (const Item& item : candidate.items) {
      first = first || item.address == kData + 17 * 4;
      second = second || (item.address == kData + 80 * 4 && (item.value & 0xFF) == 80);
    }
    return first && second && candidate.data[33] == 9;
  });
  ASSERT_EQ(small.items.size(), 2u);
  EXPECT_EQ(small.items[0].value, 0u);
  EXPECT_EQ(small.items[1].value, 80u);
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(small.data[i], i == 33 ? 9u : 0u);
  EXPECT_LT(asked, 120u);
}

TEST(DiffShrink, takes_groups_whole_and_what_is_kept_not_at_all) {
  Writer w(1);
  w.keep = true;
  w.store(kData, 1);
  w.keep = false;
  for (u32 i = 0; i < 8; ++i) {
    w.group = w.new_group();
    for (u32 part = 0; part < 3; ++part) w.store(kOut + i * 16 + part * 4, 0x100);
  }
  const Program small = shrink(w.program, [](const Program& candidate) {
    for (u32 i = 0; i < 8; ++i) {
      const u32 first = kOut + i * 16;
      EXPECT_EQ(stores_to(candidate, first), stores_to(candidate, first + 8));
    }
    return stores_to(candidate, kOut + 0x54);
  });
  EXPECT_EQ(small.items.size(), 4u);
  EXPECT_TRUE(small.items[0].keep);
}

TEST(DiffCampaign, finds_a_difference_shrinks_it_and_names_the_place) {
  // The other simulator is bhemu that loses stores of odd words to the first word of the data.
  const ProgramClass kind{"test", [](u64 seed) {
                            Writer w(seed);
                            for (u32 i = 0; i < 20; ++i) w.store(kOut + i * 4, w.word());
                            w.store(kData, static_cast<u32>(seed));
                            return w.program;
                          }};
  const auto make_pair = [] {
    const auto ours = std::make_shared<Ours>(TimingModel::Fast, true);
    return Pair{[ours](const Program& program) { return ours->run(program); },
                [ours](Program program) {
                  for (Item& item : program.items)
                    if (item.address == kData && (item.value & 1) != 0) item.value = 0;
                  return ours->run(program);
                }};
  };
  CampaignOptions options;
  options.count = 40;
  options.jobs = 2;
  options.shrink = true;
  options.shown = 1000;
  const Tally tally = run_campaign(kind, options, make_pair);
  EXPECT_EQ(tally.of(Verdict::Same), 20u);
  EXPECT_EQ(tally.of(Verdict::Differ), 20u);
  ASSERT_EQ(tally.findings.size(), 20u);
  EXPECT_EQ(tally.findings[0].seed, 1u);
  EXPECT_EQ(tally.findings[0].listing, "  store  [00020000] <- 00000001\n");
  EXPECT_EQ(tally.findings[0].places,
            std::vector<std::string>{"data+0x0: 00000001, other 00000000"});
}

TEST(DiffCampaign, counts_the_rules_that_bhemu_faults_by) {
  const ProgramClass kind{"test", [](u64 seed) {
                            Writer w(seed);
                            if (seed % 2 == 0) w.load(0xFFA00000);
                            return w.program;
                          }};
  const auto make_pair = [] {
    const auto ours = std::make_shared<Ours>(TimingModel::Fast, true);
    return Pair{[ours](const Program& program) { return ours->run(program); },
                [](const Program&) {
                  Outcome done;
                  done.end = End::Refused;
                  done.why = "a reason";
                  return done;
                }};
  };
  CampaignOptions options;
  options.count = 10;
  const Tally tally = run_campaign(kind, options, make_pair);
  EXPECT_EQ(tally.of(Verdict::BothRefuse), 5u);
  EXPECT_EQ(tally.of(Verdict::PeerRefuses), 5u);
  EXPECT_EQ(tally.peer_reasons.at("a reason"), 5u);
  ASSERT_EQ(tally.rules.size(), 1u);
  EXPECT_EQ(tally.rules.begin()->second, 5u);
}

}  // namespace
}  // namespace bhemu::diff
