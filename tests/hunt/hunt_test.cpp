// The search by itself, on runs that a function makes up, and on the races of the gallery.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/archive.hpp"
#include "host/hunt/delay_hunt.hpp"
#include "host/hunt/delay_list.hpp"
#include "host/hunt/run_worker.hpp"
#include "host/program/program.hpp"

namespace bhemu::host {
namespace {

Delay place(Agent agent, DelayKind kind, u32 occurrence) {
  Delay delay;
  delay.node = 1;
  delay.agent = agent;
  delay.kind = kind;
  delay.occurrence = occurrence;
  delay.most = row_of(kind).most;
  delay.at = 10 * occurrence;
  return delay;
}

/// A program of which all that is known is when it fails.
class MadeUp {
 public:
  using Fails = std::function<bool(const std::vector<Delay>&)>;
  explicit MadeUp(Fails fails) : fails_(std::move(fails)) {
    for (u32 i = 0; i < 12; ++i)
      for (const Agent agent : {Agent::Thread0, Agent::Thread1})
        places_.push_back(place(agent, DelayKind::Gate, i));
    std::sort(places_.begin(), places_.end(),
              [](const Delay& a, const Delay& b) { return a.key() < b.key(); });
  }
  std::vector<Verdict> operator()(std::span<const DelayPlan> plans) const {
    std::vector<Verdict> verdicts;
    for (const DelayPlan& plan : plans) {
      Delays delays(1, std::make_shared<const DelayPlan>(plan));
      std::vector<Delay> all;
      for (Delay one : places_) {
        one.cycles = delays.draw(one.kind, one.agent, one.where, one.at);
        if (one.cycles != 0 || plan.places) all.push_back(one);
      }
      Verdict verdict;
      verdict.delays = all;
      verdict.result = fails_(all) ? 2 : 1;
      verdicts.push_back(verdict);
    }
    return verdicts;
  }

 private:
  Fails fails_;
  std::vector<Delay> places_;
};

u32 cycles_at(const std::vector<Delay>& delays, Agent agent, u32 occurrence) {
  for (const Delay& delay : delays)
    if (delay.agent == agent && delay.occurrence == occurrence) return delay.cycles;
  return 0;
}

TEST(DelayHunt, finds_a_narrow_band_of_one_delay_and_says_how_wide_it_is) {
  const auto fails = [](const std::vector<Delay>& delays) {
    const u32 cycles = cycles_at(delays, Agent::Thread0, 7);
    return cycles >= 54 && cycles <= 61;
  };
  DelayHunt hunt{MadeUp(fails), {}};
  const std::optional<Catch> found = hunt.search({});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->bands.size(), 1u);
  EXPECT_EQ(found->bands[0].delay.agent, Agent::Thread0);
  EXPECT_EQ(found->bands[0].delay.occurrence, 7u);
  EXPECT_EQ(found->bands[0].least, 54u);
  EXPECT_EQ(found->bands[0].most, 61u);
}

TEST(DelayHunt, makes_a_list_as_short_as_it_can_be) {
  const auto fails = [](const std::vector<Delay>& delays) {
    return cycles_at(delays, Agent::Thread0, 3) >= 2 && cycles_at(delays, Agent::Thread1, 5) >= 9;
  };
  DelayHunt hunt{MadeUp(fails), {}};
  const std::optional<Catch> found = hunt.search({});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->bands.size(), 2u);
  EXPECT_EQ(found->bands[0].least, 2u);
  EXPECT_EQ(found->bands[1].least, 9u);
  EXPECT_EQ(found->bands[1].most, row_of(DelayKind::Gate).most);
}

TEST(DelayHunt, stops_making_a_list_smaller_when_its_time_is_over_and_says_so) {
  const MadeUp fails([](const std::vector<Delay>& delays) {
    return std::any_of(delays.begin(), delays.end(),
                       [](const Delay& one) { return one.cycles != 0; });
  });
  HuntLimits limits;
  limits.seconds = 0.2;
  u64 runs_since = 0;
  const auto slow = [&](std::span<const DelayPlan> plans) {
    std::vector<Verdict> verdicts = fails(plans);
    for (const Verdict& verdict : verdicts) runs_since += verdict.result == 2;
    if (runs_since != 0) std::this_thread::sleep_for(std::chrono::milliseconds(250));
    return verdicts;
  };
  DelayHunt hunt{slow, limits};
  const std::optional<Catch> found = hunt.search({});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_smallest);
  EXPECT_GT(found->bands.size(), 1u);
  // The batch in which it showed itself, and the run that is handed back.
  EXPECT_EQ(hunt.runs(), found->found_after + 1);
  EXPECT_EQ(found->verdict.result, 2u);
}

