// What stands between a node and its race detector: makes the detector's events (race/event.hpp) of
// what the node does (trace/observer.hpp). docs/RACES.md, "How a tile is watched".
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hazard/found.hpp"
#include "hazard/places.hpp"
#include "hazard/shared.hpp"
#include "race/window.hpp"
#include "tensix/config.hpp"
#include "tile/tile.hpp"

namespace bhemu::hazard {

/// One detector for each level that is looked at, and at last one that does not take the order of
/// critical sections for order.
class Detectors {
 public:
  Detectors(const race::Settings& settings, const Options& options);
  template <class E>
  void feed(const E& event) {
    for (const auto& one : each_) one->on(event);
  }
  void mark_sync(u64 address) {
    for (const auto& one : each_) one->mark_sync(address);
  }
  unsigned count() const { return static_cast<unsigned>(each_.size()); }
  race::Detector& at(unsigned level) { return *each_[level]; }
  const race::Detector& at(unsigned level) const { return *each_[level]; }
  race::Detector& first() { return *each_[0]; }
  /// That without the order of critical sections.
  race::Detector& without_locks() { return *each_.back(); }
  /// Nothing more will come.
  void finish() {
    for (const auto& one : each_) one->finish();
  }
  Found found(std::span<const race::Finding> windows) const;

 private:
  std::vector<std::unique_ptr<race::Detector>> each_;
  bool contracts_;
};

/// What the host has written last, of its small writes: launch messages, arguments.
class HostBytes {
 public:
  /// Bytes of which nothing is known yet hold this: what the host wrote before anybody looked on.
  void assume(u64 address, std::span<const u8> held);
  /// The stretches of a write that were the same before.
  std::vector<race::Location> write(u64 address, std::span<const u8> bytes);

 private:
  struct Line {
    std::array<u8, 64> bytes{};
    u64 known = 0;  // a bit for each that has been written, or assumed
  };
  static constexpr u64 kLine = 64;
  static constexpr std::size_t kMost = 1024;
  std::unordered_map<u64, Line> lines_;  // by address / kLine
};

/// Of a DRAM bank, or any other node without cores.
class MemoryObserver final : public trace::Observer {
 public:
  MemoryObserver(Shared& shared, NodeId node, std::span<const u8> memory, const Hints& hints);
  void arrives(const trace::Arrival& arrival) override;
  void arrived(const trace::Arrival& arrival) override;
  void host_wrote(u64 address, std::span<const u8> bytes, Cycle cycle) override;
  void host_read(u64 address, std::span<const u8> bytes, Cycle cycle) override;
  /// An agent of a tile waits for this word.
  void polled(u64 address) { detectors_.mark_sync(address); }
  void finish() { detectors_.finish(); }
  Found found() const { return detectors_.found({}); }

 private:
  Shared& shared_;
  NodeId node_;
  std::span<const u8> memory_;
  race::OldWords old_words_;  // of the packet that arrives
  Detectors detectors_;
};

/// Of the way to the host's memory, which itself nobody watches.
class HostMemoryObserver final : public trace::Observer {
 public:
  explicit HostMemoryObserver(Shared& shared) : shared_(shared) {}
  void arrived(const trace::Arrival& arrival) override;

 private:
  Shared& shared_;
};

class TileObserver final : public trace::Observer {
 public:
  TileObserver(Shared& shared, tile::Tile& tile, const Hints& hints);

  void executes(const trace::Instruction& one) override;
  void retired(const trace::Instruction& one) override;
  void released(unsigned core, u32 pc, const Author& by) override;
  void held(unsigned core, const Author& by) override;
  void pushed(const trace::Push& push) override;
  void expanded(const trace::Expansion& expansion) override;
  void issued(const trace::Issue& issue) override;
  void moved(const trace::BankMove& move) override;
  void changed(const trace::ObjectChange& change) override;
  void requested(const trace::Request& request) override;
  void arrives(const trace::Arrival& arrival) override;
  void arrived(const trace::Arrival& arrival) override;
  void host_writes(u64 address, u64 bytes, Cycle cycle) override;
  void host_wrote(u64 address, std::span<const u8> bytes, Cycle cycle) override {
    write_by_host(address, bytes, cycle, false);
  }
  void host_posted(u64 address, std::span<const u8> bytes, Cycle cycle) override {
    write_by_host(address, bytes, cycle, true);
  }
  void host_read(u64 address, std::span<const u8> bytes, Cycle cycle) override;

