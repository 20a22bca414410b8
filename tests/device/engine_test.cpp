// The engine asks only those who may have something to do. What it does is what one does that asks
// every sleeping node whenever anybody was touched: the twin below.
#include "sched/engine.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace bhemu {
namespace {

constexpr Cycle kEpoch = 256;
constexpr NodeId kNodes = 12;

/// Acts in the cycles that it was told, and sometimes sends a packet that makes another act.
class Alarm final : public noc::Node {
 public:
  using Log = std::vector<std::tuple<NodeId, Cycle, Cycle>>;
  Alarm(NodeId id, const FaultPolicy* policy, Log& log)
      : Node(noc::NodeKind::Dram, id, policy), log_(log) {}

  std::multiset<Cycle> due;

  Cycle next_cycle() const override { return due.empty() ? kNever : *due.begin(); }
  void run_until(Cycle until, noc::Outbox& outbox) override {
    log_.emplace_back(id(), next_cycle(), until);
    while (!due.empty() && *due.begin() < until) {
      const Cycle at = *due.begin();
      due.erase(due.begin());
      const u64 dice = (at + id() * 7919u) * 0x9E3779B97F4A7C15 >> 33;
      if (dice % 3 != 0) continue;
      noc::Packet packet;
      packet.source = id();
      packet.target = static_cast<NodeId>(dice / 3 % kNodes);
      packet.arrival = std::max(until, at + kEpoch) + dice / 64 % 2000;
      if (packet.target != id()) outbox.packets.push_back(std::move(packet));
    }
  }
  void deliver(noc::Packet&& packet) override { due.insert(packet.arrival); }
  bool host_read(u64, std::span<u8>, Cycle) override { return false; }
  bool host_write(u64, std::span<const u8>, Cycle) override { return false; }
  u64 hash(u64 seed) const override { return seed; }
  void archive(Archive&) override {}
  void reset(Cycle) override {}

 private:
  Log& log_;
};

/// Asks everybody.
class Twin {
 public:
  explicit Twin(std::vector<std::unique_ptr<Alarm>>& nodes) : nodes_(nodes) {
    next_.assign(nodes.size(), kNever);
    listed_.assign(nodes.size(), false);
  }
  Cycle now() const { return now_; }
  void touch(NodeId node) {
    next_[node] = std::min(next_[node], nodes_[node]->next_cycle());
    if (!listed_[node]) earliest_ = std::min(earliest_, next_[node]);
  }
  sched::Stop run(Cycle limit) {
    const Cycle last = (limit + kEpoch - 1) / kEpoch * kEpoch;
    for (;;) {
      if (active_.empty()) {
        if (earliest_ == kNever) return sched::Stop::Idle;
        now_ = std::max(now_, std::min(last, earliest_ - earliest_ % kEpoch));
      }
      if (now_ >= last) return sched::Stop::Limit;
      const Cycle until = now_ + kEpoch;
      if (earliest_ < until) ask_everybody(until);
      noc::Outbox outbox;
      for (const NodeId node : active_) nodes_[node]->run_until(until, outbox);
      now_ = until;
      retire();
      for (noc::Packet& packet : outbox.packets) {
        const NodeId target = packet.target;
        if (!listed_[target]) expect(target, packet.arrival);
        nodes_[target]->deliver(std::move(packet));
      }
    }
  }

 private:
  void ask_everybody(Cycle until) {
    earliest_ = kNever;
    for (NodeId node = 0; node < nodes_.size(); ++node) {
      if (listed_[node]) continue;
      if (next_[node] < until) {
        next_[node] = nodes_[node]->next_cycle();
        listed_[node] = next_[node] < until;
        if (listed_[node]) {
          active_.push_back(node);
          continue;
        }
      }
      earliest_ = std::min(earliest_, next_[node]);
    }
  }
  void retire() {
    std::erase_if(active_, [&](NodeId node) {
      next_[node] = nodes_[node]->next_cycle();
      if (next_[node] < now_ + kEpoch) return false;
      listed_[node] = false;
      earliest_ = std::min(earliest_, next_[node]);
      return true;
    });
  }
  void expect(NodeId node, Cycle cycle) {
    next_[node] = std::min(next_[node], cycle);
    if (next_[node] < now_ + kEpoch) {
      listed_[node] = true;
      active_.push_back(node);
    } else {
      earliest_ = std::min(earliest_, next_[node]);
    }
  }

  std::vector<std::unique_ptr<Alarm>>& nodes_;
  std::vector<Cycle> next_;
  std::vector<bool> listed_;
  std::vector<NodeId> active_;
  Cycle earliest_ = 0;
  Cycle now_ = 0;
};

TEST(Engine, runs_the_nodes_that_one_would_run_that_asks_everybody) {
  const FaultPolicy policy;
  std::array<Alarm::Log, 2> logs;
  std::array<std::vector<std::unique_ptr<Alarm>>, 2> nodes;
  for (unsigned side = 0; side < 2; ++side)
    for (NodeId id = 0; id < kNodes; ++id)
      nodes[side].push_back(std::make_unique<Alarm>(id, &policy, logs[side]));
  sched::Engine engine(kNodes, nullptr, kEpoch, 1);
  Twin twin(nodes[1]);
  for (NodeId id = 0; id < kNodes; ++id) {
    engine.add(*nodes[0][id]);
    twin.touch(id);
  }

  std::mt19937 random(11);
  unsigned idle = 0;
  for (int step = 0; step < 20'000; ++step) {
    for (u32 touches = random() % 4; touches != 0; --touches) {
      const auto id = static_cast<NodeId>(random() % kNodes);
      const u32 what = random() % 8;
      const Cycle at = engine.now() + (what < 4 ? 0 : random() % 3000);
      for (auto& side : nodes) {
        if (what == 7)
          side[id]->due.clear();  // the host has taken back what it gave
        else
          side[id]->due.insert(at);
      }
      engine.touch(id);
      twin.touch(id);
    }
    const Cycle limit = engine.now() + random() % 4 * (random() % 2000);
    const sched::Stop stop = engine.run(limit, nullptr);
    ASSERT_EQ(static_cast<int>(stop), static_cast<int>(twin.run(limit))) << step;
    ASSERT_EQ(engine.now(), twin.now()) << step;
    ASSERT_EQ(logs[0], logs[1]) << step;
    idle += stop == sched::Stop::Idle ? 1 : 0;
    for (auto& log : logs) log.clear();
  }
  EXPECT_GT(idle, 1000u);
}

}  // namespace
}  // namespace bhemu
