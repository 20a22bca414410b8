// Critical sections: what has been done between the taking of a lock and its being let go. Those
// who hold locks say so in their packets, so that what these do elsewhere is known to be done under
// them.
#pragma once

#include <atomic>
#include <memory>

#include "race/clock.hpp"
#include "race/locks.hpp"

namespace bhemu::race {

/// How a section has ended. Those who ask in other tiles have heard of it by a packet.
class SectionEnd {
 public:
  void set(const Clock& clock) {
    clock_ = clock;
    is_over_.store(true, std::memory_order_release);
  }
  /// Whether what was done in the section was done when the lock was let go.
  bool may_cover(Epoch epoch) const {
    return !is_over_.load(std::memory_order_acquire) || clock_.knows(epoch);
  }

 private:
  Clock clock_;
  std::atomic<bool> is_over_ = false;
};

/// A lock that somebody holds, for one of its sections.
struct Held {
  LockId lock = 0;
  u64 section = 0;  // no other section of the device has this number
  std::shared_ptr<SectionEnd> end;
};

}  // namespace bhemu::race
