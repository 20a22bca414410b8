// What a Device holds; for the files that implement it.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "arc/arc.hpp"
#include "device/device.hpp"
#include "device/image.hpp"
#include "device/livelock.hpp"
#include "dram/bank.hpp"
#include "mem/arena.hpp"
#include "pcie/endpoint.hpp"
#include "riscv/jit/cache.hpp"
#include "riscv/lines.hpp"
#include "sched/engine.hpp"
#include "tile/tile.hpp"
#include "trace/collector.hpp"
#include "trace/observer.hpp"

namespace bhemu {

struct Device::Impl {
  explicit Impl(const DeviceOptions& wanted);

  // A node exists once somebody has touched it. One that does not is as it was after power-on, or
  // in `image`: nothing has reached it since, and nothing happens in it.
  noc::Node& node(NodeId id) {
    touched = true;
    return nodes[id] != nullptr ? *nodes[id] : make_node(id);
  }
  /// Null: of another kind.
  tile::Tile* tile(NodeId id) {
    node(id);
    return tiles[id];
  }
  noc::Node& make_node(NodeId id);
  ArenaPtr<noc::Node> node_at(const TileSite& site);
  ArenaPtr<noc::Node> tile_at(const TileSite& site);
  void make_all_nodes();
  void make_self_starting(bool alone);
  /// Somebody looks on, who is to be told of everything.
  bool is_watched() const {
    return trace != nullptr || !observations.empty() || attendant != nullptr;
  }
  /// At all nodes, so that none may act before it is made.
  bool is_watched_everywhere() const {
    return trace != nullptr || attendant != nullptr ||
           std::ranges::any_of(observations, [](const auto& each) { return each.of_all; });
  }
  void catch_up(noc::Node& node);
  void count_late_nodes();
  void end_lateness();
  void look_at_ethernet();
  void archive(Archive& archive);
  void load_fresh(noc::Node& node);
  DeviceOptions options_of_scratch() const;
  /// `rests`: DeviceImage::Part::rests by node; none: unknown.
  std::shared_ptr<const DeviceImage> make_image(std::span<const Cycle> rests);
  std::vector<Cycle> find_rests(const std::shared_ptr<const DeviceImage>& image) const;
  void settle_all();
  void take_over(std::shared_ptr<const DeviceImage> from);
  void forget_what_was();

  // Trace (trace.cpp)
  std::vector<trace::NodeName> node_names() const;
  void trace_edge();
  void trace_faults(NodeId node);
  void trace_forget();
  void trace_forget_faults();
  void trace_host(NodeId node, u64 address, std::span<const u8> bytes, bool write, bool done);

  // Observers (observe.cpp)
  struct Observation {
    unsigned id = 0;
    bool of_all = false;  // nodes
    std::vector<std::unique_ptr<trace::Observer>> of_node;
  };
  void connect_observers();
  void observers_forget();

  DeviceOptions options;
  Board board;
  std::shared_ptr<const DelayPlan> delays;  // of nodes that are still to be made, too
  noc::Timing noc_timing;
  tensix::Timing unit_timing;  // of the Full build of the coprocessors
  noc::Routing routing;
  std::shared_ptr<riscv::jit::CodeCache> code;         // translations that the tiles share
  std::shared_ptr<riscv::LineCache> lines;             // decoded code, likewise
  std::shared_ptr<tensix::frontend::TurnCache> turns;  // of coprocessors, likewise
  bool keep_pushes = false;                            // Device::keep_pushes
  std::vector<Observation> observations;
  std::vector<std::unique_ptr<trace::Observer>> fanouts;  // by node, where there are several
  unsigned next_observation = 1;
  std::vector<const TileSite*> sites;      // by node
  Arena arena;                             // of the nodes and their parts
  std::vector<ArenaPtr<noc::Node>> nodes;  // null: not made yet
  std::vector<tile::Tile*> tiles;  // by node, Tensix and Ethernet; null: another kind, or not made
  bool self_starting = false;      // nodes that act without having been touched have been made
  std::shared_ptr<const DeviceImage> image;  // what nodes that are still to be made are like
  bool late = false;  // nodes of `image` may act when somebody looks at them (DeviceImage::rests)
  // Somebody may have looked at the device or done something to it since it was made, or made of
  // `image`, or may keep a pointer into it. Nodes of one that is not touched are as just made.
  bool touched = false;
  pcie::Endpoint* pcie = nullptr;
  arc::Arc* arc = nullptr;
  pcie::SpanMemory host_span;
  std::vector<Coord> coords;  // translated, by node
  std::unique_ptr<sched::Engine> engine;
  LivelockCheck livelock{tiles};
  bool spinning = false;  // the last run ended with RunStatus::Spinning
  Attendant* attendant = nullptr;

  std::unique_ptr<trace::Collector> trace;
  i32 host_window = trace::HostAccess::kNoWindow;
  /// What the host has read where, by node, address and size: a host that polls is told of once.
  std::map<std::tuple<NodeId, u64, u64>, u64> host_reads;
};

}  // namespace bhemu
