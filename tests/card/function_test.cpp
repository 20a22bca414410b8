#include "card/function.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "pcie/endpoint.hpp"

namespace bhemu::card {
namespace {

constexpr u64 kRegisters = Function::kWindowRegisters;

DeviceOptions p150() {
  DeviceOptions options;
  options.board = BoardOptions::defaults(BoardModel::P150);
  return options;
}

class Card : public testing::Test {
 protected:
  void put(unsigned bar, u64 offset, u32 value) {
    function.bar_write(bar, offset, {reinterpret_cast<const u8*>(&value), 4});
  }
  u32 get(unsigned bar, u64 offset) {
    u32 value = 0;
    function.bar_read(bar, offset, {reinterpret_cast<u8*>(&value), 4});
    return value;
  }
  /// Bits of a window's 96, by the document's table.
  struct Aim {
    u64 address = 0;
    Coord end{};
    Coord start{};
    bool multicast = false;
    unsigned noc = 0;
    u32 high = 0;  // or-ed into the third word
  };
  void aim(unsigned window, const Aim& to) {
    const bool small = window < Windows::kSmall;
    const unsigned first = small ? 43 : 32;  // of x_end
    std::array<u32, 3> words{0, 0, small ? to.high : 0};
    const auto insert = [&](unsigned at, u64 value, unsigned bits) {
      for (unsigned i = 0; i < bits; ++i, ++at)
        words[at / 32] |= static_cast<u32>(value >> i & 1) << (at % 32);
    };
    insert(0, to.address / Windows::bytes_of(window), first);
    insert(first, to.end.x, 6);
    insert(first + 6, to.end.y, 6);
    insert(first + 12, to.start.x, 6);
    insert(first + 18, to.start.y, 6);
    insert(first + 24, to.noc, 1);
    insert(first + 26, to.multicast ? 1 : 0, 1);
    for (u32 i = 0; i < 3; ++i) put(0, kRegisters + window * 12 + i * 4, words[i]);
  }
  static u64 place(unsigned window) {
    return window < Windows::kSmall ? window * Windows::kSmallBytes
                                    : (window - Windows::kSmall) * Windows::kLargeBytes;
  }
  static unsigned bar(unsigned window) { return window < Windows::kSmall ? 0 : 4; }
  u32 word_at(Coord tile, u64 address) {
    u32 value = 0;
    EXPECT_TRUE(device.read32(tile, address, value)) << address;
    return value;
  }
  template <class Body>
  std::string refusal(Body body) {
    try {
      body();
    } catch (const AccessError& error) {
      return error.what();
    }
    return "";
  }