  /// A core of another tile waits for this word of L1.
  void polled(u64 address) { detectors_.mark_sync(address); }
  /// Words of other nodes for which cores of this tile wait.
  const std::set<std::pair<NodeId, u64>>& polled_remotely() const { return polled_remotely_; }
  void finish() { detectors_.finish(); }
  Found found() const;

 private:
  struct CoreView {
    explicit CoreView(Copy& copy) : follower(copy) {}
    void forget(unsigned reg) { follower.forget(reg); }
    void has_seen_own(u32 address, const race::Detector& detector);

    // Of the instruction under way.
    u64 step = 0;
    u32 word = 0;
    u32 a = 0, b = 0;          // its operands
    race::OldWords old_words;  // of a store
    bool has_sent = false;     // it has sent a request

    std::vector<u32> late_sends;  // initiators that stores on their way to the NIU start

    u64 under_way = 0;  // registers that a load goes to
    bool in_kernel = false;
    bool returned = false;  // from a kernel, and nobody has been told that it is done
    Author left_kernel_at;
    u32 kernel_base = 0;  // as it was when the core last jumped far
    u32 last_pc = 0;
    u32 cfg0 = 0;
    bool has_cache = false;
    struct Fetched {
      u32 line = ~0u;
      u16* words = nullptr;
    };
    std::array<Fetched, 64> recent{};      // of `fetched`, by line
    std::unordered_map<u32, u16> fetched;  // words of code that it has fetched, by line
    struct Seen {                          // of a word
      u32 version = 0;                     // that it is known to have seen
      u32 learned = 0;                     // and of which it knows already what its writer knew
      u8 bytes = 0;
    };
    std::unordered_map<u32, Seen> versions;
    std::unordered_map<u32, u32> pages;          // of page counters: the count that is certain
    std::unordered_map<u32, bool> polls;         // by pc of a branch: it closes a polling loop
    std::unordered_map<u32, bool> remote_polls;  // likewise, with a request in the loop
    std::map<std::pair<NodeId, u64>, u32> remote_versions;
    std::unordered_set<u32> plain_loads;  // pcs of loads that no loop waits for
    Follower follower;
  };
  struct ThreadView {
    u32 last_macro = 0;                        // instruction number of the last SFPLOADMACRO
    std::vector<trace::BankMove> moves;        // of the instruction under way
    std::vector<trace::ObjectChange> changes;  // likewise
    struct LateStore {                         // to a register of the tile, that has yet to land
      u32 word = 0;
      Cycle at = 0;
      u32 number = 0;
    };
    std::vector<LateStore> late_stores;
    struct Pushed {  // how a word came to the queue
      u32 number = 0;
      u32 pc = 0;
      bool gathering = false;
      u8 in_bundle = 0;
    };
    std::array<std::array<Pushed, 64>, 2> pushed{};  // by entry
    u32 bundle_pc = 0;
    u8 in_bundle = 0;
    race::WindowChecker window;
  };
  struct ShortRead {
    NodeId node = kNoNode;
    u64 remote = 0;
    u64 local = 0;
    u32 length = 0;
  };
  struct QueueNumbers {
    u32 pushed = 0;
    u32 popped = 0;
  };

