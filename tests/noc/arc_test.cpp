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
  std::array<u32, 8> message(u32 code, u32 argument = 0, u32 queue = 0, u32 second = 0) {
    const u32 control = read(arc::kResetUnit + 0x42C);
    const u32 queues = read(control);
    const u32 entries = read(control + 4) & 0xFF;
    const u32 base = queues + queue * (32 + 2 * entries * 32);
    const u32 put = read(base);
    write(base + 32 + put % entries * 32, code);
    write(base + 32 + put % entries * 32 + 4, argument);
    write(base + 32 + put % entries * 32 + 8, second);
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
                .ethernet_version = 0x00010600,
                .bundle_version = 0x120C0000,
                .asic_id = 0x1234,
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
  EXPECT_EQ(tags.at(24), 0x00010600u);
  EXPECT_EQ(tags.at(28), 0x120C0000u);
  EXPECT_EQ(tags.at(62), 0x1234u);
  EXPECT_EQ(tags.at(36), 0x7Fu);
  EXPECT_EQ(tags.at(22), 0x1555u);  // seven banks trained
  EXPECT_EQ(tags.at(33), tags.size());
  EXPECT_EQ(tags.at(40), 1u);
  EXPECT_EQ(tags.at(14), 800u);
  EXPECT_EQ(tags.at(11) >> 16, 45u);
  EXPECT_EQ(tags.at(45), 0x3232u);                          // bank 7 is harvested
  EXPECT_EQ(tags.at(38), 1u);                               // PCIe tile 0
  EXPECT_GT(telemetry(1'000'000'000).at(32), tags.at(32));  // the heart beats
}

TEST_F(ArcTile, aiclk_follows_the_busy_and_idle_messages) {
  EXPECT_EQ(message(0x52)[0], 0u);
  EXPECT_EQ(telemetry().at(14), 1350u);
  EXPECT_EQ(message(0x34)[1], 1350u);
  EXPECT_EQ(message(0x54)[0], 0u);
  EXPECT_EQ(telemetry().at(14), 800u);
  EXPECT_EQ(message(0xA0)[0], 0u);  // that the chip is in use does not make it busy
  EXPECT_EQ(telemetry().at(14), 800u);
  EXPECT_EQ(message(0x21 | 4 << 8 | 1 << 16)[0], 0u);  // tt-kmd's power state: first flag set
  EXPECT_EQ(telemetry().at(14), 1350u);
  message(0x21 | 4 << 8);
  EXPECT_EQ(telemetry().at(14), 800u);
  message(0x21 | 1 << 16);  // no flag is valid
  EXPECT_EQ(telemetry().at(14), 800u);
}

TEST_F(ArcTile, aiclk_can_be_forced_and_limited_and_telemetry_says_by_whom) {
  EXPECT_EQ(message(0x34)[2], 3u);
  EXPECT_EQ(message(0x33, 1000)[0], 0u);
  EXPECT_EQ(message(0x34)[1], 1000u);
  EXPECT_EQ(message(0x34)[2], 2u);
  EXPECT_EQ(telemetry().at(69), 4u << 16);
  EXPECT_EQ(message(0x33, 1401)[0], 1u);
  EXPECT_EQ(message(0x33, 199)[0], 1u);
  message(0x33, 0);
  EXPECT_EQ(message(0x34)[1], 800u);
  message(0x52);
  EXPECT_EQ(telemetry().at(65), 1350u | 1u << 16);
  EXPECT_EQ(telemetry().at(69), 1u);
  EXPECT_EQ(message(0x23, 900)[0], 0u);
  EXPECT_EQ(telemetry().at(14), 900u);
  EXPECT_EQ(telemetry().at(66), 900u | 10u << 16);
  EXPECT_EQ(telemetry().at(69), 1u << 16 | 10u);
  EXPECT_EQ(telemetry().at(70), 900u);
  EXPECT_EQ(message(0x23, 700)[0], 1u);
  message(0x23, 0, 0, 1);
  EXPECT_EQ(telemetry().at(14), 1350u);
  EXPECT_EQ(telemetry().at(70), 0u);
}

TEST_F(ArcTile, the_other_messages_that_clients_send_are_answered_as_the_firmware_does) {
  EXPECT_EQ(message(0x16)[0], 0xFEu);
  EXPECT_EQ(message(0x1B, 0)[1], 1454u);
  EXPECT_EQ(message(0x1B, 0)[2], 45u << 16);
  EXPECT_EQ(message(0x1B, 8)[0], 1u);
  EXPECT_EQ(message(0x22, 100)[0], 0u);
  EXPECT_EQ(telemetry().at(64), 100u);
  EXPECT_EQ(message(0x22, 151)[0], 1u);
  message(0x22, 0, 0, 1);
  EXPECT_EQ(telemetry().at(64), 150u);
  message(0xAC, 250);
  EXPECT_EQ(telemetry().at(31), 100u);
  message(0xAC, ~0u);
  EXPECT_EQ(telemetry().at(31), 40u);
  EXPECT_EQ(message(0xB6, 3), (std::array<u32, 8>{}));
  EXPECT_EQ(message(0xB6, 7), (std::array<u32, 8>{1, 2}));  // harvested
  EXPECT_EQ(message(0xB6, 8), (std::array<u32, 8>{1, 1}));
  EXPECT_EQ(message(0xC0)[1], 1u);
  EXPECT_EQ(message(0xC1, 0)[0], 0u);
  EXPECT_EQ(message(0xC1, 10'000)[0], 0u);
  EXPECT_EQ(message(0xC1, 250)[0], 134u);
}

TEST_F(ArcTile, every_row_of_the_table_of_messages_is_answered_as_it_says) {
  for (unsigned i = 0; i < arc::arc_message_count(); ++i) {
    const arc::MessageInfo& row = arc::arc_messages()[i];
    if (row.code == 0xBE) continue;
    arc.faults().clear();  // repeated warnings are counted, not stored
    const bool modelled = row.kind != arc::MessageKind::NotModelled;
    const u32 status = message(row.code)[0];
    EXPECT_EQ(status == 0xFF, !modelled) << row.name;
    EXPECT_EQ(arc.faults().faults().empty(), modelled) << row.name;
  }
}

TEST_F(ArcTile, a_queue_counts_its_messages) {
  EXPECT_EQ(message(0x90, 5)[2], 1u);
  EXPECT_EQ(message(0x90, 5)[2], 2u);
  EXPECT_EQ(message(0x90, 5, 1)[2], 1u);
  message(0xBE, 100);
  EXPECT_EQ(message(0x90, 5)[2], 101u);
}

TEST_F(ArcTile, a_queue_whose_answers_nobody_takes_waits_and_one_with_a_bad_pointer_is_left) {
  const u32 base = read(read(arc::kResetUnit + 0x42C));
  for (u32 i = 0; i < 4; ++i) write(base + 32 + i * 32, 0x90);
  write(base, 4);
  write(0x800B0000, 7);  // not a doorbell
  EXPECT_EQ(read(base + 0x10), 0u);
  write(0x800B0000, 0);
  EXPECT_EQ(read(base + 0x10), 4u);
  EXPECT_EQ(read(base + 0x14), 4u);
  write(base, 5);
  write(0x800B0000, 0);
  EXPECT_EQ(read(base + 0x10), 4u);  // four answers wait
  write(base + 4, 1);
  write(0x800B0000, 0);
  EXPECT_EQ(read(base + 0x10), 5u);
  write(base, 8);
  write(base + 4, 5);
  write(0x800B0000, 0);
  EXPECT_EQ(read(base + 0x10), 5u);
  EXPECT_EQ(read(0x800B0008), 1u);
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
