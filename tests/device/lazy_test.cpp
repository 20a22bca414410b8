// Nodes of a device exist once somebody has touched them, and nobody can tell which do.
#include <gtest/gtest.h>

#include <vector>

#include "device/device.hpp"
#include "eth/base_firmware.hpp"
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

std::vector<NodeId> ethernet_of(const Device& device) {
  std::vector<NodeId> nodes;
  for (const TileSite& site : device.board().sites())
    if (site.node != kNoNode && site.kind == noc::NodeKind::Ethernet) nodes.push_back(site.node);
  return nodes;
}

TEST(LazyDevice, an_ethernet_tile_that_is_asked_for_late_has_run_since_time_began) {
  for (const Cycle late : {0, 256, 512, 1024, 100'000}) {
    Device untouched(p150());
    Device touched(p150());
    for (const NodeId node : ethernet_of(touched)) touched.node(node);
    for (Device* device : {&untouched, &touched}) device->advance(late);
    const NodeId node = ethernet_of(touched).front();
    for (Device* device : {&untouched, &touched}) {
      u32 heartbeat = 0;
      device->read(node, eth::kHeartbeat, {reinterpret_cast<u8*>(&heartbeat), sizeof heartbeat});
      device->advance(300);
    }
    EXPECT_EQ(untouched.cycle(), touched.cycle());
    EXPECT_EQ(untouched.totals().riscv_instructions, touched.totals().riscv_instructions);
    EXPECT_EQ(untouched.hash(), touched.hash()) << late;
  }
}

TEST(LazyDevice, ethernet_tiles_that_nobody_has_asked_for_cost_a_running_device_nothing) {
  Device device(p150());
  device.advance(1000);
  const double before = test::resident_megabytes();
  device.advance(1'000'000);
  EXPECT_LT(test::resident_megabytes() - before, 1.0);
  for (const NodeId node : ethernet_of(device)) device.node(node);
  EXPECT_GT(test::resident_megabytes() - before, 1.0);
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
