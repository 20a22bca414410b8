// Objects by which agents signal each other keep one clock for each post. Who waits learns what the
// condition guarantees (the n-th post has happened), not what happens to be there: a consumer that
// waits for one page and reads two is found even when the producer is far ahead.
#pragma once

#include <vector>

#include "race/clock.hpp"

namespace bhemu::race {

class ClockQueue {
 public:
  void publish(const Clock& clock, u32 amount = 1) {
    total_ += amount;
    all_.join(clock);
    if (posts_.size() < kKept) {
      posts_.push_back({total_, clock});
      return;
    }
    forgotten_ = posts_[oldest_].total;
    posts_[oldest_] = {total_, clock};
    oldest_ = (oldest_ + 1) % kKept;
  }
  /// What is known when `count` have happened; null: nothing, or it is too long ago. Of all that
  /// there were so far each has happened, whoever made it; of fewer, which ones they were is taken
  /// from the order of the run.
  const Clock* when(u32 count) const { return count != 0 && count == total_ ? &all_ : at(count); }
  /// The post by which `count` had happened; null when there was none, or it is too long ago.
  const Clock* at(u32 count) const {
    if (count <= forgotten_) return nullptr;
    for (std::size_t i = 0; i < posts_.size(); ++i)
      if (const Post& one = posts_[(oldest_ + i) % posts_.size()]; one.total >= count)
        return &one.clock;
    return nullptr;
  }
  u32 total() const { return total_; }
  void clear() {
    posts_.clear();
    all_ = {};
    oldest_ = 0;
    total_ = 0;
    forgotten_ = 0;
  }

 private:
  static constexpr std::size_t kKept = 64;  // a semaphore holds 15, a circular buffer 32 pages
  struct Post {
    u32 total = 0;  // with this one
    Clock clock;
  };
  std::vector<Post> posts_;  // a ring once there are kKept
  Clock all_;
  std::size_t oldest_ = 0;
  u32 total_ = 0;
  u32 forgotten_ = 0;  // how many posts those were that are no longer kept
};

/// Actions on an object, in the order of the run: of how many somebody knows for certain.
class ActionLog {
 public:
  void add(Epoch epoch) {
    last_.push_back(epoch);
    if (last_.size() <= kKept) return;
    last_.erase(last_.begin());
    ++before_;
  }
  /// Everybody knows of so many more.
  void set_known(u32 count) { before_ = count; }
  u32 known_to(const Clock& clock) const {
    u32 count = before_;
    for (const Epoch one : last_) count += clock.knows(one);
    return count;
  }
  const std::vector<Epoch>& recent() const { return last_; }

 private:
  static constexpr std::size_t kKept = 64;
  std::vector<Epoch> last_;
  u32 before_ = 0;
};

}  // namespace bhemu::race
