#include "host/report/report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host/settings/card_settings.hpp"
#include "host/suggest.hpp"

namespace bhemu::host {
namespace {

TEST(Report, tiles_that_wait_alike_are_one_entry_with_the_waits_as_data) {
  WaiterGroup group;
  for (u8 x = 1; x < 7; ++x) group.tiles.push_back({x, 2});
  group.agent = Agent::Brisc;
  group.pc = 0x3850;
  Wait wait;
  wait.kind = Awaited::MailboxWord;
  wait.index = 2;
  wait.holders = bit_of(Agent::Trisc1);
  Waits waits;
  waits.all.push_back(wait);
  group.what = tile::what_of(waits);
  group.who = tile::who_of(waits);
  const std::string text = group_text(group, 6);
  EXPECT_NE(text.find("BRISC of all 6 tiles, pc 0x3850"), std::string::npos) << text;
  EXPECT_NE(text.find("waits for: a word in the mailbox from TRISC1"), std::string::npos) << text;
  EXPECT_NE(text.find("could be released by: TRISC1"), std::string::npos) << text;
  const std::vector<WaitPart> parts = parts_of(wait);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(std::get<std::string>(parts[0].value), "mailbox-word");
  EXPECT_EQ(std::get<u64>(parts[1].value), 2u);
  EXPECT_EQ(std::get<std::vector<std::string>>(parts[2].value)[0], "TRISC1");
}

TEST(Report, every_kind_of_wait_has_a_name_words_and_parts) {
  for (unsigned kind = 0; kind < kAwaited; ++kind) {
    Waits waits;
    waits.all.emplace_back();
    waits.all[0].kind = static_cast<Awaited>(kind);
    EXPECT_FALSE(tile::what_of(waits).empty()) << name_of(waits.all[0].kind);
    EXPECT_FALSE(parts_of(waits.all[0]).empty());
    for (unsigned other = 0; other < kind; ++other)
      EXPECT_STRNE(name_of(static_cast<Awaited>(other)), name_of(waits.all[0].kind));
  }
}

TEST(Report, a_known_word_is_called_by_its_name_and_its_writer_is_who_is_waited_for) {
  Waits waits;
  waits.all.emplace_back();
  waits.all[0].kind = Awaited::Word;
  waits.all[0].address = 0x370;
  const std::vector<KnownWord> words{{0x370, "the go message", "the host"}};
  EXPECT_EQ(tile::what_of(waits, {{}, words}), "the go message (L1[0x00370]) is 0x00000000");
  EXPECT_EQ(tile::who_of(waits, {{}, words}), "the host");
  waits.all.push_back(waits.all[0]);
  waits.all[1].address = 0x374;
  EXPECT_NE(tile::who_of(waits, {{}, words}), "the host") << "it waits for another word, too";
}

TEST(Report, long_lists_of_tiles_are_cut) {
  std::vector<Coord> tiles;
  for (u8 y = 2; y < 12; ++y) tiles.push_back({1, y});
  EXPECT_EQ(tiles_text(tiles, 120), "(1, 2), (1, 3), (1, 4), (1, 5) and 6 more tiles");
  EXPECT_EQ(tiles_text(tiles, 10), "all 10 tiles");
  EXPECT_EQ(tiles_text({tiles.data(), 1}, 1), "(1, 2)");
}

TEST(Report, code_is_located_where_it_runs) {
  const Elf elf = Elf::load(BHEMU_SOURCE_DIR "/firmware/prebuilt/brisc.elf");
  CodeMap code;
  code.add(CoreId::Brisc, elf, 0x9000, elf.entry(), 0x100);
  EXPECT_EQ(code.locate(Agent::Brisc, 0x9000).function, "_start");
  EXPECT_TRUE(code.locate(Agent::Brisc, 0x9100).text().empty());
  EXPECT_TRUE(code.locate(Agent::Ncrisc, 0x9000).text().empty());
  EXPECT_TRUE(code.locate(Agent::Thread0, 0x9000).text().empty());
}

/// One kernel, linked as it was compiled, and with link-time optimisation.
class Linked : public testing::TestWithParam<const char*> {};

TEST_P(Linked, code_has_a_chain_of_inlined_calls_that_ends_at_the_users_line) {
  const Elf elf =
      Elf::load(fmt::format(BHEMU_SOURCE_DIR "/kernels/prebuilt/{}/brisc.elf", GetParam()));
  CodeMap code;
  code.add(CoreId::Brisc, elf, 0x9000, 0, elf.segments()[0].memory_size);
  bool found = false;
  for (u32 pc = 0x9000; pc < 0x9000 + elf.segments()[0].memory_size; pc += 4) {
    const CodeMap::Location location = code.locate(Agent::Brisc, pc);
    if (location.text().find("CbWaitFront (cb.h:") == std::string::npos) continue;
    found = true;
    EXPECT_TRUE(location.text().ends_with(" < WaitForPage (kernels/stuck/cb.c:6)"));
    EXPECT_EQ(location.user(), "WaitForPage (kernels/stuck/cb.c:6)");
  }
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(Report, Linked, testing::Values("stuck_cb", "stuck_cb_lto"));

TEST(Report, faults_that_differ_in_their_tile_only_are_told_once) {
  Fault fault;
  fault.rule = Rule::TileUnmappedAddress;
  fault.agent = Agent::Brisc;
  fault.pc = 0x9000;
  fault.text = "load from 0xffff0000";
  std::vector<FaultReport> reports;
  for (u8 x = 1; x < 4; ++x) reports.push_back({fault, {x, 2}, "Main (a.c:3)", "Main (a.c:3)", ""});
  const std::string text = fault_text(reports, 120);
  EXPECT_TRUE(
      text.starts_with("First cause: BRISC of (1, 2) (and of 2 more tiles) at Main (a.c:3) "
                       "broke the rule"))
      << text;
  EXPECT_NE(text.find("BRISC of (1, 2), (2, 2), (3, 2), cycle 0"), std::string::npos) << text;
  EXPECT_EQ(text.find("Fault ["), text.rfind("Fault ["));
}

TEST(Suggestion, only_close_words_are_suggested) {
  EXPECT_EQ(suggestion("tils", {"tiles", "name"}), ", did you mean 'tiles'?");
  EXPECT_EQ(suggestion("zzzzzz", {"tiles", "name"}), " (known: tiles, name)");
}

TEST(Suggestion, names_variables_that_are_nearly_a_setting_and_no_others) {
  const char* const environment[] = {"BHEMU_RULES=a=warn", "BHEMU_RULE=a=warn",  "BHEMU_TREADS=2",
                                     "BHEMU_LLK_DIR=/x",   "BHEMU_CXX=g++",      "BHEMU_ROUNDS=3",
                                     "TT_METAL_RULE=1",    "BHEMU_TT_METAL_DIR", nullptr};
  EXPECT_EQ(misspelt_variables(environment),
            (std::vector<std::string>{
                "BHEMU_RULES is no setting and is not looked at; did you mean BHEMU_RULE?",
                "BHEMU_TREADS is no setting and is not looked at; did you mean BHEMU_THREADS?"}));
  EXPECT_TRUE(misspelt_variables(nullptr).empty());
}

}  // namespace
}  // namespace bhemu::host
