#include "kmd/go_messages.hpp"

#include <gtest/gtest.h>

#include <array>

namespace bhemu::kmd {
namespace {

constexpr u64 kRight = 0x370;
constexpr u64 kOther = 0x1000;

class GoMessagesTest : public testing::Test {
 protected:
  static constexpr std::array<u8, 4> message(u8 signal) { return {0, 0, 0, signal}; }

  void announce(u64 address) {
    for (const Coord tile : device_.board().tensix()) announce(tile, address);
  }
  void announce(Coord tile, u64 address) {
    seen_.was_written(device_, node(tile), address, message(GoMessages::kInit));
  }
  void ask(u64 address, Coord tile = kTile) {
    for (int i = 0; i < 20; ++i)
      seen_.was_read(device_, node(tile), address, message(GoMessages::kInit));
  }
  NodeId node(Coord tile) const { return device_.board().node_at_translated(tile); }
  /// Software on the chip starts a kernel.
  void start() { ASSERT_TRUE(device_.write(kTile, kRight, message(GoMessages::kGo))); }
  bool finds() { return seen_.started_by_the_chip(device_) == std::vector<Coord>{kTile}; }

  static constexpr Coord kTile{1, 2};
  static constexpr Coord kEthernet{20, 25};
  Device device_{[] {
    DeviceOptions options;
    options.board = BoardOptions::defaults(BoardModel::P150);
    return options;
  }()};
  GoMessages seen_;
};

TEST_F(GoMessagesTest, are_known_by_what_the_client_writes_to_tile_after_tile) {
  start();
  EXPECT_FALSE(finds());
  announce(kRight);
  EXPECT_TRUE(finds());
}

TEST_F(GoMessagesTest, are_where_the_latest_such_writes_were) {
  start();
  announce(kOther);
  EXPECT_FALSE(finds());
  announce(kRight);
  EXPECT_TRUE(finds());
}

TEST_F(GoMessagesTest, are_rather_where_the_client_reads_them) {
  start();
  announce(kOther);
  ask(kRight);
  EXPECT_TRUE(finds());
  announce(kOther);
  EXPECT_TRUE(finds());
}

TEST_F(GoMessagesTest, are_known_by_what_the_client_writes_to_many_tiles_at_once) {
  start();
  seen_.was_written(device_, kNoNode, 0, message(GoMessages::kInit));
  EXPECT_FALSE(finds());
  seen_.was_written(device_, kNoNode, kRight, message(GoMessages::kInit));
  EXPECT_TRUE(finds());
}

TEST_F(GoMessagesTest, of_ethernet_tiles_tell_nothing) {
  start();
  announce(kRight);
  for (u8 x = 0; x < 12; ++x) announce({static_cast<u8>(kEthernet.x + x), kEthernet.y}, kOther);
  EXPECT_TRUE(finds());
  ask(kOther, kEthernet);
  EXPECT_TRUE(finds());
}

TEST_F(GoMessagesTest, are_not_passed_over_when_a_client_writes_quickly) {
  EXPECT_FALSE(seen_.may_ignore(message(GoMessages::kInit)));
  EXPECT_TRUE(seen_.may_ignore(message(0)));
}

TEST_F(GoMessagesTest, of_a_kernel_that_the_client_has_started_tell_nothing) {
  announce(kOther);
  start();
  seen_.was_written(device_, node(kTile), kRight, message(GoMessages::kGo));
  ask(kRight);
  EXPECT_FALSE(finds());
  EXPECT_TRUE(seen_.any_started_by_the_client(device_));
}

}  // namespace
}  // namespace bhemu::kmd
