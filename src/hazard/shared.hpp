// What the observers of a device share: requests under way between nodes, and what the host knows.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "hazard/follow.hpp"
#include "race/event.hpp"
#include "tile/software.hpp"
#include "trace/observer.hpp"

namespace bhemu::hazard {

struct Options {
  bool contracts = false;  // find what only custom puts in order, too
  u32 kernel_base = 0;     // kernels are from here on, firmware below; 0: `software` says it
  std::shared_ptr<const tile::Software> software;  // null: nobody knows
  /// Of every tile: bytes of L1 by which firmware and host signal each other.
  std::vector<race::Location> sync_words;
  unsigned levels() const { return 2u + contracts; }
};

/// Of one request, by level.
using Tickets = std::array<race::Ticket, kLevels>;

/// Requests of one node that can still have an effect somewhere. Other nodes look them up from
/// other threads.
class Departures {
 public:
  void put(u32 number, Tickets tickets) {
    const std::lock_guard lock(mutex_);
    tickets_.emplace(number, std::move(tickets));
    order_.push_back(number);
    if (order_.size() <= kKept) return;
    tickets_.erase(order_.front());
    order_.pop_front();
  }
  Tickets get(u32 number) {
    const std::lock_guard lock(mutex_);
    const auto found = tickets_.find(number);
    return found == tickets_.end() ? Tickets() : found->second;
  }

 private:
  static constexpr std::size_t kKept = 8192;  // an NIU can have 16 ids of 255 under way
  std::mutex mutex_;
  std::unordered_map<u32, Tickets> tickets_;
  std::deque<u32> order_;
};

/// What packets have brought to the host's memory since the host last did anything: it can have
/// seen it.
class Landed {
 public:
  void put(const Tickets& tickets) {
    const std::lock_guard lock(mutex_);
    for (unsigned level = 0; level < kLevels; ++level) {
      if (tickets[level] == nullptr) continue;
      clocks_[level].join(tickets[level]->clock);
      clocks_[level].raise(tickets[level]->commit);
      any_ = true;
    }
  }
  void give_to(std::array<race::Clock, kLevels>& host) {
    const std::lock_guard lock(mutex_);
    if (!any_) return;
    for (unsigned level = 0; level < kLevels; ++level) host[level].join(clocks_[level]);
    clocks_ = {};
    any_ = false;
  }

 private:
  std::mutex mutex_;
  std::array<race::Clock, kLevels> clocks_;
  bool any_ = false;
};

struct Shared {
  explicit Shared(std::size_t nodes, const Options& settings)
      : options(settings), departures(nodes) {}

  Options options;
  /// Second pass: words that are locks, by node and address.
  std::map<std::pair<NodeId, u64>, std::vector<race::LockWord>> locks;
  bool has_far_locks = false;          // some of them are taken from other tiles
  std::vector<Departures> departures;  // by node
  CopyBenches benches;
  Landed landed;                          // in the host's memory
  std::array<race::Clock, kLevels> host;  // it acts between epochs, when nobody else does
  bool is_over = false;                   // what the host reads now is for the report
  bool began_late = false;  // the device had run before: what the host wrote then nobody has seen
};

}  // namespace bhemu::hazard
