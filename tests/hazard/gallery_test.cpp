// The gallery of races: the broken form of each program is found, by the right name, with both
// lines and the right missing edge; of the mended form there is nothing to say. And what watching
// must not change.
#include "hazard/watching.hpp"

#include <algorithm>

namespace bhemu::host {
namespace {

using race::FindingKind;
using namespace hazard_test;

struct Entry {
  const char* name;
  FindingKind kind;
  unsigned row;
  unsigned lines = 2;  // that are known: code made at run time has none
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
    {"mailbox_data", FindingKind::Race, 3},
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
    {"write_then_semaphore", FindingKind::Contract, 49},
    {"wrong_barrier", FindingKind::Race, 45},
    {"wrong_id", FindingKind::Race, 47},
    {"dram_behind_sent", FindingKind::Race, 46},
    {"remote_source", FindingKind::Race, 47},
    {"scalar_store", FindingKind::Race, 10},
    {"store_then_unpack", FindingKind::Race, 3},
    {"post_behind_store", FindingKind::Race, 27},
    {"shared_initiator", FindingKind::Race, 69},
    {"data_then_register", FindingKind::Race, 62},
    {"loopback", FindingKind::Race, 46},
    {"semaphore_by_core", FindingKind::Race, 3},
    {"early_pop", FindingKind::Race, 42},
    {"taken_lock", FindingKind::Race, 66},
    {"remote_flag", FindingKind::Race, 46},
    {"feature_bit", FindingKind::Race, 10},
    {"late_start", FindingKind::Race, 66},
    {"two_consumers", FindingKind::Race, 66},
    {"ticket_lock", FindingKind::Race, 66},
    {"semaphore_reset", FindingKind::Race, 66},
    {"forward_early", FindingKind::Race, 45},
    {"two_posters", FindingKind::Race, 16},
    {"wrong_block", FindingKind::Race, 15},
    {"wrong_unpacker", FindingKind::Race, 38},
    {"config_to_gpr", FindingKind::Race, 34},
    {"mover_then_unpack", FindingKind::Race, 40},
    {"flag_behind_pack", FindingKind::Race, 42},
    {"new_code", FindingKind::StaleCache, 7, 1},
    {"multiplier_result", FindingKind::Window, 30},
    {"multicast_acks", FindingKind::Race, 46},
    {"other_noc", FindingKind::Race, 47},
    {"third_half", FindingKind::Race, 16},
    {"half_mutex", FindingKind::Race, 39},
    {"stale_data", FindingKind::StaleCache, 6},
    {"wrong_semwait", FindingKind::Race, 27},
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
  EXPECT_GE(times_in(expected->text, name + ".c:"), entry.lines) << expected->text;
  const Watched mended = watch("races/" + name + "_mended", {}, contracts);
  EXPECT_EQ(mended.report.told(), 0u) << mended.report.text();
}

INSTANTIATE_TEST_SUITE_P(Races, Gallery, testing::ValuesIn(kGallery),
                         [](const auto& entry) { return std::string(entry.param.name); });

/// Kind, row, place and both lines; which side came first is a matter of the run.
std::vector<std::string> texts(const RaceReport& report) {
  std::vector<std::string> all;
  for (const RaceFinding& one : report.findings) {
    const u32 a = race::place_in_code(one.finding.first);
    const u32 b = race::place_in_code(one.finding.second);
    const u32 low = std::min(a, b);
    const u32 high = std::max(a, b);
    all.push_back(one.kind + " " + std::to_string(static_cast<unsigned>(one.finding.edge)) + " " +
                  race::describe(one.finding.where) + " " + std::to_string(low) + "/" +
                  std::to_string(high));
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST_P(Gallery, what_is_found_does_not_depend_on_threads_parking_or_timing) {
  const std::string name = std::string("races/") + GetParam().name + "_broken";
  const std::vector<std::string> first = texts(watch(name, {}, true).report);
  EXPECT_FALSE(first.empty());
  for (const Way& way : {Way{2, true}, Way{1, false}, Way{1, true, TimingModel::Reference},
                         Way{1, true, TimingModel::Windows}})
    EXPECT_EQ(texts(watch(name, way, true).report), first)
        << way.threads << way.parking << static_cast<unsigned>(way.timing);
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
