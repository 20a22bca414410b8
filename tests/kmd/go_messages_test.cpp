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
    for (const Coord tile : device_.board().tensix())
      seen_.was_written(device_.board().node_at_translated(tile), address,
                        message(GoMessages::kInit));
  }
  void ask(u64 address) {
    for (int i = 0; i < 20; ++i) seen_.was_read(address, message(GoMessages::kInit));
  }
  /// Software on the chip starts a kernel.
  void start() { ASSERT_TRUE(device_.write(kTile, kRight, message(GoMessages::kGo))); }
  bool finds() { return seen_.started_by_the_chip(device_) == std::vector<Coord>{kTile}; }

  static constexpr Coord kTile{1, 2};
  Device device_{DeviceOptions{}};
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

TEST_F(GoMessagesTest, of_a_kernel_that_the_client_has_started_tell_nothing) {
  announce(kOther);
  start();
  seen_.was_written(device_.board().node_at_translated(kTile), kRight, message(GoMessages::kGo));
  ask(kRight);
  EXPECT_FALSE(finds());
  EXPECT_TRUE(seen_.any_started_by_the_client(device_));
}

}  // namespace
}  // namespace bhemu::kmd
