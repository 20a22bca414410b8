// The board against independent models: tt-umd's way of naming DRAM banks, the ARC's way of moving
// harvested columns, and the coordinates that recorded clients use.
#include "device/board.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>
#include <stdexcept>

namespace bhemu {
namespace {

using noc::NodeKind;

constexpr u8 kColumnX[14] = {1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10};
constexpr u8 kSlots[14] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16};

BoardOptions options(BoardModel model, u8 dram, u16 columns) {
  return {.model = model, .harvested_dram = dram, .harvested_columns = columns};
}
Coord mirrored(Coord coord) {
  return {static_cast<u8>(16 - coord.x), static_cast<u8>(11 - coord.y)};
}

/// Translated coordinate of (software bank, port), as tt-umd and blackhole-py compute it: with one
/// bank gone, its mirror on the other side moves to that side's last place.
std::map<std::pair<int, int>, Coord> bank_model(int harvested) {
  std::map<std::pair<int, int>, Coord> map;
  const auto lay = [&map](std::vector<int> banks, int x) {
    int y = 12;
    for (const int bank : banks)
      for (int port = 0; port < 3; ++port, ++y)
        map[{bank, port}] = {static_cast<u8>(x), static_cast<u8>(y)};
  };
  const auto last = [](std::vector<int> banks, int moved) {
    std::erase(banks, moved);
    banks.push_back(moved);
    return banks;
  };
  if (harvested < 0) {
    lay({0, 1, 2, 3}, 17);
    lay({4, 5, 6, 7}, 18);
  } else if (harvested < 4) {
    lay(last({3, 4, 5, 6}, harvested + 3), 17);
    lay({0, 1, 2}, 18);
  } else {
    lay(last({0, 1, 2, 3}, harvested - 4), 17);
    lay({4, 5, 6}, 18);
  }
  return map;
}
constexpr int kPort[8][2] = {{2, 1}, {0, 1}, {0, 1}, {0, 1}, {2, 1}, {2, 1}, {2, 1}, {2, 1}};
// Physical NoC 0 coordinates of the DRAM controllers' ports (tt-umd DRAM_CORES_NOC0).
constexpr Coord kDramNoc0[8][3] = {{{0, 0}, {0, 1}, {0, 11}}, {{0, 2}, {0, 10}, {0, 3}},
                                   {{0, 9}, {0, 4}, {0, 8}},  {{0, 5}, {0, 7}, {0, 6}},
                                   {{9, 0}, {9, 1}, {9, 11}}, {{9, 2}, {9, 10}, {9, 3}},
                                   {{9, 9}, {9, 4}, {9, 8}},  {{9, 5}, {9, 7}, {9, 6}}};

TEST(Board, default_boards_are_the_products) {
  const Board p100(BoardOptions::defaults(BoardModel::P100A));
  const Board p150(BoardOptions::defaults(BoardModel::P150));
  EXPECT_STREQ(p100.name(), "P100A");
  EXPECT_STREQ(p150.name(), "P150");
  EXPECT_EQ(p100.tensix().size(), 120u);
  EXPECT_EQ(p150.tensix().size(), 140u);
  EXPECT_EQ(p100.dram_banks(), 7u);
  EXPECT_EQ(p150.dram_banks(), 8u);
  EXPECT_EQ(p100.prefetch_core(), (Coord{14, 2}));
  EXPECT_EQ(p100.dispatch_core(), (Coord{14, 3}));
  EXPECT_EQ(p150.prefetch_core(), (Coord{16, 2}));
  EXPECT_EQ(p150.dispatch_core(), (Coord{16, 3}));
  EXPECT_EQ(p100.tensix().front(), (Coord{1, 2}));
  EXPECT_EQ(p100.tensix()[9], (Coord{1, 11}));
  EXPECT_EQ(p100.tensix()[70], (Coord{10, 2}));
  EXPECT_EQ(p100.tensix().back(), (Coord{14, 11}));
  EXPECT_EQ(p100.dram_enabled_mask(), 0x7F);
  EXPECT_EQ(std::popcount(p100.column_enabled_mask()), 12);
  EXPECT_EQ(p150.column_enabled_mask(), 0x3FFF);
  EXPECT_EQ(p100.node_count(), 120u + 7 + 1 + 1);
  EXPECT_EQ(p150.node_count(), 140u + 8 + 1 + 1 + 12);
}

TEST(Board, all_204_places_of_the_grid_have_a_kind_and_mirrored_coordinates) {
  const Board board(BoardOptions::defaults(BoardModel::P150));
  std::map<NodeKind, int> kinds;
  std::set<std::pair<u8, u8>> seen, named;
  for (const TileSite& site : board.sites()) {
    ++kinds[site.kind];
    EXPECT_TRUE(seen.insert({site.noc0.x, site.noc0.y}).second);
    EXPECT_EQ(site.noc1, mirrored(site.noc0));
    if (site.node != kNoNode) {
      EXPECT_TRUE(named.insert({site.translated.x, site.translated.y}).second);
    }
  }
  EXPECT_EQ(seen.size(), 204u);
  EXPECT_EQ(kinds[NodeKind::Tensix], 140);
  EXPECT_EQ(kinds[NodeKind::Dram], 24);
  EXPECT_EQ(kinds[NodeKind::Ethernet], 14);
  EXPECT_EQ(kinds[NodeKind::Pcie], 2);
  EXPECT_EQ(kinds[NodeKind::Arc], 1);
  EXPECT_EQ(kinds[NodeKind::L2cpu], 4);
  EXPECT_EQ(kinds[NodeKind::Security], 1);
  EXPECT_EQ(kinds[NodeKind::Router], 18);
}

TEST(Board, recorded_bank_endpoints_of_a_p150) {
  const Board board(BoardOptions::defaults(BoardModel::P150));
  const Coord noc0[] = {{17, 14}, {17, 15}, {17, 18}, {17, 21},
                        {18, 14}, {18, 17}, {18, 20}, {18, 23}};
  const Coord noc1[] = {{17, 13}, {17, 16}, {17, 19}, {17, 22},
                        {18, 13}, {18, 16}, {18, 19}, {18, 22}};
  for (unsigned bank = 0; bank < 8; ++bank) {
    EXPECT_EQ(board.dram_port(bank, 0), noc0[bank]);
    EXPECT_EQ(board.dram_port(bank, 1), noc1[bank]);
  }
}

TEST(Board, bank_tables_agree_with_tt_umd_for_every_harvested_bank) {
  for (int harvested = -1; harvested < 8; ++harvested) {
    const u8 mask = harvested < 0 ? 0 : static_cast<u8>(1 << harvested);
    const Board board(options(BoardModel::P150, mask, 0x0A));
    const auto model = bank_model(harvested);
    const unsigned banks = harvested < 0 ? 8 : 7;
    ASSERT_EQ(board.dram_banks(), banks);
    const std::vector<u8> table = board.bank_table(banks, 110);
    std::vector<u16> words;
    for (int noc = 0; noc < 2; ++noc)
      for (unsigned bank = 0; bank < banks; ++bank) {
        const Coord coord = model.at({static_cast<int>(bank), kPort[bank][noc]});
        words.push_back(static_cast<u16>(coord.y << 6 | coord.x));
      }
    for (int noc = 0; noc < 2; ++noc)
      for (unsigned i = 0; i < 110; ++i)
        words.push_back(static_cast<u16>((2 + i / 12 % 10) << 6 | kSlots[i % 12]));
    for (std::size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(table[2 * i] | table[2 * i + 1] << 8, words[i]) << harvested << " " << i;
    for (std::size_t i = 2 * words.size(); i < table.size(); ++i) ASSERT_EQ(table[i], 0);
    EXPECT_GE(table.size(), 0x400 + 4 * (banks + 110u));

    // The software bank is the right physical controller, at every port.
    for (const TileSite& site : board.sites()) {
      if (site.kind != NodeKind::Dram || site.harvested) continue;
      EXPECT_EQ(site.translated, model.at({site.bank, site.port}));
      const int physical = harvested >= 0 && site.bank >= harvested ? site.bank + 1 : site.bank;
      EXPECT_EQ(site.noc0, kDramNoc0[physical][site.port]);
      EXPECT_EQ(site.node, board.dram_node(site.bank));
    }
  }
}

TEST(Board, any_set_of_dram_banks_can_be_harvested) {
  for (u32 mask = 0; mask < 0xFF; ++mask) {
    const Board board(options(BoardModel::P150, static_cast<u8>(mask), 0));
    const auto banks = static_cast<unsigned>(8 - std::popcount(mask));
    ASSERT_EQ(board.dram_banks(), banks);
    std::set<NodeId> nodes;
    for (unsigned bank = 0; bank < banks; ++bank) {
      nodes.insert(board.dram_node(bank));
      for (unsigned noc = 0; noc < 2; ++noc)
        EXPECT_EQ(board.routing().at(noc, board.dram_port(bank, noc)), board.dram_node(bank));
    }
    EXPECT_EQ(nodes.size(), banks);
    EXPECT_EQ(nodes.count(kNoNode), 0u);
    EXPECT_EQ(board.dram_enabled_mask(), u8(~mask));
  }
}

TEST(Board, an_entry_for_a_bank_that_is_not_there_names_nobody) {
  const Board board(BoardOptions::defaults(BoardModel::P100A));
  const std::vector<u8> table = board.bank_table(8, 0);
  const u32 entry = table[14] | table[15] << 8;
  for (unsigned noc = 0; noc < 2; ++noc)
    EXPECT_EQ(board.routing().at(noc, {static_cast<u8>(entry & 63), static_cast<u8>(entry >> 6)}),
              kNoNode);
}

// Live columns fill the places in rising order of their x; harvested ones follow from the end, in
// the ARC's order.
TEST(Board, columns_are_renumbered_for_every_mask_of_up_to_seven) {
  unsigned boards = 0;
  for (u32 mask = 0; mask < 0x4000; ++mask) {
    if (std::popcount(mask) > 7) continue;
    if (mask % 5 != 0 && std::popcount(mask) > 2) continue;  // all pairs, and a fifth of the rest
    ++boards;
    const Board board(options(BoardModel::P150, 0, static_cast<u16>(mask)));
    std::set<u8> dead;
    for (u32 i = 0; i < 14; ++i)
      if ((mask >> i & 1) != 0) dead.insert(kColumnX[i]);
    std::map<u8, u8> place;  // raw x -> translated x
    unsigned next = 0;
    for (const u8 x : kSlots)
      if (dead.count(x) == 0) place[x] = kSlots[next++];
    u8 end = 16;
    for (u32 i = 0; i < 14; ++i)
      if ((mask >> i & 1) != 0) place[kColumnX[i]] = end--;
    ASSERT_EQ(board.tensix().size(), 10 * (14u - dead.size()));
    for (const TileSite& site : board.sites()) {
      if (site.kind != NodeKind::Tensix) continue;
      ASSERT_EQ(site.translated, (Coord{place.at(site.noc0.x), site.noc0.y})) << mask;
      ASSERT_EQ(site.harvested, dead.count(site.noc0.x) != 0);
      ASSERT_EQ(site.node == kNoNode, site.harvested);
    }
    const noc::Translation& noc0 = board.routing().translation(0);
    for (const u8 x : kSlots) ASSERT_EQ((noc0.broadcast_columns >> x & 1) != 0, dead.count(x) != 0);
  }
  EXPECT_GT(boards, 1000u);
}

TEST(Board, both_nocs_answer_the_same_translated_coordinates) {
  for (const BoardModel model : {BoardModel::P100A, BoardModel::P150}) {
    BoardOptions wanted = BoardOptions::defaults(model);
    wanted.harvested_columns |= 0x100;  // x = 5
    const Board board(wanted);
    const noc::Routing routing = board.routing();
    for (const TileSite& site : board.sites()) {
      if (site.node == kNoNode) continue;
      for (unsigned noc = 0; noc < 2; ++noc) {
        EXPECT_EQ(routing.at(noc, site.translated), site.node);
        EXPECT_EQ(routing.physical(noc, noc == 0 ? site.noc0 : site.noc1), site.node);
        const noc::Translation& table = routing.translation(noc);
        EXPECT_EQ(noc::translate(table.x_table.data(), table.y_table.data(), table.column_mask,
                                 table.row_mask, site.translated),
                  noc == 0 ? site.noc0 : site.noc1);
      }
      EXPECT_EQ(board.site_of(site.node)->kind, site.kind);
    }
    EXPECT_EQ(routing.kind(board.node_at_translated({19, 24})), NodeKind::Pcie);
    EXPECT_EQ(routing.kind(board.node_at_translated({8, 0})), NodeKind::Arc);
    EXPECT_EQ(board.node_at_translated({2, 0}), board.node_at_translated({19, 24}));
    EXPECT_EQ(board.node_at_translated({11, 0}), kNoNode);  // the other PCIe tile is not in use
    EXPECT_EQ(board.node_at_translated({16, 5}), kNoNode);  // harvested columns come last
    EXPECT_EQ(board.node_at_translated({40, 40}), kNoNode);
    EXPECT_EQ(board.node_at_translated({17, 2}), kNoNode);  // between the documented boxes
    for (u8 x = 20; x < 32; ++x)
      EXPECT_EQ(board.node_at_translated({x, 25}) != kNoNode, model == BoardModel::P150);
  }
}

TEST(Board, ethernet_tiles_keep_their_order_without_the_two_that_are_off) {
  const Board board(BoardOptions::defaults(BoardModel::P150));
  const u8 expected[12] = {1, 16, 2, 15, 3, 4, 13, 12, 6, 11, 7, 10};  // without tiles 5 and 8
  for (u8 i = 0; i < 12; ++i) {
    const TileSite* site = board.site_of(board.node_at_translated({static_cast<u8>(20 + i), 25}));
    ASSERT_NE(site, nullptr);
    EXPECT_EQ(site->noc0, (Coord{expected[i], 1}));
  }
}

TEST(Board, names_for_messages) {
  const Board board(BoardOptions::defaults(BoardModel::P100A));
  const noc::Routing routing = board.routing();
  EXPECT_EQ(routing.name(board.node_at_translated({17, 22})), "DRAM bank 3 (17,21)");
  EXPECT_EQ(routing.name(board.node_at_translated({14, 3})), "Tensix (14,3)");
  EXPECT_EQ(routing.name(board.node_at_translated({19, 24})), "PCIe (19,24)");
}

std::string refusal(const BoardOptions& wanted) {
  try {
    const Board board(wanted);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Board, impossible_combinations_are_refused_in_one_sentence) {
  EXPECT_EQ(refusal(options(BoardModel::P150, 0, 0x4001)),
            "Tensix columns are numbered 0 to 13, so the mask 0x4001 of harvested columns has bits "
            "that name none.");
  EXPECT_EQ(refusal(options(BoardModel::P150, 0, 0xFF)),
            "At most 7 of the 14 Tensix columns can be harvested, not 8.");
  EXPECT_EQ(refusal(options(BoardModel::P150, 0xFF, 0)),
            "At least one DRAM bank must be left; all 8 are harvested.");
  EXPECT_EQ(refusal(options(BoardModel::P100A, 0x80, 0x1)),
            "A P100A has at most 12 Tensix columns, so at least 2 of the 14 must be harvested, "
            "not 1.");
  EXPECT_EQ(refusal(options(BoardModel::P100A, 0, 0x3)),
            "A P100A has at most 7 DRAM banks, so at least 1 of the 8 must be harvested.");
  EXPECT_EQ(refusal(options(BoardModel::P100A, 0x04, 0x3)), "");
}

}  // namespace
}  // namespace bhemu
