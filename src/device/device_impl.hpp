// What a Device holds; for the files that implement it.
#pragma once

#include <memory>
#include <vector>

#include "arc/arc.hpp"
#include "arc/ethernet.hpp"
#include "device/device.hpp"
#include "device/livelock.hpp"
#include "dram/bank.hpp"
#include "pcie/endpoint.hpp"
#include "sched/engine.hpp"
#include "tile/tile.hpp"

namespace bhemu {

struct Device::Impl {
  explicit Impl(const DeviceOptions& wanted);
  std::unique_ptr<noc::Node> make_node(const TileSite& site);
  std::unique_ptr<noc::Node> make_tile(const TileSite& site);
  void archive(Archive& archive);

  DeviceOptions options;
  Board board;
  noc::Timing noc_timing;
  noc::Routing routing;
  std::vector<std::unique_ptr<noc::Node>> nodes;
  std::vector<tile::Tile*> tiles;  // by node; null for other kinds
  std::vector<dram::Bank*> banks;
  pcie::Endpoint* pcie = nullptr;
  pcie::SpanMemory host_span;
  std::vector<Coord> coords;  // translated, by node
  std::unique_ptr<sched::Engine> engine;
  LivelockCheck livelock{tiles};
  bool spinning = false;  // the last run ended with RunStatus::Spinning
};

}  // namespace bhemu
