// A pair of whole programs for every row of edges.def: one that lacks what the row asks for, which
// is found, and one that has it, which is silent. Wherever the row says what to write, that is the
// whole difference: the text of the fix is carried out.
#include "hazard/pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "hazard/gallery.hpp"
#include "hazard/rebuilt.hpp"

namespace bhemu::host::pairs {
namespace {

using race::EdgeId;

std::vector<Pair> all_pairs() {
  return together({core_pairs(), thread_pairs(), network_pairs()});
}

class Pairs : public testing::TestWithParam<Pair> {};

TEST_P(Pairs, what_lacks_the_row_is_found_and_named_and_the_suggested_line_makes_it_silent) {
  const Pair& pair = GetParam();
  Seen seen = watch(pair.broken, pair.contracts);
  // A take at 0 is also a rule of its own.
  if (pair.kind != race::FindingKind::LostSync) {
    EXPECT_TRUE(seen.faults.empty()) << seen.faults.front();
  }
  const auto found = std::find_if(seen.findings.begin(), seen.findings.end(), [&](const auto& one) {
    return one.kind == pair.kind && (!pair.names_the_row || one.edge == pair.row);
  });
  ASSERT_NE(found, seen.findings.end()) << seen.text;
  Program mended = pair.ordered.empty() ? pair.broken : pair.ordered;
  if (pair.ordered.empty()) {
    // One line for each finding; more than a few would be a row that does not help.
    for (unsigned lines = 0; lines < 3 && !seen.findings.empty(); ++lines) {
      const auto next = lines == 0 ? found : seen.findings.begin();
      ASSERT_TRUE(apply_fix(mended, seen, *next)) << seen.text;
      seen = watch(mended, pair.contracts);
    }
  } else {
    seen = watch(mended, pair.contracts);
  }
  EXPECT_TRUE(seen.faults.empty()) << seen.faults.front();
  EXPECT_TRUE(seen.findings.empty()) << seen.text;
}

std::string name_of_pair(const testing::TestParamInfo<Pair>& info) {
  std::string name = std::string(race::info_of(info.param.row).name) + "_" + info.param.name;
  std::erase(name, '\'');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Races, Pairs, testing::ValuesIn(all_pairs()), name_of_pair);

INSTANTIATE_TEST_SUITE_P(Rebuilt, Pairs, testing::ValuesIn(rebuilt_races()), name_of_pair);

class QuietPrograms : public testing::TestWithParam<Quiet> {};

TEST_P(QuietPrograms, what_looks_like_a_race_and_is_in_order_is_silent) {
  const Seen seen = watch(GetParam().program);
  EXPECT_TRUE(seen.faults.empty()) << seen.faults.front();
  EXPECT_TRUE(seen.findings.empty()) << seen.text;
}
INSTANTIATE_TEST_SUITE_P(Races, QuietPrograms, testing::ValuesIn(quiet_programs()),
                         [](const auto& info) { return std::string(info.param.name); });

/// Rows without a pair of programs, and why.
const std::map<EdgeId, const char*>& rows_without_a_pair() {
  static const std::map<EdgeId, const char*> kRows = {
      {EdgeId::RawSetDvalid, "level unknown: the documents contradict what reviewers say"},
      {EdgeId::ConfigStarvation, "a bound in time, which no order can show"},
      {EdgeId::InlineToL1, "the rule noc-inline-to-l1 stops the program"},
      {EdgeId::HostGo, "the host's side: host_test.cpp of this folder"},
      {EdgeId::Multicast, "row 46 is named: multicast_acks of the gallery, and events"},
      {EdgeId::SampledAtIssue, "events only (tests/race): what UNPACR takes when"},
  };
  return kRows;
}

TEST(PairsOfRows, every_row_has_one_or_is_in_the_gallery_or_has_a_reason) {
  std::set<EdgeId> covered;
  for (const Pair& pair : all_pairs()) covered.insert(pair.row);
  for (const hazard_test::GalleryEntry& entry : hazard_test::gallery())
    covered.insert(static_cast<EdgeId>(entry.row));
  for (const race::Edge& edge : race::all_edges()) {
    const auto id = static_cast<EdgeId>(edge.number);
    EXPECT_NE(covered.contains(id), rows_without_a_pair().contains(id)) << edge.name;
  }
}

}  // namespace
}  // namespace bhemu::host::pairs
