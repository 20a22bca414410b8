// The gallery of races: the broken form of each program is found, by the right name, with both
// lines and the right missing edge; of the mended form there is nothing to say. And what watching
// must not change.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "host/machine.hpp"
#include "host/races.hpp"

namespace bhemu::host {
namespace {

using race::FindingKind;

struct Watched {
  Outcome outcome;
  RaceReport report;
  u64 hash = 0;
};

struct Way {  // of running the same program
  unsigned threads = 1;
  bool parking = true;
  TimingModel timing = TimingModel::Fast;
};

std::string example(const std::string& name) {
  return std::string(BHEMU_SOURCE_DIR) + "/examples/" + name + ".yaml";
}

Watched run_once(const Program& program, const Way& way, bool contracts, const RaceHints& hints,
                 bool watched = true) {
  DeviceOptions options;
  options.threads = way.threads;
  options.parking = way.parking;
  options.timing = way.timing;
  Machine machine(options, Firmware::embedded());
  machine.set_limit(20'000'000);
  const PreparedProgram prepared = machine.prepare(program);
  RaceOptions race;
  race.on = true;
  race.contracts = contracts;
  std::unique_ptr<RaceWatch> watch;
  if (watched) {
    watch = std::make_unique<RaceWatch>(machine.device(), race, &machine.firmware(),
                                        prepared.tiles(), hints);
    watch->know(prepared, machine.firmware());
  }
  Watched result;
  EXPECT_EQ(machine.boot().status, Status::Ok);
  result.outcome = machine.run(prepared);
  if (watched) result.report = watch->report(machine.code());
  result.hash = machine.device().hash();
  return result;
}

Watched watch(const std::string& name, const Way& way = {}, bool contracts = false) {
  const Program program = load_program(example(name));
  Watched result = run_once(program, way, contracts, {});
  for (unsigned pass = 1; pass < 4 && result.report.needs_another_pass; ++pass)
    result = run_once(program, way, contracts, result.report.hints);
  return result;
}

struct Entry {
  const char* name;
  FindingKind kind;
  unsigned row;
};
constexpr Entry kGallery[] = {
    {"accumulate_toggle", FindingKind::Race, 38},
    {"atomic_at_exit", FindingKind::ExitInFlight, 54},
    {"busy_initiator", FindingKind::Race, 43},
    {"clear_behind_pack", FindingKind::Race, 16},
    {"clear_other_bank", FindingKind::Race, 21},
    {"early_push", FindingKind::Race, 47},
    {"early_release", FindingKind::Race, 67},
    {"filler", FindingKind::Injected, 20},
    {"fill_then_copy", FindingKind::Race, 44},
    {"flag_rewrite", FindingKind::Race, 45},
    {"gpr_to_config", FindingKind::Window, 36},
    {"gpr_too_early", FindingKind::Race, 10},
    {"load_to_gpr", FindingKind::Race, 37},
    {"lost_post", FindingKind::LostSync, 17},
    {"lost_update", FindingKind::Race, 39},
    {"macro_by_core", FindingKind::Window, 31},
    {"macro_store", FindingKind::Window, 26},
    {"mailbox_data", FindingKind::Race, 66},  // row 3 would say more
    {"mode_switch", FindingKind::Race, 16},
    {"mop_rewrite", FindingKind::Race, 11},
    {"move_into_src", FindingKind::Race, 20},
    {"move_without_gate", FindingKind::Race, 20},
    {"multicast_flag", FindingKind::Race, 45},
    {"no_credit", FindingKind::Race, 66},
    {"other_threads_config", FindingKind::Race, 9},
    {"page_reuse", FindingKind::Race, 45},
    {"plain_counter", FindingKind::Race, 66},
    {"posted_flush", FindingKind::Race, 45},
    {"push_behind_pack", FindingKind::Race, 42},
    {"read_at_exit", FindingKind::ExitInFlight, 54},
    {"read_too_early", FindingKind::Race, 47},
    {"replay_record", FindingKind::Window, 12},
    {"same_byte", FindingKind::Race, 39},
    {"stale_poll", FindingKind::StaleCache, 6},
    {"store_then_send", FindingKind::Race, 44},
    {"straddle", FindingKind::Race, 38},
    {"two_paths", FindingKind::Race, 46},
    {"unpack_base", FindingKind::Race, 8},
    {"unpack_to_dst", FindingKind::Race, 28},
    {"wait_for_one", FindingKind::Race, 66},
    {"whole_word", FindingKind::Race, 39},
    {"write_at_exit", FindingKind::ExitInFlight, 54},
    {"write_then_semaphore", FindingKind::Contract, 46},
    {"wrong_barrier", FindingKind::Race, 45},
    {"wrong_id", FindingKind::Race, 47},
};

/// How often a source file is named: each side of a finding names its line.
unsigned times_in(const std::string& text, const std::string& what) {
  unsigned times = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++times;
  return times;
}

class Gallery : public testing::TestWithParam<Entry> {};

TEST_P(Gallery,
       the_broken_form_is_found_with_both_lines_and_the_edge_and_the_mended_one_is_silent) {
  const Entry& entry = GetParam();
  const std::string name = entry.name;
  const bool contracts = entry.kind == FindingKind::Contract;
  const Watched broken = watch("races/" + name + "_broken", {}, contracts);
  const auto expected = std::find_if(broken.report.findings.begin(), broken.report.findings.end(),
                                     [&](const RaceFinding& one) {
                                       return one.finding.kind == entry.kind &&
                                              static_cast<unsigned>(one.finding.edge) == entry.row;
                                     });
  ASSERT_NE(expected, broken.report.findings.end()) << broken.report.text();
  // The words of a MOP that the SDK has configured name no line of the kernel.
  const unsigned lines = name == "push_behind_pack" ? 1 : 2;
  EXPECT_GE(times_in(expected->text, name + ".c:"), lines) << expected->text;
  const Watched mended = watch("races/" + name + "_mended", {}, contracts);
  EXPECT_EQ(mended.report.told(), 0u) << mended.report.text();
}

INSTANTIATE_TEST_SUITE_P(Races, Gallery, testing::ValuesIn(kGallery),
                         [](const auto& entry) { return std::string(entry.param.name); });

std::vector<std::string> texts(const RaceReport& report) {
  std::vector<std::string> all;
  for (const RaceFinding& one : report.findings)
    all.push_back(one.kind + race::describe(one.finding.where) +
                  std::to_string(one.finding.first.site.pc) + "/" +
                  std::to_string(one.finding.second.site.pc));
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Watching, finds_the_same_with_any_number_of_threads_parked_or_not_and_in_both_timings) {
  for (const char* name : {"races/write_then_semaphore_broken", "races/move_into_src_broken",
                           "races/early_push_broken"}) {
    const std::vector<std::string> first = texts(watch(name, {}, true).report);
    EXPECT_FALSE(first.empty()) << name;
    for (const Way& way : {Way{2, true}, Way{1, false}, Way{1, true, TimingModel::Reference}})
      EXPECT_EQ(texts(watch(name, way, true).report), first) << name;
  }
}

TEST(Watching, changes_neither_cycles_nor_memory) {
  for (const char* name : {"races/move_into_src_mended", "ring", "add_scalar"}) {
    const Program program = load_program(example(name));
    const Watched seen = run_once(program, {}, true, {});
    const Watched unseen = run_once(program, {}, true, {}, false);
    EXPECT_EQ(seen.hash, unseen.hash) << name;
    EXPECT_EQ(seen.outcome.cycle, unseen.outcome.cycle) << name;
  }
}

}  // namespace
}  // namespace bhemu::host
