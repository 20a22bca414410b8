// Broadcasts: which tiles receive, on both NoCs, with and without translation; who counts what.
#include <gtest/gtest.h>

#include <set>

#include "noc/fabric.hpp"

namespace bhemu::noc {
namespace {

/// A chip of 17 x 12 with Tensix tiles at x 1-7 and 10-16, y 2-11, some columns fused off, and
/// translation as the ARC firmware would set it up.
class Chip {
 public:
  explicit Chip(std::set<u32> dead) : dead_(std::move(dead)) {
    std::array<u8, 32> x{}, y{};
    std::vector<u8> order;
    for (u8 i = 0; i < 17; ++i) x[i] = i;
    for (u8 i = 0; i < 12; ++i) y[i] = i;
    for (const u8 i : columns())
      if (dead_.count(i) == 0) order.push_back(i);
    for (const u8 i : columns())
      if (dead_.count(i) != 0) order.push_back(i);
    for (u32 i = 0; i < 14; ++i) x[columns()[i]] = order[i];
    to_x_ = x;
    for (unsigned noc = 0; noc < kNocs; ++noc) {
      Translation translation;
      translation.row_mask = 3;
      for (u32 i = 0; i < 32; ++i) {
        const u32 to_x = noc == 0 ? x[i] : 16 - x[i];
        const u32 to_y = noc == 0 ? y[i] : 11 - y[i];
        translation.x_table[i / 6] |= (to_x & 31) << (i % 6 * 5);
        translation.y_table[i / 6] |= (to_y & 31) << (i % 6 * 5);
      }
      for (u32 i = 0; i < 17; ++i)
        if (i == 0 || i == 8 || i == 9 || dead_.count(i) != 0)
          translation.broadcast_columns |= 1u << (noc == 0 ? i : 16 - i);
      translation.broadcast_rows = noc == 0 ? 3u : 3u << 10;
      fabric.routing.set_translation(noc, translation);
    }
    NodeId node = 0;
    for (const u8 column : columns()) {
      for (u8 row = 2; row < 12; ++row, ++node) {
        const Coord noc0{x[column], row};
        if (dead_.count(noc0.x) != 0) continue;
        const Coord translated{column, row};
        fabric.routing.describe(node, {NodeKind::Tensix, translated, 0});
        for (unsigned noc = 0; noc < kNocs; ++noc) fabric.routing.place(noc, translated, node);
        fabric.routing.place_physical(0, noc0, node);
        fabric.routing.place_physical(
            1, {static_cast<u8>(16 - noc0.x), static_cast<u8>(11 - noc0.y)}, node);
        by_coord_[{column, row}] = &fabric.add_tile(node, noc0);
      }
    }
  }
  static const std::vector<u8>& columns() {
    static const std::vector<u8> list = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16};
    return list;
  }
  TestTile& at_translated(u32 x, u32 y) { return *by_coord_.at({x, y}); }

  /// Receivers by the words of MemoryMap.md, as translated coordinates: spans on raw coordinates,
  /// wrapping when start > end.
  std::set<std::pair<u32, u32>> expected(unsigned noc, Coord start, Coord end) {
    const auto raw_x = [&](u32 x) { return noc == 0 ? u32{to_x_[x]} : 16u - to_x_[x]; };
    const auto raw_y = [&](u32 y) { return noc == 0 ? y : 11 - y; };
    const auto inside = [](u32 v, u32 s, u32 e) {
      return s <= e ? s <= v && v <= e : v <= e || s <= v;
    };
    std::set<std::pair<u32, u32>> result;
    for (const auto& [coord, tile] : by_coord_)
      if (inside(raw_x(coord.first), raw_x(start.x), raw_x(end.x)) &&
          inside(raw_y(coord.second), raw_y(start.y), raw_y(end.y)))
        result.insert(coord);
    return result;
  }
  std::set<std::pair<u32, u32>> receivers(u32 address, u32 value) {
    std::set<std::pair<u32, u32>> result;
    for (const auto& [coord, tile] : by_coord_)
      if (tile->l1_word(address) == value) result.insert(coord);
    return result;
  }

  Fabric fabric;

