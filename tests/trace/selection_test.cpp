// Which events there are, and how few of them a user can ask for.
#include <gtest/gtest.h>

#include <set>

#include "trace/traced_chip.hpp"

namespace bhemu::test {
namespace {

std::vector<trace::Event> events_of(const trace::Selection& selection) {
  Device device{DeviceOptions{}};
  const auto kept = start_trace(device, selection);
  ring::prepare(device);
  EXPECT_EQ(device.run(100'000, [&] { return ring::is_done(device); }).status, RunStatus::Done);
  device.stop_trace();
  return kept->events;
}

TEST(Selection, of_kinds_leaves_exactly_those) {
  const std::vector<trace::Event> all = events_of({});
  std::map<trace::What, u64> counts;
  for (const trace::Event& event : all) ++counts[trace::what_of(event.detail)];
  for (unsigned i = 0; i < trace::kWhats; ++i) {
    const auto what = static_cast<trace::What>(i);
    if (what == trace::What::Fault) continue;
    EXPECT_NE(counts[what], 0u) << trace::name_of(what);
    trace::Selection selection;
    selection.what = bit_of(what);
    const std::vector<trace::Event> some = events_of(selection);
    EXPECT_EQ(some.size(), counts[what]) << trace::name_of(what);
    for (const trace::Event& event : some) EXPECT_EQ(trace::what_of(event.detail), what);
  }
}

TEST(Selection, of_tiles_leaves_those_and_what_they_exchange) {
  Device device{DeviceOptions{}};
  const auto& tiles = device.board().tensix();
  trace::Selection selection;
  selection.nodes.resize(device.board().node_count());
  const NodeId chosen = device.board().node_at_translated(tiles[3]);
  selection.nodes[chosen] = true;
  std::set<bool> directions;
  for (const trace::Event& event : events_of(selection)) {
    EXPECT_EQ(event.node, chosen);
    if (const auto* packet = std::get_if<trace::Packet>(&event.detail))
      directions.insert(packet->arrives);
  }
  EXPECT_EQ(directions.size(), 2u);
}

TEST(Selection, of_cores_takes_their_threads_along) {
  trace::Selection selection;
  selection.cores = 1u << static_cast<unsigned>(CoreId::Trisc0);
  std::set<Agent> agents;
  for (const trace::Event& event : events_of(selection)) agents.insert(event.agent);
  EXPECT_EQ(agents, (std::set<Agent>{Agent::Trisc0, Agent::Thread0, Agent::Host}));
}

TEST(Selection, stops_writing_at_the_limit_but_not_the_run) {
  trace::Selection selection;
  selection.limit = 1000;
  Device device{DeviceOptions{}};
  const auto kept = start_trace(device, selection);
  ring::prepare(device);
  EXPECT_EQ(device.run(100'000, [&] { return ring::is_done(device); }).status, RunStatus::Done);
  device.run(50'000);
  const trace::Summary summary = device.stop_trace();
  EXPECT_EQ(kept->events.size(), 1000u);
  EXPECT_EQ(summary.events, 1000u);
  EXPECT_TRUE(summary.limit_reached);
  const std::vector<trace::Event> all = events_of({});
  for (size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(kept->events[i].cycle, all[i].cycle) << i;
    ASSERT_EQ(kept->events[i].detail.index(), all[i].detail.index()) << i;
  }
}

TEST(Selection, a_host_that_polls_is_told_of_once) {
  trace::Selection selection;
  selection.what = bit_of(trace::What::Host);
  Device device{DeviceOptions{}};
  const auto kept = start_trace(device, selection);
  const Coord tile = device.board().tensix()[0];
  u32 value = 0;
  for (u32 i = 0; i < 10; ++i) device.read32(tile, kFlag, value);
  device.write32(tile, kFlag, 5);
  for (u32 i = 0; i < 10; ++i) device.read32(tile, kFlag, value);
  device.stop_trace();
  ASSERT_EQ(kept->events.size(), 3u);
}

}  // namespace
}  // namespace bhemu::test
