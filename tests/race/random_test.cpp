// The detector against a model that is slow and obvious: every action is a node, every rule of
// order an edge, and two accesses race when neither reaches the other.
#include <gtest/gtest.h>

#include <bitset>
#include <map>
#include <random>
#include <set>

#include "race/bench.hpp"

namespace bhemu::race::test {
namespace {

constexpr unsigned kMostNodes = 600;
constexpr unsigned kWords = 6;
constexpr unsigned kMailboxes = 2;
using Nodes = std::bitset<kMostNodes>;

class Model {
 public:
  /// A new node after all of `after` (numbers from 1, 0 is nobody).
  unsigned node(std::initializer_list<unsigned> after) {
    ++count_;
    for (const unsigned one : after) link(one, count_);
    return count_;
  }
  void link(unsigned from, unsigned to) {
    if (from != 0) before_[to] |= before_[from] | Nodes().set(from);
  }
  void access(unsigned node, unsigned word, bool write) {
    accesses_[word].push_back({node, write});
  }
  std::set<unsigned> racy_words() const {
    std::set<unsigned> words;
    for (const auto& [word, all] : accesses_)
      for (const Use& a : all)
        for (const Use& b : all)
          if (a.node < b.node && (a.write || b.write) && !before_[b.node][a.node])
            words.insert(word);
    return words;
  }
  bool is_full() const { return count_ + 16 > kMostNodes; }

 private:
  struct Use {
    unsigned node;
    bool write;
  };
  unsigned count_ = 0;
  std::array<Nodes, kMostNodes + 1> before_{};
  std::map<unsigned, std::vector<Use>> accesses_;
};

struct UnitWord {
  unsigned condition;
  u32 word;
};
std::vector<UnitWord> units() {
  return {{1, words::unpacr(0)}, {2, words::unpacr(1)}, {3, words::pacr},
          {4, words::mvmul},     {11, words::sfpstore}, {0, words::loadind}};
}

/// Makes the same random program in the bench and in the model.
class Pair {
 public:
  explicit Pair(u32 seed) : random_(seed) {}

  void run(unsigned actions) {
    for (unsigned i = 0; i < actions && !model.is_full(); ++i) {
      switch (pick(9)) {
        case 0:
        case 1:
          store(2 + pick(3));
          break;
        case 2:
          load(2 + pick(3));
          break;
        case 3:
          fence(2 + pick(3));
          break;
        case 4:
          post(2 + pick(3), pick(kMailboxes));
          break;
        case 5:
          take(2 + pick(3), pick(kMailboxes));
          break;
        case 6:
          unit(pick(3));
          break;
        case 7:
          wait(pick(3));
          break;
        default:
          pick(2) == 0 ? request(2 + pick(3)) : barrier(2 + pick(3));
          break;
      }
    }
  }

  Bench bench;
  Model model;

 private:
  struct StoreLike {
    unsigned node;
    Region region;
    int word;  // -1: none that a load could overlap
  };
  struct CoreState {
    unsigned program = 0;
    std::map<Region, unsigned> last;  // by region
    std::vector<StoreLike> stores;
    std::size_t emitted = 0;  // stores that have certainly left the queue
  };
  struct ThreadState {
    unsigned gate = 0;
    std::map<unsigned, unsigned> last;  // by condition of the unit
    std::vector<unsigned> lifts;        // nodes that the next instruction comes after
  };
  struct Mailbox {
    std::vector<unsigned> posts;
    unsigned taken = 0;
  };