  Device device{p150()};
  Function function{device};
};

TEST_F(Card, every_window_reaches_its_own_tile_and_address) {
  const auto& tiles = device.board().tensix();
  for (unsigned window = 0; window < Windows::kCount; ++window)
    aim(window, {.end = tiles[window % tiles.size()], .noc = window % 2});
  for (unsigned window = 0; window < Windows::kCount; ++window)
    put(bar(window), place(window) + 0x1000 + window * 4, 0xC0DE0000 + window);
  for (unsigned window = 0; window < Windows::kCount; ++window) {
    EXPECT_EQ(word_at(tiles[window % tiles.size()], 0x1000 + window * 4), 0xC0DE0000 + window);
    EXPECT_EQ(get(bar(window), place(window) + 0x1000 + window * 4), 0xC0DE0000 + window);
  }
}

TEST_F(Card, windows_move_over_the_whole_of_a_dram_bank) {
  for (const unsigned window : {7u, 201u}) {
    for (u64 at = 0; at < u64{4} << 30; at += u64{512} << 20) {
      aim(window, {.address = at, .end = {17, 15}});
      put(0, place(window) + 8, static_cast<u32>(at >> 20) + window);
      EXPECT_EQ(word_at({17, 15}, at + 8), (at >> 20) + window);
    }
  }
  aim(205, {.address = 0, .end = {18, 12}});
  put(4, place(205) + 0xFFFFFFFC, 0x12345678);
  EXPECT_EQ(word_at({18, 12}, 0xFFFFFFFC), 0x12345678u);
}

TEST_F(Card, bytes_of_any_size_and_alignment_pass_a_window) {
  aim(3, {.end = {4, 5}});
  std::vector<u8> data(777);
  std::iota(data.begin(), data.end(), u8{1});
  for (const u64 at : {0u, 1u, 2u, 3u, 61u, 4093u}) {
    function.bar_write(0, place(3) + at, data);
    std::vector<u8> back(data.size());
    function.bar_read(0, place(3) + at, back);
    EXPECT_EQ(back, data);
    std::vector<u8> direct(data.size());
    ASSERT_TRUE(device.read({4, 5}, at, direct));
    EXPECT_EQ(direct, data);
  }
}

TEST_F(Card, a_stretch_over_two_windows_goes_through_both) {
  aim(10, {.address = 0, .end = {17, 12}});
  aim(11, {.address = u64{64} << 20, .end = {17, 18}});
  const std::vector<u8> data(4096, 0xA5);
  function.bar_write(0, place(11) - 2048, data);
  EXPECT_EQ(word_at({17, 12}, Windows::kSmallBytes - 4), 0xA5A5A5A5u);
  EXPECT_EQ(word_at({17, 18}, u64{64} << 20), 0xA5A5A5A5u);
}

TEST_F(Card, multicast_reaches_the_tensix_tiles_of_the_rectangle_on_either_noc) {
  for (unsigned noc = 0; noc < kNocs; ++noc) {
    aim(5, {.end = {11, 9}, .start = {6, 3}, .multicast = true, .noc = noc});
    const u32 value = 0xBEEF0000 + noc;
    put(0, place(5) + 0x2000, value);
    for (const Coord tile : device.board().tensix()) {
      // Corners are translated to raw coordinates of the NoC, in whose numbering NoC 1 runs the
      // other way: there the same corners name what lies outside, around the torus.
      const bool in_x = noc == 0 ? tile.x >= 6 && tile.x <= 11 : tile.x <= 6 || tile.x >= 11;
      const bool in_y = noc == 0 ? tile.y >= 3 && tile.y <= 9 : tile.y <= 3 || tile.y >= 9;
      EXPECT_EQ(word_at(tile, 0x2000) == value, in_x && in_y)
          << noc << ": " << int{tile.x} << "," << int{tile.y};
    }
  }
}

TEST_F(Card, strided_multicast_keeps_and_skips) {
  aim(31, {.end = {7, 11}, .start = {1, 2}, .multicast = true});
  // x: keep 1, skip 1; y: keep 2, skip 1
  put(0, kRegisters + 210 * 12 + 31 * 4, 1 | 1 << 2 | 2 << 4 | 1 << 6);
  put(0, place(31) + 0x40, 77);
  for (const Coord tile : device.board().tensix()) {
    const bool in = tile.x <= 7 && (tile.x - 1) % 2 == 0 && (tile.y - 2) % 3 < 2;
    EXPECT_EQ(word_at(tile, 0x40) == 77, in) << int{tile.x} << "," << int{tile.y};
  }
}

TEST_F(Card, an_excluded_quadrant_gets_nothing) {
  aim(0, {.end = {7, 11}, .start = {1, 2}, .multicast = true});
  // exclude x >= 4 and y <= 6
  put(0, kRegisters + 210 * 12, 4 << 8 | 6 << 13 | 1 << 17 | 1 << 19);
  put(0, place(0) + 0x40, 99);
  for (const Coord tile : device.board().tensix()) {
    const bool in = tile.x <= 7 && !(tile.x >= 4 && tile.y <= 6);
    EXPECT_EQ(word_at(tile, 0x40) == 99, in) << int{tile.x} << "," << int{tile.y};
  }
}

TEST_F(Card, window_registers_read_back_what_was_written) {
  for (u32 offset = 0; offset < Windows::kRegisterBytes; offset += 4)
    put(0, kRegisters + offset, offset * 2654435761u);
  for (u32 offset = 0; offset < Windows::kRegisterBytes; offset += 4)
    EXPECT_EQ(get(0, kRegisters + offset), offset * 2654435761u);
}

TEST_F(Card, a_window_that_multicasts_is_read_from_its_end) {
  aim(1, {.end = {4, 5}, .start = {1, 2}, .multicast = true});
  put(0, place(1) + 0x40, 7);
  aim(2, {.end = {4, 5}});
  put(0, place(2) + 0x40, 9);
  EXPECT_EQ(get(0, place(1) + 0x40), 9u);
}

TEST_F(Card, misuse_of_a_window_is_refused_with_its_reason) {
  aim(1, {.end = {40, 40}});
  EXPECT_NE(refusal([&] { get(0, place(1)); }).find("no tile answers"), std::string::npos);
  EXPECT_NE(refusal([&] { put(0, place(1), 0); }).find("no tile answers"), std::string::npos);
  aim(1, {.end = {20, 25}, .start = {20, 25}, .multicast = true});
  EXPECT_NE(refusal([&] { put(0, place(1), 0); }).find("no Tensix tile"), std::string::npos);
  aim(1, {.end = {1, 2}, .high = 1u << 14});  // bit 78
  EXPECT_NE(refusal([&] { get(0, place(1)); }).find("reserved"), std::string::npos);
  aim(1, {.end = {1, 2}, .high = 1u << 8});  // bit 72
  EXPECT_NE(refusal([&] { get(0, place(1)); }).find("linked"), std::string::npos);
  aim(1, {.end = {1, 2}, .high = 1u << 9 | 2u << 12});  // static VC of class 2, unicast
  EXPECT_NE(refusal([&] { get(0, place(1)); }).find("virtual channel"), std::string::npos);
  aim(1, {.address = u64{4} << 30, .end = {1, 2}});
  EXPECT_NE(refusal([&] { get(0, place(1)); }).find("nothing can be read"), std::string::npos);
}

TEST_F(Card, gaps_of_the_bars_are_refused) {
  for (const u64 offset : {0x19400000u, 0x1FBFFFFCu, 0x1FC00A58u, 0x1FD04010u, 0x1FE00000u}) {
    EXPECT_NE(refusal([&] { get(0, offset); }), "") << offset;
    EXPECT_NE(refusal([&] { put(0, offset, 0); }), "") << offset;
  }
  EXPECT_NE(refusal([&] { get(2, 0x3000); }), "");
  EXPECT_NE(refusal([&] { get(2, 0x1100); }), "");  // inbound iATU
  std::array<u8, 2> half{};
  EXPECT_NE(refusal([&] { function.bar_read(0, kRegisters, half); }).find("whole"),
            std::string::npos);
  EXPECT_NE(refusal([&] { function.bar_write(2, 0x1001, std::array<u8, 4>{}); }).find("whole"),
            std::string::npos);
  std::array<u8, 8> edge{};
  EXPECT_NE(refusal([&] { function.read(function.bar_base(4) + Function::kBar4Bytes - 4, edge); }),
            "");
}

TEST_F(Card, the_hosts_nius_say_where_the_card_is_and_that_coordinates_are_translated) {
  EXPECT_EQ(get(0, 0x1FD04044) & 0xFFF, 2u);              // (2, 0)
  EXPECT_EQ(get(0, 0x1FD14044) & 0xFFF, 14u | 11u << 6);  // the same tile on NoC 1
  EXPECT_EQ(get(0, 0x1FD04100) >> 14 & 1, 1u);
}

TEST_F(Card, the_nius_of_every_tile_say_where_it_is_on_either_noc) {
  // tt-umd tests/api/test_noc.cpp, which passes on cards: NOC_NODE_ID of any tile, live or not,
  // is its coordinate on the NoC that the NIU belongs to.
  constexpr u64 kOthers = 0xFFFFFFFF'FF000000;
  for (const TileSite& site : device.board().sites()) {
    const bool both = site.kind == noc::NodeKind::Tensix || site.kind == noc::NodeKind::Dram ||
                      site.kind == noc::NodeKind::Ethernet;
    const bool named = site.translated.x < 64;
    for (unsigned carrier = 0; carrier < kNocs; ++carrier) {
      // Empty and nameless tiles are reached by raw coordinates, in rows that are not translated
      // along X: Y is turned on NoC 1.
      const Coord via = named ? site.translated : site.noc0;
      if (device.board().site_through(carrier, via) != &site) {
        ASSERT_FALSE(named && !site.harvested && site.kind != noc::NodeKind::Router)
            << int(via.x) << ' ' << int(via.y);
        continue;
      }
      for (unsigned noc = 0; noc < kNocs; ++noc) {
        if (!both && noc != carrier) continue;
        const u64 base = both                                 ? 0xFFB20000 + noc * 0x10000u
                         : site.kind == noc::NodeKind::Router ? 0xFF000000
                                                              : kOthers;
        const Coord expected = noc == 0 ? site.noc0 : site.noc1;
        aim(5, {.address = base, .end = via, .noc = carrier});
        const u64 at = place(5) + base % Windows::kSmallBytes;
        EXPECT_EQ(get(0, at + 0x44) & 0xFFF, expected.x | u32{expected.y} << 6)
            << noc::name_of(site.kind) << ' ' << int(site.noc0.x) << ' ' << int(site.noc0.y);
        EXPECT_EQ(get(0, at + 0x100) >> 14 & 1, 1u);
        const Coord name = named ? site.translated : site.noc0;
        EXPECT_EQ(get(0, at + 0x148), name.x | u32{name.y} << 6);
      }
    }
  }
}

TEST_F(Card, the_last_16_mib_of_a_dram_tile_are_no_memory_where_its_nius_are) {
  aim(0, {.address = 0xFFB20000, .end = {17, 12}});
  const u64 at = place(0) + 0xFFB20000 % Windows::kSmallBytes;
  EXPECT_NE(refusal([&] { put(0, at + 0x44, 1); }).find("DRAM"), std::string::npos);
  EXPECT_NE(refusal([&] { get(0, at + 0x40); }).find("does not model"), std::string::npos);
  const u32 id = get(0, at + 0x44);
  aim(0, {.address = 0x100FFB20000, .end = {17, 12}});
  EXPECT_EQ(get(0, at + 0x44), id);
}

TEST_F(Card, configuration_space_names_the_card_and_sizes_its_bars) {
  EXPECT_EQ(function.config_read(0), 0xB1401E52u);
  EXPECT_EQ(function.config_read(8), 0x12000000u);
  EXPECT_EQ(function.config_read(0x2C), 0x00401E52u);
  EXPECT_EQ(function.bar_base(0), 0x1'0000'0000u);
  EXPECT_EQ(function.bar_base(2), 0x1'2000'0000u);
  EXPECT_EQ(function.bar_base(4), 0x8'0000'0000u);
  for (const auto& [bar, size] : {std::pair{0u, Function::kBar0Bytes},
                                  {2u, Function::kBar2Bytes},
                                  {4u, Function::kBar4Bytes}}) {
    const u32 at = 0x10 + bar * 4;
    function.config_write(at, 0xFFFFFFFF);
    function.config_write(at + 4, 0xFFFFFFFF);
    const u64 mask = u64{function.config_read(at + 4)} << 32 | (function.config_read(at) & ~0xFu);
    EXPECT_EQ(~mask + 1, size) << bar;
  }
  function.config_write(0x10, 0x60000000);
  function.config_write(0x14, 2);
  EXPECT_EQ(function.bar_base(0), 0x2'6000'0000u);
  aim(0, {.end = {1, 2}});
  u32 value = 5;
  function.write(0x2'6000'0100, {reinterpret_cast<const u8*>(&value), 4});
  EXPECT_EQ(word_at({1, 2}, 0x100), 5u);
  EXPECT_NE(refusal([&] { function.config_read(0x41); }), "");
  EXPECT_NE(refusal([&] { function.config_write(2, 0); }), "");
}

class HostMemoryOfCard : public Card {
 protected:
  HostMemoryOfCard() { device.set_host_memory(&host); }
  ~HostMemoryOfCard() override { device.set_host_memory(nullptr); }
  void region(unsigned index, u64 base, u64 limit, u64 target, u32 control = 0) {
    const u64 at = 0x1000 + index * 0x200;
    put(2, at + 0x04, 0);
    put(2, at + 0x00, control);
    put(2, at + 0x08, static_cast<u32>(base));
    put(2, at + 0x0C, static_cast<u32>(base >> 32));
    put(2, at + 0x10, static_cast<u32>(limit));
    put(2, at + 0x14, static_cast<u32>(target));
    put(2, at + 0x18, static_cast<u32>(target >> 32));
    put(2, at + 0x20, static_cast<u32>(limit >> 32));
    put(2, at + 0x04, 1u << 31);
  }
  std::vector<u8> memory = std::vector<u8>(1 << 20);
  pcie::SpanMemory host{memory, 0x7000'0000};
};

TEST_F(HostMemoryOfCard, the_iatu_moves_what_lies_in_a_region_and_nothing_else) {
  region(0, 0, 0xFFFF, 0x7000'4000);
  region(15, 0x5'0000'0000, 0x5'0000'FFFF, 0x7001'0000, 1u << 13);
  const auto target = [&](u64 address, u32 bytes) {
    u64 result = 0;
    return device.pcie().controller().outbound(address, bytes, result) ? result : ~u64{0};
  };
  EXPECT_EQ(target(0, 4), 0x7000'4000u);
  EXPECT_EQ(target(0xFFFC, 4), 0x7001'3FFCu);
  EXPECT_EQ(target(0xFFFC, 8), ~u64{0});  // over the edge
  EXPECT_EQ(target(0x10000, 4), 0x10000u);
  EXPECT_EQ(target(0x5'0000'0010, 4), 0x7001'0010u);
  put(2, 0x1004, 0);
  EXPECT_EQ(target(0, 4), 0u);
}

/// What a word that goes to the host through the iATU is told of; empty: nothing.
class RegionsOfCard : public HostMemoryOfCard {
 protected:
  std::string told(u64 address) {
    aim(2, {.address = pcie::kHostWindow | address, .end = {19, 24}});
    put(0, place(2), 7);
    const std::vector<Fault> faults = device.faults();
    device.clear_faults();
    for (const Fault& fault : faults)
      if (fault.rule == Rule::PcieIatuRegion) return fault.text;
    return "";
  }
};

TEST_F(RegionsOfCard, an_access_that_two_iatu_regions_hold_or_an_empty_one_misses_is_diagnosed) {
  region(0, 0, 0xF'FFFF, 0x7000'0000);
  region(3, 0x20'0000, 0x10'0000, 0x7000'8000);
  EXPECT_EQ(told(0x1000), "") << "nobody uses the empty one";
  EXPECT_NE(told(0x7000'0000).find("lies in no region, and region 3 (0x200000 to 0x100fff) ends"),
            std::string::npos);
  put(2, 0x1604, 0);
  region(4, 0, 0x1FFF, 0x7000'8000);
  EXPECT_NE(told(0).find("lies in region 0 (0x0 to 0xfffff) and region 4 (0x0 to 0x1fff)"),
            std::string::npos);
  EXPECT_EQ(told(0), "") << "once is enough";
}

TEST_F(RegionsOfCard, iatu_regions_that_are_disabled_or_changed_before_they_are_used_are_silent) {
  region(0, 0, 0xF'FFFF, 0x7000'0000);
  put(2, 0x1204, 1u << 31);  // tt-umd enables a region before it says where it lies
  put(2, 0x1208, 0x1000'0000);
  put(2, 0x1210, 0x1000'FFFF);
  region(5, 0, 0xFFFF, 0x7000'8000);
  put(2, 0x1A04, 0);  // gone again
  EXPECT_EQ(told(0), "");
  EXPECT_EQ(told(0x7000'0000), "") << "in no region, and none is empty";
}

TEST_F(HostMemoryOfCard, the_card_reaches_host_memory_straight_and_through_the_iatu) {
  region(0, 0, 0xFFFF, 0x7000'4000);
  aim(2, {.address = pcie::kHostWindow, .end = {19, 24}});
  put(0, place(2) + 0x20, 0x11111111);
  EXPECT_EQ(memory[0x4020], 0x11);
  aim(2, {.address = 0x7000'0000, .end = {19, 24}});
  put(0, place(2) + 0x24, 0x22222222);
  EXPECT_EQ(memory[0x24], 0x22);
}

TEST_F(HostMemoryOfCard, dma_read_channel_0_copies_from_the_host_and_says_so) {
  for (u32 i = 0; i < 8192; ++i) memory[0x1000 + i] = static_cast<u8>(i * 7);
  aim(9, {.address = 0, .end = {17, 12}});
  const std::pair<u32, u32> setup[] = {
      {0x188, 0x28}, {0x190, 0x7000'0800}, {0x194, 0}, {0x1A8, 0xD07E},
      {0x100, 1},    {0x120, 0x7000'1000}, {0x124, 0}, {0x128, static_cast<u32>(place(9)) + 0x100},
      {0x12C, 0},    {0x11C, 8192}};
  for (const auto& [offset, value] : setup) put(2, offset, value);
  EXPECT_EQ(get(2, 0x11C), 8192u);
  put(2, 0x104, 1);
  EXPECT_EQ(get(2, 0x11C), 0u);
  std::vector<u8> copied(8192);
  ASSERT_TRUE(device.read_dram(0, 0x100, copied));
  EXPECT_EQ(std::memcmp(copied.data(), memory.data() + 0x1000, 8192), 0);
  u32 message = 0;
  std::memcpy(&message, memory.data() + 0x800, 4);
  EXPECT_EQ(message, 0xD07Eu);
}

TEST_F(HostMemoryOfCard, a_transfer_that_cannot_be_is_refused_before_anything_moves) {
  const auto start = [&](u32 size, u32 source, u32 target) {
    put(2, 0x11C, size);
    put(2, 0x120, source);
    put(2, 0x128, target);
    return refusal([&] { put(2, 0x104, 1); });
  };
  EXPECT_NE(start(4, 0x7000'0000, 0).find("disabled"), std::string::npos);
  put(2, 0x100, 1);
  EXPECT_NE(start(6, 0x7000'0000, 0).find("whole words"), std::string::npos);
  EXPECT_NE(start(4, 0x6000'0000, 0).find("no host memory"), std::string::npos);
  EXPECT_NE(start(4, 0x7000'0000, 0x1940'0000).find("windows of BAR 0"), std::string::npos);
}

}  // namespace
}  // namespace bhemu::card
