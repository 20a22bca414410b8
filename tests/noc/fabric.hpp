// A small NoC for tests: tiles with L1, a few registers and two NIUs, and any other nodes, joined
// by one queue that delivers packets in the order of the engine (arrival, source, sequence).
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "noc/command.hpp"
#include "noc/endpoint.hpp"
#include "noc/niu.hpp"
#include "noc/niu_state.hpp"
#include "noc/registers.hpp"

namespace bhemu::noc {

class Fabric;

/// A stand-in for a Tensix tile.
struct TestTile final : private Waker, private NiuHost {
  TestTile(Fabric& fabric, NodeId node, Coord noc0);

  u32 read(unsigned noc, u32 offset) {
    u32 value = 0xDEADBEEF;
    EXPECT_TRUE(niu[noc]->read(offset, value, {Agent::Brisc, 0x100, now}));
    return value;
  }
  void write(unsigned noc, u32 offset, u32 value) {
    EXPECT_TRUE(niu[noc]->write(offset, value, {Agent::Brisc, 0x200, now}));
  }
  u32 l1_word(u32 address) const {
    u32 value;
    std::memcpy(&value, l1.data() + address, 4);
    return value;
  }
  void set_l1_word(u32 address, u32 value) { std::memcpy(l1.data() + address, &value, 4); }
  bool faulted(Rule rule) const {
    return std::any_of(faults.faults().begin(), faults.faults().end(),
                       [rule](const Fault& fault) { return fault.rule == rule; });
  }

  Fabric& fabric;
  NodeId node;
  std::vector<u8> l1;
  std::map<u64, u32> registers;  // those that exist
  std::vector<std::pair<u64, u32>> register_writes;
  Wakeup wakeup;
  FaultPort faults;
  u32 touches = 0;
  Cycle now = 0;
  std::array<std::unique_ptr<Niu>, kNocs> niu;

 private:
  void wake(Resource) override { ++touches; }
  bool read(u64 address, void* target, u32 bytes, Cycle now) override;
  bool write(u64 address, const void* source, u32 bytes, const Author& author) override;
  void send(Packet&& packet) override;
};

class Fabric {
 public:
  Fabric() = default;
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// A tile at a coordinate that both NoCs call the same, without translation.
  TestTile& tile(Coord coord) {
    const auto node = static_cast<NodeId>(nodes_++);
    for (unsigned noc = 0; noc < kNocs; ++noc) routing.place(noc, coord, node);
    routing.describe(node, {NodeKind::Tensix, coord, 0});
    return add_tile(node, coord);
  }
  TestTile& add_tile(NodeId node, Coord noc0) {
    tiles.push_back(std::make_unique<TestTile>(*this, node, noc0));
    by_node_[node] = tiles.back().get();
    nodes_ = std::max<u32>(nodes_, node + 1u);
    return *tiles.back();
  }
  EndpointConfig endpoint(NodeKind kind, Coord coord) {
    EndpointConfig config;
    config.node = static_cast<NodeId>(nodes_++);
    config.noc0 = coord;
    config.routing = &routing;
    config.timing = &timing;
    config.policy = &policy;
    for (unsigned noc = 0; noc < kNocs; ++noc) routing.place(noc, coord, config.node);
    routing.describe(config.node, {kind, coord, 0});
    return config;
  }
  void add_endpoint(Node& node) { endpoints_[node.id()] = &node; }

  void send(NodeId from, Packet&& packet) {
    packet.sequence = sequence_[from]++;
    log.push_back(packet);
    queue_.push(std::move(packet));
  }
  /// Delivers what arrives before `until`.
  void run(Cycle until = kNever) {
    while (queue_.next() < until) {
      Packet packet = queue_.pop();
      const Cycle at = packet.arrival;
      if (const auto tile = by_node_.find(packet.target); tile != by_node_.end()) {
        tile->second->now = at;
        if (packet.spread != 0 && !tile->second->niu[packet.noc]->take_piece(packet, at)) {
          queue_.push(std::move(packet));
          continue;
        }
        tile->second->niu[packet.noc]->receive(std::move(packet), at);
      } else {
        Node& node = *endpoints_.at(packet.target);
        Outbox outbox;
        node.deliver(std::move(packet));
        node.run_until(at + 1, outbox);
        for (Packet& answer : outbox.packets) {
          log.push_back(answer);
          queue_.push(std::move(answer));
        }
      }
    }
  }