 private:
  std::set<u32> dead_;
  std::array<u8, 32> to_x_{};
  std::map<std::pair<u32, u32>, TestTile*> by_coord_;
};

void broadcast(TestTile& from, unsigned noc, Coord start, Coord end, u32 address, u32 value,
               u32 flags, u32 exclude = 0) {
  from.set_l1_word(0x100, value);
  const u32 me = from.read(noc, niu::NOC_ID_LOGICAL);
  issue(from, noc,
        {.control = kWrite | kBroadcast | 1u << 7 | 4u << 13 | flags,
         .target = 0x100,
         .target_at = me,
         .home = address,
         .home_at = rectangle(start, end),
         .length = 4,
         .id = 3,
         .exclude = exclude});
}

TEST(Broadcast, rectangles_wrap_on_both_nocs_and_skip_what_is_fused_off) {
  for (const std::set<u32>& dead : {std::set<u32>{}, {15, 16}, {3, 11}, {1, 2, 16}}) {
    Chip chip(dead);
    TestTile& from = chip.at_translated(2, 5);
    u32 value = 1;
    for (unsigned noc = 0; noc < kNocs; ++noc) {
      for (const auto& [start, end] : std::vector<std::pair<Coord, Coord>>{{{1, 2}, {12, 11}},
                                                                           {{12, 11}, {1, 2}},
                                                                           {{4, 4}, {4, 4}},
                                                                           {{10, 3}, {3, 3}},
                                                                           {{3, 9}, {5, 3}},
                                                                           {{5, 3}, {3, 9}},
                                                                           {{7, 6}, {10, 6}},
                                                                           {{12, 2}, {10, 4}}}) {
        broadcast(from, noc, start, end, 0x200, ++value, kResponse | kIncludeSource);
        chip.fabric.run();
        EXPECT_EQ(chip.receivers(0x200, value), chip.expected(noc, start, end))
            << noc << " " << int{start.x} << "," << int{start.y} << " " << dead.size();
      }
    }
    EXPECT_TRUE(from.faults.faults().empty());
  }
}

TEST(Broadcast, clients_rectangle_reaches_all_tiles_swapped_on_noc_1) {
  Chip chip({15, 16});
  TestTile& from = chip.at_translated(14, 2);
  broadcast(from, 0, {1, 2}, {14, 11}, 0x200, 5, kIncludeSource);
  broadcast(from, 1, {14, 11}, {1, 2}, 0x210, 6, kIncludeSource);
  chip.fabric.run();
  EXPECT_EQ(chip.receivers(0x200, 5).size(), 120u);
  EXPECT_EQ(chip.receivers(0x210, 6).size(), 120u);
}

TEST(Broadcast, sender_is_left_out_unless_included_and_each_receiver_acknowledges) {
  Chip chip({});
  TestTile& from = chip.at_translated(3, 3);
  broadcast(from, 0, {2, 2}, {4, 4}, 0x200, 9, kResponse);
  EXPECT_EQ(from.read(0, 0x240 + 12), 1u);  // once per request
  EXPECT_EQ(from.read(0, 0x228), 1u);
  chip.fabric.run();
  EXPECT_EQ(chip.receivers(0x200, 9).size(), 8u);
  EXPECT_EQ(from.read(0, 0x204), 8u);         // once per receiver
  EXPECT_EQ(from.read(0, 0x240 + 12), 249u);  // 1 - 8, in 8 bits (Counters.md)
  EXPECT_FALSE(from.niu[0]->has_outstanding());
  broadcast(from, 0, {2, 2}, {4, 4}, 0x200, 10, kResponse | kIncludeSource);
  chip.fabric.run();
  EXPECT_EQ(chip.receivers(0x200, 10).size(), 9u);
  EXPECT_EQ(from.read(0, 0x204), 17u);
}

TEST(Broadcast, one_payload_is_shared_by_all_packets) {
  Chip chip({});
  broadcast(chip.at_translated(1, 2), 0, {1, 2}, {16, 11}, 0x200, 1, 0);
  ASSERT_EQ(chip.fabric.log.size(), 139u);
  for (const Packet& packet : chip.fabric.log)
    EXPECT_EQ(packet.payload, chip.fabric.log.front().payload);
}

TEST(Broadcast, an_excluded_quadrant_makes_an_l) {
  Chip chip({});
  TestTile& from = chip.at_translated(1, 2);
  for (u32 direction = 0; direction < 4; ++direction) {
    const u32 exclude = 1u << 22 | direction << 20 | 6u << 14 | 4u << 8;  // from (4, 6)
    broadcast(from, 0, {2, 4}, {6, 8}, 0x200, 20 + direction, 0, exclude);
    chip.fabric.run();
    std::set<std::pair<u32, u32>> expected;
    for (u32 x = 2; x <= 6; ++x)
      for (u32 y = 4; y <= 8; ++y) {
        const bool in_x = (direction & 1) != 0 ? x >= 4 : x <= 4;
        const bool in_y = (direction & 2) != 0 ? y >= 6 : y <= 6;
        if (!in_x || !in_y) expected.insert({x, y});
      }
    EXPECT_EQ(chip.receivers(0x200, 20 + direction), expected);
  }
}

TEST(Broadcast, atomics_and_inline_writes_reach_every_tile_of_the_rectangle) {
  Chip chip({});
  TestTile& from = chip.at_translated(1, 2);
  const u32 me = from.read(1, niu::NOC_ID_LOGICAL);
  issue(from, 1,
        {.control = kAtomic | kBroadcast | kResponse,
         .target = 0x300,
         .target_at = rectangle({3, 5}, {2, 4}),
         .home = 0x40,
         .home_at = me,
         .length = 0x107C,
         .data = 7});
  for (const auto& [x, y] : chip.expected(1, {3, 5}, {2, 4}))
    chip.at_translated(x, y).registers[0xFFB12000] = 0;
  issue(from, 1,
        {.control = kWrite | kInline | kBroadcast,
         .target = 0xFFB12000,
         .target_at = rectangle({3, 5}, {2, 4}),
         .data = 99},
        2);
  chip.fabric.run();
  EXPECT_EQ(chip.receivers(0x300, 7).size(), 4u);
  EXPECT_EQ(from.read(1, 0x200), 4u);
  for (const auto& [x, y] : chip.expected(1, {3, 5}, {2, 4}))
    EXPECT_EQ(chip.at_translated(x, y).registers[0xFFB12000], 99u);
}

TEST(Broadcast, translation_can_be_switched_off_and_reprogrammed_by_software) {
  Chip chip({3});
  TestTile& from = chip.at_translated(1, 2);
  const u32 me = from.read(0, niu::NOC_ID_LOGICAL);
  TestRequest request{.control = kWrite,
                      .target = 0x100,
                      .target_at = me,
                      .home = 0x200,
                      .home_at = at({5, 5}),
                      .length = 4};
  from.set_l1_word(0x100, 1);
  issue(from, 0, request);
  from.set_l1_word(0x100, 2);
  from.write(0, niu::NIU_CFG_0, 0);
  issue(from, 0, request);  // raw x = 5 is what translation calls 4, for column 3 is fused off
  chip.fabric.run();
  EXPECT_EQ(chip.at_translated(5, 5).l1_word(0x200), 1u);
  EXPECT_EQ(chip.at_translated(4, 5).l1_word(0x200), 2u);

  from.write(0, niu::NIU_CFG_0, 1u << 14);
  const u32 table = niu::NOC_X_ID_TRANSLATE_TABLE;
  from.write(0, table, (from.read(0, table) & ~(31u << 25)) | 7u << 25);  // entry 5 := 7
  from.set_l1_word(0x100, 3);
  issue(from, 0, request);
  chip.fabric.run();
  EXPECT_EQ(chip.at_translated(6, 5).l1_word(0x200), 3u);
}

TEST(Broadcast, a_coordinate_that_only_aliases_a_tile_is_warned_about) {
  Chip chip({});
  TestTile& from = chip.at_translated(1, 2);
  from.write(0, niu::NOC_X_ID_TRANSLATE_TABLE + 4 * 5, 4);  // entry 30 := 4
  issue(from, 0,
        {.control = kWrite,
         .target = 0x100,
         .target_at = at({1, 2}),
         .home = 0x200,
         .home_at = at({30, 5}),
         .length = 4});
  EXPECT_TRUE(from.faulted(Rule::NocAliasCoordinate));
  EXPECT_FALSE(from.faults.stopped());
}

}  // namespace
}  // namespace bhemu::noc
