// Observers see everything that happens in a node and change nothing of it.
#include <gtest/gtest.h>

#include <set>

#include "tensix/operation.hpp"
#include "tile/regions.hpp"
#include "trace/observer.hpp"
#include "trace/traced_chip.hpp"

namespace bhemu::test {
namespace {

/// What an observer of one node was told, as far as the tests look at it.
struct Told {
  NodeId node = kNoNode;
  std::array<u64, kCores> instructions{};  // executed and slept through
  std::vector<trace::Push> pushes;
  struct Issued {
    Author author;
    u64 op;
    trace::PushId push;
  };
  std::vector<Issued> issues;
  std::vector<trace::ObjectChange> changes;
  std::vector<trace::Request> requests;  // without their targets
  std::vector<trace::Arrival> arrivals;
  std::vector<std::pair<u32, Author>> l1_writes;
  std::vector<std::pair<unsigned, Author>> released;
  u64 host_writes = 0;
};

class Listener final : public trace::Observer {
 public:
  Listener(std::shared_ptr<Told> told, bool l1_writes) : told_(told), l1_writes_(l1_writes) {}

  void retired(const trace::Instruction& one) override { ++told_->instructions[one.core]; }
  void slept(unsigned core, u64 instructions) override {
    told_->instructions[core] += instructions;
  }
  void released(unsigned core, u32, const Author& by) override {
    told_->released.push_back({core, by});
  }
  void pushed(const trace::Push& one) override { told_->pushes.push_back(one); }
  void issued(const trace::Issue& one) override {
    told_->issues.push_back({one.operation.author, one.op, one.push});
  }
  void changed(const trace::ObjectChange& one) override { told_->changes.push_back(one); }
  void requested(const trace::Request& one) override {
    told_->requests.push_back(one);
    told_->requests.back().targets = {};
  }
  void arrived(const trace::Arrival& one) override { told_->arrivals.push_back(one); }
  bool wants_l1_writes() const override { return l1_writes_; }
  void writes_l1(u32 address, u32, const Author& author) override {
    told_->l1_writes.push_back({address, author});
  }
  void host_wrote(u64, std::span<const u8>, Cycle) override { ++told_->host_writes; }