  unsigned pick(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  Location at(unsigned word) { return l1(0x1000 + word * 4); }

  unsigned store_like(CoreState& core, Region region, int word) {
    const unsigned node = model.node({core.program, core.last[region]});
    core.last[region] = node;
    core.stores.push_back({node, region, word});
    if (core.stores.size() > 4) core.emitted = std::max(core.emitted, core.stores.size() - 4);
    return node;
  }
  void store(unsigned core) {
    const unsigned word = pick(kWords);
    const Region region = pick(2) == 0 ? Region::L1 : Region::Control;
    model.access(store_like(cores_[core], region, static_cast<int>(word)), word, true);
    bench.store(core, at(word), region);
  }
  /// With its use: what comes later comes after it.
  void load(unsigned index) {
    const unsigned word = pick(kWords);
    const Region region = pick(2) == 0 ? Region::L1 : Region::Control;
    CoreState& core = cores_[index];
    const unsigned node = model.node({core.program});
    std::size_t emitted = core.emitted;
    for (std::size_t i = 0; i < core.stores.size(); ++i)
      if (core.stores[i].region == region && core.stores[i].word == static_cast<int>(word))
        emitted = std::max(emitted, i + 1);
    for (std::size_t i = 0; i < emitted; ++i)
      if (core.stores[i].region == region) model.link(core.stores[i].node, node);
    model.access(node, word, false);
    core.program = node;
    bench.load_use(index, at(word), region);
  }
  void fence(unsigned index) {
    CoreState& core = cores_[index];
    const unsigned node = model.node({core.program});
    for (const StoreLike& one : core.stores) model.link(one.node, node);
    core.emitted = core.stores.size();
    core.program = node;
    bench.fence(index);
  }
  void post(unsigned index, unsigned mailbox) {
    mailboxes_[mailbox].posts.push_back(store_like(cores_[index], Region::Mailbox, -1));
    bench.signal(index, Object::Mailbox, static_cast<u16>(mailbox));
  }
  void take(unsigned index, unsigned mailbox) {
    Mailbox& box = mailboxes_[mailbox];
    if (box.taken == box.posts.size()) return;
    CoreState& core = cores_[index];
    core.program = model.node({core.program, box.posts[box.taken++]});
    bench.observe(index, Object::Mailbox, static_cast<u16>(mailbox), box.taken);
  }
  unsigned issue(unsigned thread) {
    CoreState& core = cores_[thread + 2];
    const unsigned push = store_like(core, Region::Push, -1);
    ThreadState& state = threads_[thread];
    state.gate = model.node({state.gate, push});
    for (const unsigned one : state.lifts) model.link(one, state.gate);
    state.lifts.clear();
    return state.gate;
  }
  void unit(unsigned thread) {
    const std::vector<UnitWord> all = units();
    const UnitWord& unit = all[pick(static_cast<unsigned>(all.size()))];
    const unsigned word = pick(kWords);
    const bool write = pick(2) == 0;
    const unsigned gate = issue(thread);
    unsigned& last = threads_[thread].last[unit.condition];
    last = model.node({gate, last});
    model.access(last, word, write);
    // A word of its own for each instruction, so that no two findings are the same.
    bench.run(thread, unit.word | ++serial_, at(word), write ? Mode::Write : Mode::Read);
  }
  /// STALLWAIT for one or two units, or the two done checks' way: the core waits for its thread.
  void wait(unsigned thread) {
    ThreadState& state = threads_[thread];
    if (pick(4) == 0) {
      CoreState& core = cores_[thread + 2];
      store_like(core, Region::PcBuf, -1);
      core.program = model.node({core.program, state.gate});
      for (const auto& [condition, node] : state.last) model.link(node, core.program);
      // The store to the check has left the queue, and so have those before it.
      for (const StoreLike& one : core.stores)
        if (one.region == Region::PcBuf) model.link(one.node, core.program);
      bench.done_check(thread + 2);
      return;
    }
    u32 mask = 0;
    issue(thread);
    for (unsigned i = 0; i < 2; ++i) {
      const std::vector<UnitWord> all = units();
      const unsigned condition = all[pick(static_cast<unsigned>(all.size()))].condition;
      mask |= 1u << condition;
      state.lifts.push_back(state.last[condition]);
    }
    bench.issue(thread, words::stallwait(0x1FF, mask));
  }
  void request(unsigned index) {
    const unsigned word = pick(kWords);
    const unsigned to = pick(kWords);
    const unsigned command = store_like(cores_[index], Region::Niu, -1);
    const unsigned source = model.node({command});
    const unsigned commit = model.node({command});
    model.access(source, word, false);
    model.access(commit, to, true);
    written_.push_back(source);
    written_.push_back(commit);
    event::Request one;
    one.source = at(word);
    one.buffer = static_cast<u16>(written_.size() / 2 % 4);
    const Ticket ticket = bench.request(index, one);
    bench.arrive(ticket, at(to), Mode::Write);
  }
  void barrier(unsigned index) {
    CoreState& core = cores_[index];
    core.program = model.node({core.program});
    for (const unsigned one : written_) model.link(one, core.program);
    bench.counter(index, 0, 1, static_cast<u32>(written_.size() / 2));
  }

  std::mt19937 random_;
  u32 serial_ = 0;
  std::array<CoreState, kCores> cores_;
  std::array<ThreadState, kThreads> threads_;
  std::array<Mailbox, kMailboxes> mailboxes_;
  std::vector<unsigned> written_;  // source reads and commits of the NIU's writes
};

TEST(RaceRandom, the_detector_finds_what_a_graph_of_all_actions_finds) {
  unsigned racy = 0;
  unsigned clean = 0;
  for (u32 seed = 1; seed <= 3000; ++seed) {
    Pair pair(seed);
    pair.run(4 + seed % 60);
    std::set<unsigned> found;
    for (const Finding& one : pair.bench.detector.findings())
      if (one.where.place == Place::L1)
        found.insert(static_cast<unsigned>((one.where.begin - 0x1000) / 4));
    const std::set<unsigned> expected = pair.model.racy_words();
    ASSERT_EQ(found, expected) << "seed " << seed << "\n" << pair.bench.text();
    racy += expected.empty() ? 0 : 1;
    clean += expected.empty() ? 1 : 0;
  }
  EXPECT_GT(racy, 500u);
  EXPECT_GT(clean, 200u);
}

/// Ranges that overlap in all ways, against one cell per byte.
TEST(RaceRandom, ranges_are_judged_byte_by_byte) {
  constexpr unsigned kBytes = 160;
  std::mt19937 random(5);
  for (unsigned round = 0; round < 300; ++round) {
    Shadow shadow;
    std::array<u32, kBytes> plain{};
    for (u32 time = 1; time < 40; ++time) {
      const u32 begin = random() % kBytes;
      const u32 size = 1 + random() % (kBytes - begin);
      if (random() % 2 == 0) {
        shadow.visit({Place::L1, size, begin}, [&](Cell& cell, u64, u64) {
          cell.write = {time, 1, 0};
        });
        for (u32 i = 0; i < size; ++i) plain[begin + i] = time;
      } else {
        u64 at = begin;
        shadow.visit({Place::L1, size, begin}, [&](Cell& cell, u64 from, u64 to) {
          ASSERT_EQ(from, at);
          for (u64 i = from; i < to; ++i) ASSERT_EQ(cell.write.time, plain[i]) << i;
          at = to;
        });
        ASSERT_EQ(at, begin + size);
      }
    }
  }
}

/// A clock is the greatest of all that it has been told.
TEST(RaceRandom, clocks_know_what_they_were_told_and_no_more) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 200; ++round) {
    std::array<Clock, 4> clocks;
    std::array<std::map<u32, u32>, 4> plain;
    for (unsigned i = 0; i < 200; ++i) {
      const unsigned to = random() % 4;
      if (random() % 3 == 0) {
        const unsigned from = random() % 4;
        clocks[to].join(clocks[from]);
        for (const auto& [key, time] : plain[from]) {
          u32& mine = plain[to][key];
          mine = std::max(mine, time);
        }
      } else {
        const Epoch epoch{static_cast<u32>(1 + random() % 50),
                          static_cast<Component>(random() % 40), static_cast<u16>(random() % 3)};
        clocks[to].raise(epoch);
        u32& mine = plain[to][u32{epoch.tile} << 16 | epoch.component];
        mine = std::max(mine, epoch.time);
      }
      for (u16 tile = 0; tile < 3; ++tile)
        for (Component component = 0; component < 40; ++component) {
          const auto found = plain[to].find(u32{tile} << 16 | component);
          ASSERT_EQ(clocks[to].at(tile, component), found == plain[to].end() ? 0u : found->second);
        }
    }
  }
}

}  // namespace
}  // namespace bhemu::race::test