TEST(DelayHunt, of_what_never_fails_finds_nothing_and_keeps_to_its_runs) {
  HuntLimits limits;
  limits.runs = 300;
  DelayHunt hunt{MadeUp([](const std::vector<Delay>&) { return false; }), limits};
  EXPECT_FALSE(hunt.search({}));
  EXPECT_GE(hunt.runs(), 300u);
  EXPECT_LE(hunt.runs(), 316u);
}

TEST(DelayHunt, tries_first_what_the_race_detector_suspects) {
  const auto fails = [](const std::vector<Delay>& delays) {
    return delays.size() == 1 && delays[0].agent == Agent::Thread1 && delays[0].occurrence == 11 &&
           delays[0].cycles >= 30;
  };
  Suspect suspect;
  suspect.node = 1;
  suspect.agent = Agent::Thread1;
  suspect.first = 110;
  suspect.second = 130;
  DelayHunt hunt{MadeUp(fails), {}};
  const std::optional<Catch> found = hunt.search(std::span(&suspect, 1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->strategy, "flips of the race detector's findings");
  EXPECT_LE(found->found_after, 40u);
}

// --- The gallery.

std::optional<Catch> hunted(const std::string& name, unsigned jobs) {
  const Program program =
      load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/races/" + name + ".yaml");
  WorkerSettings settings;
  settings.device.timing = TimingModel::Chaos;
  settings.device.jit.enabled = false;
  RunWorkers workers(settings, program, jobs);
  DelayHunt hunt([&](std::span<const DelayPlan> plans) { return workers.run(plans); }, {});
  EXPECT_EQ(hunt.undisturbed().status, Status::Ok) << hunt.undisturbed().what;
  workers.set_limit(hunt.undisturbed().cycles * 20 + 100'000);
  return hunt.search({});
}

class HuntedRace : public testing::TestWithParam<const char*> {};

TEST_P(HuntedRace, shows_itself_with_at_most_three_delays) {
  const std::optional<Catch> found = hunted(std::string(GetParam()) + "_broken", 2);
  ASSERT_TRUE(found);
  EXPECT_LE(found->bands.size(), 3u);
  EXPECT_GE(found->bands.size(), 1u);
  for (const DelayBand& band : found->bands) {
    EXPECT_LE(band.least, band.most);
    EXPECT_LE(band.most, band.delay.most);
  }
}

// E1, E2, E4, E7, E14 and E16 of the catalogue that docs/HUNTING.md names; E3, which
// takes the race detector's word, is in tests/cli.
INSTANTIATE_TEST_SUITE_P(Gallery, HuntedRace,
                         testing::Values("move_into_src", "move_without_gate", "replay_record",
                                         "unpack_base", "macro_store", "flag_rewrite",
                                         "store_then_send"),
                         [](const auto& info) { return std::string(info.param); });

TEST(DelayList, keeps_what_it_was_given_and_refuses_what_it_cannot_have_been) {
  Bundle bundle;
  EXPECT_EQ(delay_plan_of(bundle), nullptr);
  const std::vector<Delay> delays = {place(Agent::Brisc, DelayKind::Drain, 3),
                                     place(Agent::Thread2, DelayKind::Gate, 1)};
  bundle.sections.push_back(delay_section(delays));
  const auto plan = delay_plan_of(bundle);
  ASSERT_NE(plan, nullptr);
  ASSERT_EQ(plan->list.size(), 2u);
  EXPECT_EQ(plan->list[1].key(), delays[1].key());
  const std::vector<u8> good = bundle.sections[0].bytes;
  for (size_t cut = 0; cut < good.size(); ++cut) {
    bundle.sections[0].bytes.assign(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(cut));
    EXPECT_THROW(delay_plan_of(bundle), ArchiveError) << cut;
  }
  std::vector<u8> bad = good;
  bad[10] = 0xFF;  // the first delay's agent
  bundle.sections[0].bytes = bad;
  EXPECT_THROW(delay_plan_of(bundle), ArchiveError);
}

}  // namespace
}  // namespace bhemu::host