 private:
  std::shared_ptr<Told> told_;
  bool l1_writes_;
};

using ByNode = std::map<NodeId, std::shared_ptr<Told>>;

unsigned listen(Device& device, ByNode& told, bool l1_writes = true) {
  return device.observe([&](NodeId node) {
    told[node] = std::make_shared<Told>();
    told[node]->node = node;
    return std::make_unique<Listener>(told[node], l1_writes);
  });
}

struct RingRun {
  u64 hash = 0;
  Cycle cycle = 0;
  std::vector<u64> instructions;  // by tile and core
};

RingRun run_ring(const DeviceOptions& options, ByNode* told) {
  Device device(options);
  if (told != nullptr) listen(device, *told);
  ring::prepare(device);
  const RunResult result = device.run(100'000, [&] { return ring::is_done(device); });
  EXPECT_EQ(result.status, RunStatus::Done);
  RingRun run{device.hash(), result.cycle, {}};
  for (const Coord tile : device.board().tensix())
    for (unsigned core = 0; core < kCores; ++core)
      run.instructions.push_back(device.tile(tile).core(static_cast<CoreId>(core)).instret);
  return run;
}

class Observed : public testing::TestWithParam<TimingModel> {};

TEST_P(Observed, devices_run_as_others_whatever_the_number_of_threads_with_and_without_parking) {
  DeviceOptions options;
  options.timing = GetParam();
  const RingRun plain = run_ring(options, nullptr);
  const Device board(options);
  for (const bool parking : {true, false}) {
    for (const unsigned threads : {1u, 2u, 4u}) {
      options.parking = parking;
      options.threads = threads;
      ByNode told;
      const RingRun run = run_ring(options, &told);
      EXPECT_EQ(run.hash, plain.hash) << threads << parking;
      EXPECT_EQ(run.cycle, plain.cycle) << threads << parking;
      EXPECT_EQ(run.instructions, plain.instructions) << threads << parking;
      const auto& tiles = board.board().tensix();
      for (std::size_t i = 0; i < tiles.size(); ++i) {
        const Told& of_tile = *told[board.board().node_at_translated(tiles[i])];
        for (unsigned core = 0; core < kCores; ++core)
          EXPECT_EQ(of_tile.instructions[core], run.instructions[i * kCores + core]) << i << core;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Timings, Observed,
                         testing::Values(TimingModel::Fast, TimingModel::Reference,
                                         TimingModel::Windows),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// What a core did: the accesses of one tile that a listener was told, in order.
struct Accesses {
  struct One {
    unsigned core;
    Cycle cycle;
    u32 pc;
    bool store;
    tile::Region region;
    u32 address;
    u32 value;
    friend bool operator==(const One&, const One&) = default;
  };
  std::vector<One> all;
};

class Choosy final : public trace::Observer {
 public:
  Choosy(Accesses& told, trace::Instructions wanted) : told_(told), wanted_(wanted) {}
  trace::Instructions wanted_instructions() const override { return wanted_; }
  void retired(const trace::Instruction& one) override {
    for (const trace::CoreAccess& access : one.accesses)
      told_.all.push_back({one.core, one.author.cycle, one.author.pc, access.store, access.region,
                           access.address, access.store ? access.stored : access.loaded});
  }

 private:
  Accesses& told_;
  trace::Instructions wanted_;
};

TEST(Observer, that_wants_no_loads_of_memory_is_told_of_everything_else) {
  const auto run = [](trace::Instructions wanted, RingRun& run) {
    std::vector<std::unique_ptr<Accesses>> told;
    Device device(DeviceOptions{});
    device.observe([&](NodeId) {
      told.push_back(std::make_unique<Accesses>());
      return std::make_unique<Choosy>(*told.back(), wanted);
    });
    ring::prepare(device);
    run.cycle = device.run(100'000, [&] { return ring::is_done(device); }).cycle;
    run.hash = device.hash();
    std::vector<Accesses> all;
    for (const auto& one : told) all.push_back(*one);
    return all;
  };
  RingRun every;
  RingRun some;
  RingRun few;
  const std::vector<Accesses> all = run(trace::Instructions::All, every);
  const std::vector<Accesses> plain = run(trace::Instructions::NotPlain, some);
  const std::vector<Accesses> accesses = run(trace::Instructions::Accesses, some);
  const std::vector<Accesses> stores = run(trace::Instructions::Effects, few);
  EXPECT_EQ(every.hash, some.hash);
  EXPECT_EQ(every.hash, few.hash);
  EXPECT_EQ(every.cycle, few.cycle);
  u64 left_out = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(plain[i].all, all[i].all) << i;
    EXPECT_EQ(accesses[i].all, all[i].all) << i;
    std::vector<Accesses::One> wanted;
    for (const Accesses::One& one : all[i].all) {
      const bool memory = one.region == tile::Region::L1 || one.region == tile::Region::OwnLdm;
      if (!memory || one.store)
        wanted.push_back(one);
      else
        ++left_out;
    }
    EXPECT_EQ(stores[i].all, wanted) << i;
  }
  EXPECT_GT(left_out, 100u);
}

/// The first tile of the ring.
const Told& first_tile(const ByNode& told) {
  const Device board{DeviceOptions{}};
  return *told.at(board.board().node_at_translated(board.board().tensix()[0]));
}

TEST(Observer, learns_which_push_each_instruction_came_from) {
  ByNode told;
  run_ring({}, &told);
  const Told& tile = first_tile(told);
  // Thread 0: six words and a REPLAY that plays two of them again.
  std::vector<std::pair<Origin, u64>> seen;
  for (const auto& issue : tile.issues)
    if (issue.author.agent == Agent::Thread0)
      seen.push_back({issue.author.origin, issue.push.number});
  using Seen = decltype(seen);
  EXPECT_EQ(seen, (Seen{{Origin::Queue, 1},
                        {Origin::Queue, 2},
                        {Origin::Queue, 3},
                        {Origin::Replay, 7},
                        {Origin::Replay, 7}}));
  std::vector<u64> numbers;
  for (const auto& push : tile.pushes)
    if (push.thread == 0) numbers.push_back(push.number);
  EXPECT_EQ(numbers, (std::vector<u64>{1, 2, 3, 4, 5, 6, 7}));
  for (const auto& issue : tile.issues) {
    if (issue.author.origin != Origin::Queue) continue;
    for (const auto& push : tile.pushes) {
      if (agent_of_thread(push.thread) == issue.author.agent && push.number == issue.push.number) {
        EXPECT_EQ(push.word, issue.author.pc);
        EXPECT_LT(push.author.cycle, issue.author.cycle);
        EXPECT_EQ(push.core, push.thread + 2);
      }
    }
  }
}

TEST(Observer, learns_of_semaphores_and_mailboxes_and_whose_doing_it_was) {
  ByNode told;
  run_ring({}, &told);
  std::vector<std::string> seen;
  for (const trace::ObjectChange& change : first_tile(told).changes)
    seen.push_back(std::to_string(static_cast<int>(change.object)) + " " +
                   std::to_string(change.index) + ": " + std::to_string(change.before) + " -> " +
                   std::to_string(change.after) + " by " + name_of(change.author.agent));
  // BRISC to TRISC0 (0 * 4 + 1) and back; the semaphore's maximum, thread 1's post, thread 0's get.
  const std::multiset<std::string> expected{"0 1: 0 -> 0 by thread 0", "0 1: 0 -> 1 by thread 1",
                                            "0 1: 1 -> 0 by thread 0", "2 1: 0 -> 5 by BRISC",
                                            "2 1: 0 -> 5 by TRISC0",   "2 4: 0 -> 105 by TRISC0",
                                            "2 4: 0 -> 105 by BRISC"};
  EXPECT_EQ((std::multiset<std::string>(seen.begin(), seen.end())), expected);
}

TEST(Observer, recognises_a_request_where_it_has_its_effects) {
  ByNode told;
  run_ring({}, &told);
  u32 effects = 0;
  u32 results = 0;
  for (const auto& [node, tile] : told) {
    for (const trace::Request& request : tile->requests) {
      EXPECT_EQ(request.id.tile, node);
      EXPECT_EQ(request.kind, trace::RequestKind::Atomic);
      EXPECT_EQ(request.remote, kToken);
      EXPECT_EQ(request.local, kAnswer);
      EXPECT_EQ(request.answers, 1u);
      EXPECT_EQ(request.author.agent, Agent::Brisc);
      for (const auto& [other, remote] : told) {
        for (const trace::Arrival& arrival : remote->arrivals) {
          if (!(arrival.id == request.id)) continue;
          const bool result = arrival.phase == trace::Arrival::Phase::Result;
          EXPECT_EQ(arrival.author.pc, request.author.pc);
          EXPECT_EQ(arrival.author.tile, node);
          EXPECT_EQ(arrival.address, result ? kAnswer : kToken);
          EXPECT_EQ(other == node, result);
          ++(result ? results : effects);
        }
      }
    }
  }
  EXPECT_EQ(effects, ring::kTiles * ring::kRounds);
  // Those of the last round may be under way when the last tile is done.
  EXPECT_GE(results, ring::kTiles * (ring::kRounds - 1));
}

TEST(Observer, learns_who_writes_l1_and_who_lets_a_core_go) {
  ByNode told;
  run_ring({}, &told);
  const Told& tile = first_tile(told);
  std::set<Agent> token, done, answer;
  for (const auto& [address, author] : tile.l1_writes) {
    if (address == kToken) token.insert(author.agent);
    if (address == kDone) done.insert(author.agent);
    if (address == kAnswer) answer.insert(author.agent);
  }
  EXPECT_EQ(token, (std::set<Agent>{Agent::Niu0}));
  EXPECT_EQ(done, (std::set<Agent>{Agent::Brisc}));
  EXPECT_EQ(answer, (std::set<Agent>{Agent::Niu0}));
  ASSERT_EQ(tile.released.size(), 4u);
  for (const auto& [core, by] : tile.released) EXPECT_EQ(by.agent, Agent::Host);
  EXPECT_EQ(tile.host_writes, 7u);
}

TEST(Observer, of_two_is_each_told_and_one_that_has_gone_is_not) {
  Device device{DeviceOptions{}};
  ByNode one, other;
  const unsigned first = listen(device, one);
  const unsigned second = listen(device, other, false);
  ring::prepare(device);
  device.run(600);
  device.stop_observing(first);
  const NodeId node = device.board().node_at_translated(device.board().tensix()[0]);
  const u64 until_then = one[node]->instructions[0];
  device.run(600);
  EXPECT_EQ(one[node]->instructions[0], until_then);
  EXPECT_GT(other[node]->instructions[0], until_then);
  EXPECT_FALSE(one[node]->l1_writes.empty());
  EXPECT_TRUE(other[node]->l1_writes.empty());
  device.stop_observing(second);
  EXPECT_EQ(device.node(node).observer(), nullptr);
}

}  // namespace
}  // namespace bhemu::test
