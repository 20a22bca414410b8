// Snapshots of a device at epoch edges, from which its past is run again: a run is a function of
// its state, so that leads to the same instructions in the same cycles. The past ends where the
// host, or the user of the debugger, has last written something.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace bhemu::gdb {

class History {
 public:
  /// `counts`: instructions retired by each of the cores that can be gone back on, at this edge.
  struct Moment {
    Cycle cycle = 0;
    std::vector<u64> counts;
    std::vector<u8> snapshot;
  };

  void clear() { moments_.clear(); }
  bool empty() const { return moments_.empty(); }
  std::size_t size() const { return moments_.size(); }
  const Moment& operator[](std::size_t index) const { return moments_[index]; }

  /// A moment is due when none is known, or when taking the last one took less than a twentieth of
  /// the host's time since.
  bool is_due() const;
  bool has(Cycle cycle) const;
  /// Of a device at an edge; replaces one of the same cycle.
  void add(Device& device, std::vector<u64> counts);
  /// The latest at which `core` had retired no more than `count` instructions.
  std::optional<std::size_t> before(std::size_t core, u64 count) const;
  /// The latest that is not after `cycle`.
  std::optional<std::size_t> until(Cycle cycle) const;

 private:
  using Clock = std::chrono::steady_clock;
  void thin();

  std::vector<Moment> moments_;  // by cycle
  Clock::time_point last_{};
  Clock::duration cost_{};
};

}  // namespace bhemu::gdb
