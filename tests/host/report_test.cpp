#include "host/report.hpp"

#include <gtest/gtest.h>

#include "host/json.hpp"
#include "host/suggest.hpp"

namespace bhemu::host {
namespace {

Waiter waiter(Agent agent, u32 pc, const char* what) {
  return {0, agent, pc, what, "BRISC by noc_semaphore_inc"};
}

TEST(Report, tiles_that_wait_alike_are_one_entry) {
  std::vector<WaiterOf> waiters;
  for (u8 x = 1; x < 7; ++x) {
    waiters.push_back({{x, 2}, waiter(Agent::Brisc, 0x3850, "word at 0x100")});
    waiters.push_back({{x, 2}, waiter(Agent::Trisc1, 0x6050, "FIFO of thread 1")});
  }
  waiters.push_back({{1, 3}, waiter(Agent::Brisc, 0x3850, "word at 0x200")});
  const std::vector<WaiterGroup> groups = group_waiters(waiters, CodeMap{});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].tiles.size(), 6u);
  EXPECT_EQ(groups[2].tiles.size(), 1u);
  std::string text;
  for (const WaiterGroup& group : groups) text += group_text(group, 6);
  EXPECT_NE(text.find("BRISC of all 6 tiles, pc 0x3850"), std::string::npos);
  EXPECT_NE(text.find("waits for: FIFO of thread 1"), std::string::npos);
  EXPECT_NE(text.find("could be released by: BRISC"), std::string::npos);
  EXPECT_NE(text.find("BRISC of (1, 3)"), std::string::npos);
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

TEST(Report, the_chain_of_inlined_calls_ends_at_the_users_line) {
  const Elf elf = Elf::load(BHEMU_SOURCE_DIR "/kernels/prebuilt/stuck_cb/brisc.elf");
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

TEST(Report, faults_that_differ_in_their_tile_only_are_told_once) {
  Fault fault;
  fault.rule = Rule::TileUnmappedAddress;
  fault.agent = Agent::Brisc;
  fault.pc = 0x9000;
  fault.text = "load from 0xffff0000";
  std::vector<FaultReport> reports;
  for (u8 x = 1; x < 4; ++x) reports.push_back({fault, {x, 2}, "Main (a.c:3)", "Main (a.c:3)", ""});
  const std::string text = fault_text(reports, 120);
  EXPECT_TRUE(text.starts_with("First cause: BRISC of (1, 2) at Main (a.c:3) broke the rule"));
  EXPECT_NE(text.find("BRISC of (1, 2), (2, 2), (3, 2), cycle 0"), std::string::npos) << text;
  EXPECT_EQ(text.find("Fault ["), text.rfind("Fault ["));
}

TEST(Json, nests_and_escapes) {
  JsonWriter json;
  json.begin_object();
  json.member("a", "q\"\\\n\x01\xC3\xA9\xFF");
  json.key("b");
  json.begin_array();
  json.value(1u);
  json.value(true);
  json.value(0.5);
  json.end_array();
  json.key("c");
  json.begin_object();
  json.end_object();
  json.end_object();
  EXPECT_EQ(json.text(),
            "{\"a\": \"q\\\"\\\\\\n\\u0001\xC3\xA9\\ufffd\", \"b\": [1, true, 0.5], \"c\": {}}");
}

TEST(Suggestion, only_close_words_are_suggested) {
  EXPECT_EQ(suggestion("tils", {"tiles", "name"}), ", did you mean 'tiles'?");
  EXPECT_EQ(suggestion("zzzzzz", {"tiles", "name"}), " (known: tiles, name)");
}

}  // namespace
}  // namespace bhemu::host
