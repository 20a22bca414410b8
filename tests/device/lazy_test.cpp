// Nodes of a device exist once somebody has touched them, and nobody can tell which do.
#include <gtest/gtest.h>

#include "device/device.hpp"
#include "support/resident.hpp"
#include "tile/tile.hpp"

namespace bhemu {
namespace {

DeviceOptions p150() {
  DeviceOptions options;
  options.board = BoardOptions::defaults(BoardModel::P150);
  return options;
}

void look_at_everything(Device& device) {
  for (const TileSite& site : device.board().sites())
    if (site.node != kNoNode) device.node(site.node);
}

TEST(LazyDevice, an_untouched_p150_costs_less_than_ten_megabytes) {
  const double before = test::resident_megabytes();
  const Device device(p150());
  EXPECT_LT(test::resident_megabytes() - before, 10.0);
}

TEST(LazyDevice, a_device_hashes_alike_whoever_was_looked_at) {
  Device untouched(p150());
  Device touched(p150());
  look_at_everything(touched);
  EXPECT_EQ(untouched.hash(), touched.hash());
  Device later(p150());
  for (Device* device : {&later, &touched}) {
    device->write32({3, 4}, 0x1000, 7);
    device->advance(5000);
  }
  EXPECT_EQ(later.cycle(), touched.cycle());
  EXPECT_EQ(later.hash(), touched.hash());
}

TEST(LazyDevice, a_device_becomes_idle_in_the_same_cycle_whoever_was_looked_at) {
  Device untouched(p150());
  Device touched(p150());
  look_at_everything(touched);
  const RunResult first = untouched.run(1'000'000);
  const RunResult second = touched.run(1'000'000);
  EXPECT_EQ(first.status, RunStatus::Idle);
  EXPECT_EQ(second.status, RunStatus::Idle);
  EXPECT_EQ(first.cycle, second.cycle);
}

TEST(LazyDevice, a_snapshot_of_nodes_that_nobody_touched_can_be_restored) {
  Device untouched(p150());
  Device copy(p150());
  untouched.write32({3, 4}, 0x1000, 7);
  copy.restore(untouched.snapshot());
  look_at_everything(copy);
  EXPECT_EQ(untouched.hash(), copy.hash());
}

}  // namespace
}  // namespace bhemu
