// The gallery of races: the broken form of each program is found, by the right name, with both
// lines and the right missing edge; of the mended form there is nothing to say. And what watching
// must not change.
#include "hazard/gallery.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "hazard/watching.hpp"

namespace bhemu::host {
namespace {

using race::FindingKind;
using namespace hazard_test;

/// How often a source file is named: each side of a finding names its line.
unsigned times_in(const std::string& text, const std::string& what) {
  unsigned times = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++times;
  return times;
}

class Gallery : public testing::TestWithParam<GalleryEntry> {};

/// Their tiles are on the left, and a process boots eight of them.
Way narrow(Way way = {}) {
  way.narrow = true;
  return way;
}

TEST_P(Gallery,
       the_broken_form_is_found_with_both_lines_and_the_edge_and_the_mended_one_is_silent) {
  const GalleryEntry& entry = GetParam();
  const std::string name = entry.name;
  const bool contracts = entry.kind == FindingKind::Contract;
  const Watched broken = watch("races/" + name + "_broken", narrow(), contracts);
  const auto expected = std::find_if(broken.report.findings.begin(), broken.report.findings.end(),
                                     [&](const RaceFinding& one) {
                                       return one.finding.kind == entry.kind &&
                                              static_cast<unsigned>(one.finding.edge) == entry.row;
                                     });
  ASSERT_NE(expected, broken.report.findings.end()) << broken.report.text();
  EXPECT_GE(times_in(expected->text, name + ".c:"), entry.lines) << expected->text;
  const Watched mended = watch("races/" + name + "_mended", narrow(), contracts);
  EXPECT_EQ(mended.report.told(), 0u) << mended.report.text();
}

/// With libttsim, the shim and the C API there is no second pass. Of a word that has been written
/// many times before anybody looks at it only the last writes are known there.
TEST_P(Gallery, of_the_mended_form_the_first_pass_has_nothing_to_say_either) {
  const GalleryEntry& entry = GetParam();
  const std::string name = entry.name;
  const bool is_counted_before_the_first_look = name == "wrapped_count";
  const Program program = load_program(example("races/" + name + "_mended"));
  const bool contracts = entry.kind == FindingKind::Contract;
  const Watched once = run_once(program, narrow(), contracts, {});
  EXPECT_EQ(once.report.told(), is_counted_before_the_first_look ? 1u : 0u) << once.report.text();
}

/// What takes long is done with one entry in so many, the first of them being `which`; with all
/// where BHEMU_ROUNDS is set.
bool is_one_in(std::ptrdiff_t so_many, const GalleryEntry& entry, std::ptrdiff_t which = 0) {
  const auto all = gallery();
  const auto at = std::find_if(all.begin(), all.end(), [&](const GalleryEntry& one) {
    return std::string_view(one.name) == entry.name;
  });
  return std::getenv("BHEMU_ROUNDS") != nullptr || (at - all.begin()) % so_many == which;
}

INSTANTIATE_TEST_SUITE_P(Races, Gallery, testing::ValuesIn(gallery()),
                         [](const auto& entry) { return std::string(entry.param.name); });

/// Both lines, whichever came first in the run.
std::string lines(const RaceFinding& one) {
  const auto [low, high] = std::minmax(
      {race::place_in_code(one.finding.first), race::place_in_code(one.finding.second)});
  return std::to_string(low) + "/" + std::to_string(high);
}

template <class Text>
std::vector<std::string> sorted(const RaceReport& report, Text&& text_of) {
  std::vector<std::string> all;
  for (const RaceFinding& one : report.findings) all.push_back(text_of(one));
  std::sort(all.begin(), all.end());
  return all;
}

/// Kind, row, place and both lines.
std::vector<std::string> texts(const RaceReport& report) {
  return sorted(report, [](const RaceFinding& one) {
    return one.kind + " " + std::to_string(static_cast<unsigned>(one.finding.edge)) + " " +
           race::describe(one.finding.where) + " " + lines(one);
  });
}

TEST_P(Gallery, what_is_found_does_not_depend_on_threads_parking_or_timing) {
  const std::string name = std::string("races/") + GetParam().name + "_broken";
  test::Boots boots;
  const auto seen = [&](Way way) {
    way.booted = is_one_in(6, GetParam()) ? nullptr : &boots;
    return texts(watch(name, narrow(way), true).report);
  };
  const std::vector<std::string> first = seen({});
  EXPECT_FALSE(first.empty());
  std::vector<Way> ways = {Way{2, true}, Way{1, false}};
  if (is_one_in(2, GetParam(), 0)) ways.push_back(Way{1, true, TimingModel::Reference});
  if (is_one_in(2, GetParam(), 1)) ways.push_back(Way{1, true, TimingModel::Windows});
  for (const Way& way : ways)
    EXPECT_EQ(seen(way), first) << way.threads << way.parking << static_cast<unsigned>(way.timing);
}

/// Kinds and both lines: of two that nothing orders a late one can come first, and then another row
/// is missing; and of many places with the same finding the first differs.
std::vector<std::string> pairs(const RaceReport& report) {
  return sorted(report, [](const RaceFinding& one) { return one.kind + " " + lines(one); });
}

/// Stores that are on their way to the NIU when the kernel ends, configuration that is written
/// late: the seeds are some of those by which each of these once had fewer findings.
TEST(ChaosGallery, finds_the_same_whatever_is_late) {
  const std::pair<const char*, u64> runs[] = {{"wrong_unpacker", 7}, {"wrong_unpacker", 10},
                                              {"read_at_exit", 2},   {"read_at_exit", 6},
                                              {"page_reuse", 1},     {"busy_initiator", 2}};
  for (const auto& [name, seed] : runs) {
    Way way;
    way.timing = TimingModel::Chaos;
    way.seed = seed;
    const std::string program = std::string("races/") + name + "_broken";
    const std::vector<std::string> late = pairs(watch(program, way, true).report);
    EXPECT_FALSE(late.empty()) << name;
    EXPECT_EQ(late, pairs(watch(program, {}, true).report)) << name << ", seed " << seed;
  }
}

/// Page counters that a thread changes late belong to the instruction that changed them.
TEST(ChaosGallery, mended_forms_are_silent_whatever_is_late) {
  for (const char* name : {"races/early_pop_mended", "races/push_behind_pack_mended", "copy"}) {
    for (const u64 seed : {2, 7}) {
      Way way;
      way.timing = TimingModel::Chaos;
      way.seed = seed;
      way.most_tiles = 2;
      const Watched watched = watch(name, way, false);
      EXPECT_EQ(watched.report.told(), 0u) << name << seed << watched.report.text();
    }
  }
}

/// Those of which both sides belong to the program, and none to the boot before it.
RaceReport since_the_boot(Watched watched) {
  std::erase_if(watched.report.findings, [&](const RaceFinding& one) {
    return std::min(one.finding.first.site.cycle, one.finding.second.site.cycle) < watched.begin;
  });
  return std::move(watched.report);
}

class ResumedGallery : public testing::TestWithParam<GalleryEntry> {};

/// The detector has not seen the boot then, nor what the host had written before.
TEST_P(ResumedGallery, has_the_same_findings_as_one_that_was_watched_from_the_boot_on) {
  Way resumed = narrow();
  resumed.restored = true;
  const std::string name = std::string("races/") + GetParam().name;
  const bool contracts = GetParam().kind == FindingKind::Contract;
  EXPECT_EQ(texts(since_the_boot(watch(name + "_broken", resumed, contracts))),
            texts(since_the_boot(watch(name + "_broken", narrow(), contracts))));
  const Watched mended = watch(name + "_mended", resumed, contracts);
  EXPECT_EQ(mended.report.told(), 0u) << mended.report.text();
}

INSTANTIATE_TEST_SUITE_P(Races, ResumedGallery, testing::ValuesIn([] {
                           std::vector<GalleryEntry> some;
                           for (const GalleryEntry& entry : gallery())
                             if (is_one_in(6, entry)) some.push_back(entry);
                           return some;
                         }()),
                         [](const auto& entry) { return std::string(entry.param.name); });

TEST(Watching, changes_neither_cycles_nor_memory) {
  for (const char* name : {"races/move_into_src_mended", "ring", "add_scalar"}) {
    const Program program = load_program(example(name));
    Way way;
    way.hashed = true;
    const Watched seen = run_once(program, way, true, {});
    const Watched unseen = run_once(program, way, true, {}, false);
    EXPECT_EQ(seen.hash, unseen.hash) << name;
    EXPECT_EQ(seen.outcome.cycle, unseen.outcome.cycle) << name;
  }
}

}  // namespace
}  // namespace bhemu::host