  Routing routing;
  Timing timing;
  FaultPolicy policy;
  std::vector<std::unique_ptr<TestTile>> tiles;
  std::vector<Packet> log;  // everything sent

 private:
  u32 nodes_ = 0;
  std::map<NodeId, TestTile*> by_node_;
  std::map<NodeId, Node*> endpoints_;
  std::map<NodeId, u64> sequence_;
  ArrivalQueue queue_;
};

inline TestTile::TestTile(Fabric& owner, NodeId id, Coord noc0)
    : fabric(owner), node(id), l1(kL1Size), faults(id, &owner.policy) {
  wakeup.waker = this;
  wakeup.watched = ~0u;
  NiuEnvironment environment;
  environment.routing = &owner.routing;
  environment.timing = &owner.timing;
  environment.wakeup = &wakeup;
  environment.faults = &faults;
  environment.node = id;
  environment.position = noc0;
  environment.host = this;
  for (unsigned noc = 0; noc < kNocs; ++noc) niu[noc] = std::make_unique<Niu>(noc, environment);
}

inline bool TestTile::read(u64 address, void* target, u32 bytes, Cycle) {
  if (address < kL1Size && bytes <= kL1Size - address) {
    std::memcpy(target, l1.data() + address, bytes);
    return true;
  }
  const auto found = registers.find(address);
  if (found == registers.end() || bytes != 4) return false;
  std::memcpy(target, &found->second, 4);
  return true;
}

inline bool TestTile::write(u64 address, const void* source, u32 bytes, const Author&) {
  if (address < kL1Size && bytes <= kL1Size - address) {
    std::memcpy(l1.data() + address, source, bytes);
    return true;
  }
  const auto found = registers.find(address);
  if (found == registers.end() || bytes != 4) return false;
  std::memcpy(&found->second, source, 4);
  register_writes.emplace_back(address, found->second);
  return true;
}

inline void TestTile::send(Packet&& packet) {
  fabric.send(node, std::move(packet));
}

// --- Requests in the words of the registers.

inline constexpr u32 kWrite = 1u << 1;
inline constexpr u32 kAtomic = 1u << 0;
inline constexpr u32 kByteEnable = 1u << 2;
inline constexpr u32 kInline = 1u << 3;
inline constexpr u32 kResponse = 1u << 4;
inline constexpr u32 kBroadcast = 1u << 5;
inline constexpr u32 kLinked = 1u << 6;
inline constexpr u32 kIncludeSource = 1u << 17;

constexpr u32 at(Coord coord) {
  return coord.x | u32{coord.y} << 6;
}
constexpr u32 rectangle(Coord start, Coord end) {
  return at(end) | at(start) << 12;
}

struct TestRequest {
  u32 control = 0;
  u64 target = 0;
  u32 target_at = 0;
  u64 home = 0;  // NOC_RET_ADDR
  u32 home_at = 0;
  u64 length = 0;
  u32 data = 0;
  u32 id = 0;
  u32 tag = 0;  // other bits of NOC_PACKET_TAG
  u32 exclude = 0;
};

inline void issue(TestTile& tile, unsigned noc, const TestRequest& request, u32 buffer = 0) {
  const auto set = [&](u32 offset, u32 value) {
    tile.write(noc, buffer * kBufferStride + offset, value);
  };
  set(niu::NOC_TARG_ADDR_LO, static_cast<u32>(request.target));
  set(niu::NOC_TARG_ADDR_MID, static_cast<u32>(request.target >> 32));
  set(niu::NOC_TARG_ADDR_HI, request.target_at);
  set(niu::NOC_RET_ADDR_LO, static_cast<u32>(request.home));
  set(niu::NOC_RET_ADDR_MID, static_cast<u32>(request.home >> 32));
  set(niu::NOC_RET_ADDR_HI, request.home_at);
  set(niu::NOC_PACKET_TAG, request.id << 10 | request.tag);
  set(niu::NOC_CTRL, request.control);
  set(niu::NOC_AT_LEN_BE, static_cast<u32>(request.length));
  set(niu::NOC_AT_LEN_BE_1, static_cast<u32>(request.length >> 32));
  set(niu::NOC_AT_DATA, request.data);
  set(niu::NOC_BRCST_EXCLUDE, request.exclude);
  set(niu::NOC_CMD_CTRL, 1);
}

}  // namespace bhemu::noc
