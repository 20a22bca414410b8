// Every window of the card, through the ABI: its own tile and address, multicasts in every shape,
// bytes of any size anywhere; against models of our own and the other door, tile_rd and tile_wr.
#include <numeric>
#include <random>

#include "card_fixture.hpp"

namespace bhemu::test {
namespace {

constexpr unsigned kWindows = CardClient::kWindows;

class CardWindows : public CardTest {
 protected:
  CardWindows() { open("p150"); }

  /// In which of the P150's Tensix tiles `address` holds `value`.
  std::vector<Coord> holders(u64 address, u32 value) {
    std::vector<Coord> result;
    for (const Coord tile : board_.tensix())
      if (tile_word(tile, address) == value) result.push_back(tile);
    return result;
  }
  void write_through(unsigned window, u64 within, u32 value) {
    CardClient::put(client.window_base(window) + within, value);
  }
};

TEST_F(CardWindows, each_reaches_the_tile_and_the_address_it_is_set_to_and_no_other) {
  const auto& tiles = board_.tensix();
  for (unsigned window = 0; window < kWindows; ++window) {
    const Coord tile = tiles[window * 7 % tiles.size()];
    client.aim(window, {.x = tile.x, .y = tile.y, .noc = window & 1, .ordering = window & 3});
  }
  for (unsigned window = 0; window < kWindows; ++window)
    write_through(window, 0x2000 + window * 4, 0xC0DE0000 + window);
  for (unsigned window = 0; window < kWindows; ++window) {
    const u64 at = 0x2000 + window * 4;
    EXPECT_EQ(holders(at, 0xC0DE0000 + window),
              std::vector<Coord>{tiles[window * 7 % tiles.size()]});
    EXPECT_EQ(CardClient::get(client.window_base(window) + at), 0xC0DE0000 + window) << window;
  }
}

TEST_F(CardWindows, each_multicasts_to_its_rectangle) {
  std::mt19937 random(11);
  for (unsigned window = 0; window < kWindows; ++window) {
    Aim aim{.multicast = true, .noc = 0};
    aim.start_x = random() % 17;
    aim.x = random() % 17;
    aim.start_y = 2 + random() % 10;
    aim.y = 2 + random() % 10;
    if (aim.start_x > aim.x) std::swap(aim.start_x, aim.x);
    if (aim.start_y > aim.y) std::swap(aim.start_y, aim.y);
    std::vector<Coord> expected;  // P150: no column is harvested, so translation changes nothing
    for (const Coord tile : board_.tensix())
      if (tile.x >= aim.start_x && tile.x <= aim.x && tile.y >= aim.start_y && tile.y <= aim.y)
        expected.push_back(tile);
    client.aim(window, aim);
    const u64 at = 0x3000 + window * 4;
    if (expected.empty()) {
      EXPECT_NE(refusal([&] { write_through(window, at, 1); }).find("no Tensix tile"),
                std::string::npos);
      continue;
    }
    write_through(window, at, 0xCA570000 + window);
    EXPECT_EQ(holders(at, 0xCA570000 + window), expected) << window;
  }
}

TEST_F(CardWindows, the_first_32_also_multicast_in_strides_and_around_a_quadrant) {
  std::mt19937 random(12);
  for (unsigned window = 0; window < 40; ++window) {
    const u32 keep_x = random() % 4;
    const u32 skip_x = random() % 4;
    const u32 keep_y = random() % 4;
    const u32 skip_y = random() % 4;
    const bool exclude = random() % 2 == 0;
    const u32 edge_x = 1 + random() % 16;
    const u32 edge_y = 2 + random() % 10;
    const bool right = random() % 2 == 0;
    const bool below = random() % 2 == 0;
    const Aim aim{.x = 16, .y = 11, .start_x = 1, .start_y = 2, .multicast = true};
    client.aim(window, aim);
    const u32 word = keep_x | skip_x << 2 | keep_y << 4 | skip_y << 6 | edge_x << 8 | edge_y << 13 |
                     u32{right} << 17 | u32{below} << 18 | u32{exclude} << 19;
    const bool strided = window < 32;
    if (strided) CardClient::put(client.bar0 + CardClient::kStrided + window * 4, word);
    const auto kept = [](u32 distance, u32 keep, u32 skip) {
      return keep == 0 || skip == 0 || distance % (keep + skip) < keep;
    };
    std::vector<Coord> expected;
    for (const Coord tile : board_.tensix()) {
      const bool out = exclude && (right ? tile.x >= edge_x : tile.x <= edge_x) &&
                       (below ? tile.y >= edge_y : tile.y <= edge_y);
      if (!strided ||
          (!out && kept(tile.x - 1, keep_x, skip_x) && kept(tile.y - 2, keep_y, skip_y)))
        expected.push_back(tile);
    }
    const u64 at = 0x5000 + window * 4;
    if (expected.empty()) continue;
    write_through(window, at, 0x57100000 + window);
    EXPECT_EQ(holders(at, 0x57100000 + window), expected) << window;
  }
}

TEST_F(CardWindows, bytes_of_any_size_arrive_at_any_place) {
  struct Where {
    Coord tile;
    u64 base;
  };
  std::mt19937 random(13);
  for (const Where& where : {Where{{3, 4}, 0x8000}, Where{{17, 12}, (2 << 20) - 64},
                             Where{{18, 23}, 0xFFFF'F000}, Where{{20, 25}, 0x100}}) {
    std::vector<u8> model(256);
    client.write(where.tile.x, where.tile.y, where.base, model);
    for (u32 size = 1; size <= 67; ++size) {
      for (u32 skew = 0; skew < 5; ++skew) {
        const u32 at = (size * 31 + skew) % (256 - 70);
        std::vector<u8> data(size);
        for (u8& byte : data) byte = static_cast<u8>(random());
        client.write(where.tile.x, where.tile.y, where.base + at, data);
        std::copy(data.begin(), data.end(), model.begin() + at);
        std::vector<u8> back(size + 2);
        client.read(where.tile.x, where.tile.y, where.base + at, back);
        ASSERT_EQ(std::memcmp(back.data(), model.data() + at, back.size()), 0) << size;
      }
    }
    std::vector<u8> all(256);
    libttsim_tile_rd_bytes(where.tile.x, where.tile.y, where.base, all.data(), 256);
    EXPECT_EQ(all, model);
  }
}

TEST_F(CardWindows, a_megabyte_over_three_windows_goes_through_each) {
  for (unsigned window = 10; window < 13; ++window)
    client.aim(window, {.address = u64{window} << 21, .x = 17, .y = 15});
  std::vector<u8> data(5 << 20);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<u8>(i * 7 >> 3);
  const u64 first = client.window_base(10) + 12345;
  libttsim_pci_mem_wr_bytes(first, data.data(), static_cast<u32>(data.size()));
  std::vector<u8> back(data.size());
  libttsim_pci_mem_rd_bytes(first, back.data(), static_cast<u32>(back.size()));
  EXPECT_EQ(back, data);
  libttsim_tile_rd_bytes(17, 15, (u64{10} << 21) + 12345, back.data(),
                         static_cast<u32>(back.size()));
  EXPECT_EQ(back, data);
}

TEST_F(CardWindows, a_stretch_that_meets_a_window_which_is_set_wrong_changes_nothing) {
  client.aim(20, {.x = 1, .y = 2});
  client.aim(21, {.x = 40, .y = 40});
  const std::vector<u8> data(64, 0xEE);
  const u64 last = client.window_base(20) + 0x17FFF0;  // the last bytes of L1
  EXPECT_NE(refusal([&] {
              libttsim_pci_mem_wr_bytes(client.window_base(21) - 32, data.data(), 64);
            }).find("no tile answers"),
            std::string::npos);
  EXPECT_EQ(CardClient::get(last), 0u);
  std::vector<u8> target(64);
  EXPECT_NE(refusal([&] {
              libttsim_pci_mem_rd_bytes(client.window_base(21) - 32, target.data(), 64);
            }).find("no tile answers"),
            std::string::npos);
  EXPECT_EQ(target, std::vector<u8>(64, 0xFF));
}

TEST_F(CardWindows, harvested_tiles_take_no_part_in_the_rectangle_of_all_columns) {
  open("p100a");
  const std::vector<u8> word{0x11, 0x22, 0x33, 0x44};
  client.multicast(1, 2, 16, 11, 0x4000, word);
  EXPECT_EQ(board_.tensix().size(), 120u);
  EXPECT_EQ(holders(0x4000, 0x44332211).size(), 120u);
  EXPECT_NE(refusal([&] { tile_word({15, 2}, 0x4000); }), "");
}

TEST_F(CardWindows, tiles_without_a_model_are_refused_by_name) {
  for (const Coord tile : {Coord{8, 3}, Coord{8, 26}, Coord{8, 2}, Coord{8, 30}, Coord{11, 0},
                           Coord{0, 40}, Coord{8, 1}}) {
    client.aim(0, {.x = tile.x, .y = tile.y});
    const std::string said = refusal([&] { CardClient::get(client.bar0); });
    EXPECT_NE(said.find("no tile answers"), std::string::npos) << +tile.x << ' ' << +tile.y;
  }
}

}  // namespace
}  // namespace bhemu::test