  // observer_core.cpp
  void touch_memory(CoreView& core, const trace::Instruction& one, const trace::CoreAccess& access);
  void touch_config(CoreView& core, const trace::Instruction& one, const trace::CoreAccess& access);
  void touch_pcbuf(CoreView& core, const trace::Instruction& one, const trace::CoreAccess& access);
  void touch_atomic(CoreView& core, const trace::Instruction& one, const trace::CoreAccess& access,
                    const CorePlace& place);
  void send(CoreView& core, const trace::Instruction& one, const trace::CoreAccess& access,
            const race::Location& where);
  void spill(CoreView& core, const trace::Instruction& one, const trace::CoreAccess& access);
  void feed_load(CoreView& core, const trace::Instruction& one, const trace::CoreAccess& access,
                 const CorePlace& place, bool more = false);
  void check_fetch(CoreView& core, const trace::Instruction& one);
  void written(u64 address, u64 bytes);
  u32 kernel_base(CoreView& core, u32 pc);
  void check_return(CoreView& core, const trace::Instruction& one);
  void check_done(CoreView& core, const trace::CoreAccess& access);
  // observer_proof.cpp
  void look_at(CoreView& core, const trace::Instruction& one, const trace::CoreAccess& access,
               const CorePlace& place);
  void look_elsewhere(Look& look, const RemoteWord& word);
  u32 certain_version(unsigned core, u32 address) const;
  void prove(CoreView& core, const trace::Instruction& one, Look& look);
  void prove_choice(CoreView& core, unsigned index, unsigned reg, u32 value);
  void learn(unsigned core, const Look& look);
  void prove_guarded(CoreView& core, unsigned index, const Look& look);
  void learn_word(CoreView& core, unsigned index, const Look& look, u32 version);
  void prove_word(CoreView& core, unsigned index, Look& look);
  void prove_pages(CoreView& core, unsigned index, Look& look);
  void prove_semaphore(CoreView& core, unsigned index, Look& look);
  void prove_atomic(CoreView& core, unsigned index, Look& look);
  void take_elsewhere(unsigned index, const RemoteWord& there, u32 found, u32 bits);
  void prove_counter(CoreView& core, unsigned index, Look& look);
  bool is_polled(CoreView& core, const trace::Instruction& one, Look& look);
  bool is_polled_remotely(CoreView& core, const trace::Instruction& one, const Look& look);
  void prove_remote_word(CoreView& core, unsigned index, Look& look);
  // observer_thread.cpp
  void feed_touches(const trace::Issue& issue, u32 op, std::vector<race::Location>& reads,
                    std::vector<race::Location>& writes);
  u32 config_change(const trace::Issue& issue, u32 word) const;
  void take_config(const trace::Issue& issue, const tensix::Touch& touch);
  void feed_moves(ThreadView& thread, u32 op, bool gives);
  void check_window(const trace::Issue& issue, std::vector<race::Location>&& reads,
                    std::vector<race::Location>&& writes);
  void note_push(ThreadView& thread, const trace::Push& push);
  const ThreadView::Pushed* push_of(unsigned thread, const trace::PushId& push) const;
  void test_stream(const trace::Issue& issue);
  void note_release(ThreadView& thread, const trace::Issue& issue);
  // observer_noc.cpp
  void ask_for_words(const trace::Request& request, race::event::Request& one);
  void keep_words(const trace::Arrival& arrival, const Tickets& tickets);
  void keep_result(const trace::Arrival& arrival, const Tickets& tickets);
  void write_by_host(u64 address, std::span<const u8> bytes, Cycle cycle, bool posted);
  void change_queue(const trace::ObjectChange& change);
  void change_late(ThreadView& thread, const trace::ObjectChange& change);
  void note_late_store(ThreadView& thread, const trace::Issue& issue);
  void signal_pages(const trace::ObjectChange& change, u64 step);
  void publish_pages(const trace::ObjectChange& change,
                     const std::array<race::Clock, kLevels>& clocks);
  u32 pages_added(const trace::ObjectChange& change);

  Author host_at(Cycle cycle) const { return {Agent::Host, 0, cycle, node_}; }

  Shared& shared_;
  tile::Tile& tile_;
  NodeId node_;
  Detectors detectors_;
  Copy copy_;
  std::vector<CoreView> cores_;
  std::array<ThreadView, kThreads> threads_;
  std::array<QueueNumbers, 32> queues_{};    // mailboxes, then PCBufs
  std::unordered_map<u32, u16> code_;        // words that anybody has fetched, by line
  std::unordered_map<u32, u32> page_bases_;  // of stream registers: the value when none was posted
  std::array<u32, 2 * tensix::kConfigWords> config_{};  // values of the words, as last written
  std::vector<race::Location> places_;                  // of one touch
  u32 feature_disable_ = 0;
  HostBytes from_host_;
  // Short reads under way, by number, and what they have brought, by address / 4.
  std::map<u32, ShortRead> short_reads_;
  std::map<u32, RemoteWord> remote_;
  std::set<std::pair<NodeId, u64>> polled_remotely_;
  race::OldWords old_words_;                    // of the packet that arrives
  std::vector<trace::ObjectChange> by_packet_;  // of stream registers, by a packet that arrives
};

}  // namespace bhemu::hazard
