// The ARC tile, as clients use it: boot status, telemetry, message queues.
#include "arc/arc.hpp"

#include <gtest/gtest.h>

#include <map>

#include "noc/fabric.hpp"

namespace bhemu::noc {
namespace {

class ArcTile : public testing::Test {
 protected:
  u32 read(u64 address, Cycle now = 0) {
    u32 value = 0xDEADBEEF;
    EXPECT_TRUE(arc.host_read(address, {reinterpret_cast<u8*>(&value), 4}, now)) << address;
    return value;
  }
  void write(u64 address, u32 value) {
    EXPECT_TRUE(arc.host_write(address, {reinterpret_cast<const u8*>(&value), 4}, 0));
  }
  /// As clients read it: follow scratch RAM 13 to the tags, 12 to the values.
  std::map<u32, u32> telemetry(Cycle now = 0) {
    const u32 table = read(arc::kResetUnit + 0x434);
    const u32 values = read(arc::kResetUnit + 0x430);
    const u32 count = read(table + 4);
    std::map<u32, u32> result;
    for (u32 i = 0; i < count; ++i) {
      const u32 entry = read(table + 8 + 4 * i);
      result[entry & 0xFFFF] = read(values + 4 * (entry >> 16), now);
    }
    // Other clients expect the values right behind the tags.
    EXPECT_EQ(values, table + 8 + 4 * count);
    return result;
  }
  /// As blackhole-py's and tt-umd's message queues do.
  std::array<u32, 8> message(u32 code, u32 argument = 0, u32 queue = 0) {
    const u32 control = read(arc::kResetUnit + 0x42C);
    const u32 queues = read(control);
    const u32 entries = read(control + 4) & 0xFF;
    const u32 base = queues + queue * (32 + 2 * entries * 32);
    const u32 put = read(base);
    write(base + 32 + put % entries * 32, code);
    write(base + 32 + put % entries * 32 + 4, argument);
    write(base, (put + 1) % (2 * entries));
    write(arc::kMiscControl, read(arc::kMiscControl) | 1u << 16);
    const u32 get = read(base + 4);
    EXPECT_NE(read(base + 20), get);
    std::array<u32, 8> response{};
    for (u32 i = 0; i < 8; ++i)
      response[i] = read(base + 32 + entries * 32 + get % entries * 32 + 4 * i);
    write(base + 4, (get + 1) % (2 * entries));
    return response;
  }

  Fabric fabric;
  arc::Arc arc{fabric.endpoint(NodeKind::Arc, {8, 0}),
               {.board_id = u64{0x43} << 36 | 0x1234,
                .enabled_tensix_columns = 0x3FF5,
                .enabled_ethernet = 0x2EDF,
                .enabled_gddr = 0x7F}};
};

TEST_F(ArcTile, says_that_it_has_booted) {
  EXPECT_EQ(read(arc::kResetUnit + 0x408) & 7, 5u);
}

TEST_F(ArcTile, telemetry_agrees_with_the_board) {
  const auto tags = telemetry();
  EXPECT_EQ(tags.size(), arc::telemetry_tag_count());
  EXPECT_EQ(tags.at(1), 0x430u);
  EXPECT_EQ(tags.at(2), 0x1234u);
  EXPECT_EQ(tags.at(34), 0x3FF5u);
  EXPECT_EQ(tags.at(35), 0x2EDFu);
  EXPECT_EQ(tags.at(36), 0x7Fu);
  EXPECT_EQ(tags.at(22), 0x1555u);  // seven banks trained
  EXPECT_EQ(tags.at(33), tags.size());
  EXPECT_EQ(tags.at(40), 1u);
  EXPECT_EQ(tags.at(14), 800u);
  EXPECT_EQ(tags.at(11) >> 16, 45u);
  EXPECT_GT(telemetry(1'000'000'000).at(32), tags.at(32));  // the heart beats
}

TEST_F(ArcTile, aiclk_follows_the_busy_and_idle_messages) {
  EXPECT_EQ(message(0x52)[0], 0u);
  EXPECT_EQ(telemetry().at(14), 1350u);
  EXPECT_EQ(message(0x34)[1], 1350u);
  EXPECT_EQ(message(0x54)[0], 0u);
  EXPECT_EQ(telemetry().at(14), 800u);
  message(0xA0);
  EXPECT_EQ(telemetry().at(14), 1350u);
  message(0xA3);
  EXPECT_EQ(telemetry().at(14), 800u);
}

TEST_F(ArcTile, queues_wrap_and_are_independent) {
  for (u32 i = 0; i < 20; ++i)
    for (u32 queue = 0; queue < 4; ++queue) EXPECT_EQ(message(0x90, i, queue)[1], i + 1);
}

TEST_F(ArcTile, an_unknown_message_is_answered_as_such_and_reported) {
  EXPECT_EQ(message(0x77)[0] & 0xFF, 0xFFu);
  EXPECT_EQ(arc.faults().faults().back().rule, Rule::ArcMessage);
  EXPECT_FALSE(arc.faults().stopped());
}

TEST_F(ArcTile, registers_are_words_and_unknown_ones_do_not_answer) {
  u64 wide = 0;
  u32 word = 0;
  EXPECT_FALSE(arc.host_read(arc::kResetUnit + 0x400, {reinterpret_cast<u8*>(&wide), 8}, 0));
  EXPECT_FALSE(arc.host_read(arc::kResetUnit + 0x401, {reinterpret_cast<u8*>(&word), 4}, 0));
  EXPECT_FALSE(arc.host_read(arc::kResetUnit + 0x500, {reinterpret_cast<u8*>(&word), 4}, 0));
  EXPECT_FALSE(arc.host_read(arc::kCsmBase + arc::kCsmBytes, {reinterpret_cast<u8*>(&word), 4}, 0));
  EXPECT_EQ(read(arc::kApbBase + 0x50044), (8 | 17u << 12 | 12u << 19 | 1u << 28));
  EXPECT_EQ(read(arc::kApbBase + 0x58044), (8 | 11 << 6 | 17u << 12 | 12u << 19));
  EXPECT_EQ(read(arc::kResetUnit + 0xE0, 2700), 100u);  // 50 MHz against 1350
}

TEST_F(ArcTile, a_kernel_can_read_telemetry_over_the_noc) {
  TestTile& tile = fabric.tile({1, 2});
  fabric.add_endpoint(arc);
  issue(tile, 0,
        {.target = arc::kResetUnit + 0x434,
         .target_at = at({8, 0}),
         .home = 0x1004,
         .home_at = at({1, 2}),
         .length = 4});
  fabric.run();
  EXPECT_EQ(tile.l1_word(0x1004), read(arc::kResetUnit + 0x434));
}

TEST_F(ArcTile, reset_restores_everything) {
  const u64 fresh = arc.hash(0);
  message(0x52);
  EXPECT_NE(arc.hash(0), fresh);
  arc.reset(0);
  EXPECT_EQ(arc.hash(0), fresh);
}

}  // namespace
}  // namespace bhemu::noc
