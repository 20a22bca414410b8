// Drawn statements: the chip and the card (BlackholeA0/README.md, PCIExpressTile/*.md, NoC pages on
// coordinates).
#include <gtest/gtest.h>

#include "card/function.hpp"
#include "pcie/endpoint.hpp"

namespace bhemu::card {
namespace {

constexpr u64 kRegisters = 0x1FC00000;

DeviceOptions options(BoardModel model) {
  DeviceOptions result;
  result.board = BoardOptions::defaults(model);
  return result;
}

struct Card {
  explicit Card(BoardModel model = BoardModel::P150) : device(options(model)), function(device) {}
  void put(unsigned bar, u64 offset, u32 value) {
    function.bar_write(bar, offset, {reinterpret_cast<const u8*>(&value), 4});
  }
  u32 get(unsigned bar, u64 offset) {
    u32 value = 0;
    function.bar_read(bar, offset, {reinterpret_cast<u8*>(&value), 4});
    return value;
  }
  void aim(unsigned window, u32 w0, u32 w1, u32 w2) {
    put(0, kRegisters + window * 12, w0);
    put(0, kRegisters + window * 12 + 4, w1);
    put(0, kRegisters + window * 12 + 8, w2);
  }
  u32 word_at(Coord tile, u64 address) {
    u32 value = 0;
    EXPECT_TRUE(device.read32(tile, address, value)) << address;
    return value;
  }
  Device device;
  Function function;
};

TEST(AuditWindows, the_offset_gives_the_high_bits_of_the_address) {  // local_offset
  Card card;
  const Coord dram{17, 12};
  // 2 MiB window: local_offset 42:0, x_end 48:43, y_end 54:49.
  const u64 bits = u64{0x155} | u64{dram.x} << 43 | u64{dram.y} << 49;
  card.aim(5, static_cast<u32>(bits), static_cast<u32>(bits >> 32), 0);
  card.put(0, 5 * 0x200000 + 0x1234, 0xCAFE0001);
  EXPECT_EQ(card.word_at(dram, 0x155ull * 0x200000 + 0x1234), 0xCAFE0001u);
  // 4 GiB window: local_offset 31:0, x_end 37:32, y_end 43:38.
  const u64 large = u64{dram.x} << 32 | u64{dram.y} << 38;
  card.aim(202, static_cast<u32>(large), static_cast<u32>(large >> 32), 0);
  card.put(4, 0x2000, 0xCAFE0002);
  EXPECT_EQ(card.word_at(dram, 0x2000), 0xCAFE0002u);
}

TEST(AuditWindows, noc_sel_and_mcast_have_their_bits) {  // 67 and 69
  Card card;
  // Rectangle (1,2) to (3,4): x_start 60:55, y_start 66:61, noc_sel 67, mcast 69.
  const auto words = [](u32 noc, u32 x0, u32 y0, u32 x1, u32 y1) {
    std::array<u32, 3> w{};
    const auto put = [&w](u32 at, u32 value) {
      for (u32 i = 0; i < 6; ++i, ++at) w[at / 32] |= (value >> i & 1) << at % 32;
    };
    put(43, x1), put(49, y1), put(55, x0), put(61, y0);
    w[2] |= noc << 3 | 1u << 5;
    return w;
  };
  const auto w0 = words(0, 1, 2, 3, 4);
  card.aim(0, w0[0], w0[1], w0[2]);
  card.put(0, 0x3000, 0x77);
  for (u8 x = 1; x <= 3; ++x)
    for (u8 y = 2; y <= 4; ++y) EXPECT_EQ(card.word_at({x, y}, 0x3000), 0x77u);
  EXPECT_EQ(card.word_at({4, 4}, 0x3000), 0u);
  const auto w1 = words(1, 3, 4, 1, 2);  // NoC 1 runs the other way
  card.aim(1, w1[0], w1[1], w1[2]);
  card.put(0, 0x200000 + 0x3000, 0x88);
  EXPECT_EQ(card.word_at({2, 3}, 0x3000), 0x88u);
}

TEST(AuditWindows, reserved_stretches_of_bar_0_are_refused) {  // 0x1FC0_0A58 to 0x1FD0_3FFF
  Card card;
  EXPECT_THROW(card.get(0, 0x1FC01000), AccessError);
  EXPECT_THROW(card.put(0, 0x1FC80000, 1), AccessError);
}

TEST(AuditBoard, products_have_the_tiles_of_the_table) {  // BlackholeA0/README.md
  const Board p100(BoardOptions::defaults(BoardModel::P100A));
  const Board p150(BoardOptions::defaults(BoardModel::P150));
  EXPECT_EQ(std::popcount(p100.ethernet_enabled_mask()), 0);
  EXPECT_EQ(std::popcount(p150.ethernet_enabled_mask()), 12);
}

TEST(AuditBoard, noc_1_counts_from_the_opposite_corner) {  // Coordinates.md
  Card card;
  const Coord coord = card.device.board().tensix()[0];
  u32 id0 = card.word_at(coord, 0xFFB20044);
  u32 id1 = card.word_at(coord, 0xFFB30044);
  EXPECT_EQ((id0 & 0x3F) + (id1 & 0x3F), 16u);
  EXPECT_EQ((id0 >> 6 & 0x3F) + (id1 >> 6 & 0x3F), 11u);
}

TEST(AuditBoard, translated_dram_columns_expose_one_bank_three_times) {  // X 18, Y 15 to 17
  Card card;
  for (u8 y = 15; y <= 17; ++y) {
    for (u8 port = 15; port <= 17; ++port) {
      const u32 value = 0x100u * y + port;
      ASSERT_TRUE(card.device.write32({18, y}, 0x8000, value));
      EXPECT_EQ(card.word_at({18, port}, 0x8000), value);
    }
  }
}

TEST(AuditBoard, logical_ids_are_translated_coordinates) {  // NOC_ID_LOGICAL
  Card card(BoardModel::P100A);
  for (const Coord coord : card.device.board().tensix()) {
    const u32 id = card.word_at(coord, 0xFFB20148);
    ASSERT_EQ(id & 0x3F, coord.x);
    ASSERT_EQ(id >> 6 & 0x3F, coord.y);
  }
}

TEST(AuditBoard, column_8_of_the_tensix_rows_is_no_tensix_tile) {  // the gap in the numbering
  Card card;
  u32 value = 0;
  EXPECT_FALSE(card.device.read32({8, 2}, 0xFFB20148, value));
}

}  // namespace
}  // namespace bhemu::card
