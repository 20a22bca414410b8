// Polling loops in which cores of any tile have waited, for all tiles of a device: they execute the
// same programs, so most cores that come to such a loop will wait in it from the first time on.
// Likewise how long they were at work before they were parked at all.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"
#include "riscv/known_round.hpp"

namespace bhemu::riscv {

/// Any thread may ask and tell. What is told in an epoch is known from its end on, and of what
/// several tiles tell in one epoch the one with the lowest number counts, so that what a tile
/// learns depends on no other thread.
class KnownLoops {
 public:
  using Round = std::shared_ptr<const KnownRound>;
  /// Who tells, and when: from which cycle on it is known.
  struct Source {
    Cycle since;
    NodeId tile;
    auto operator<=>(const Source&) const = default;
  };
  /// No loop begins in the line at `address`, whatever stands there: to be asked without a lock.
  bool has_none_in(u32 address) const {
    const u32 line = address / kLineBytes;
    return (begins_[line / 64].load(std::memory_order_relaxed) >> line % 64 & 1) == 0;
  }
  /// Calls `visit(head, shape, round)` for those that begin in the line at `address` with these
  /// words and are known to others than who told of them; the round is a null pointer where none is
  /// known. `reader`: who asks, and when.
  template <class Visit>
  void each_in(u32 address, const u8* words, Source reader, Visit visit) const {
    const std::lock_guard lock(mutex_);
    const auto line = lines_.find(address);
    if (line == lines_.end()) return;
    const auto is_known = [&](const Source& source) {
      return source.since <= reader.since && source.tile != reader.tile;
    };
    for (const Entry& entry : line->second)
      if (is_known(entry.source) && entry.is(entry.head, words))
        visit(entry.head, entry.shape, is_known(entry.round_source) ? entry.round : Round());
  }

  /// A core was parked in a loop with this head; the words are those of its line.
  void tell(u32 head, LoopShape shape, const u8* words, Source source);
  /// The round that cores wait in there.
  void tell(u32 head, const u8* words, const Round& round, Source source);

  /// What a core begins with when it leaves reset: where, and the words of the line there.
  using Start = u64;
  static Start start_of(u32 pc, const u8* words);
  /// A core that began with that was parked for the first time, so many cycles later.
  void tell_of_wait(Start start, Cycle after, Source source);
  /// What was told of cores that begin so, in any tile; 0: nothing.
  Cycle first_wait(Start start, Cycle now) const;

 private:
  // Chosen, not measured: of different words in a line of code, so many have loops, and of programs
  // that cores begin with, so many are known.
  static constexpr std::size_t kMostInLine = 8;
  static constexpr std::size_t kMostFirstWaits = 32;

  struct Entry {
    u32 head;
    LoopShape shape;
    std::array<u8, kLineBytes> words;
    Source source;
    Round round;
    Source round_source;

    bool is(u32 pc, const u8* now) const {
      return head == pc && std::equal(words.begin(), words.end(), now);
    }
  };

  struct FirstWait {
    Start start;
    Cycle after;
    Source source;
  };

  mutable std::mutex mutex_;
  std::array<std::atomic<u64>, kL1Size / kLineBytes / 64> begins_{};  // a bit for each line
  std::unordered_map<u32, std::vector<Entry>> lines_;
  std::vector<FirstWait> first_waits_;
};

}  // namespace bhemu::riscv
