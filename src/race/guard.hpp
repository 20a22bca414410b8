// Mutual exclusion. Who comes second to a lock is a matter of the run, so that one critical section
// came behind another puts nothing in order; it only keeps the two apart. A detector with a Guard
// learns nothing from taking a lock, and asks of two accesses that nothing else orders whether both
// were made under one lock: from behind its taking, and done when it was let go.
//
// Such accesses stay remembered all of them, by place in the program, since none of them replaces
// another: what is found is the same whoever came first. A detector of a second pass keeps all that
// is done to a line with findings in the same way, locks or none.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "race/finding.hpp"
#include "race/locks.hpp"
#include "race/sync_word.hpp"

namespace bhemu::race {

class Guard {
 public:
  struct Held {
    u64 lock = 0;
    u32 section = 0;
  };
  struct Past {
    u8 begin = 0;  // within the line
    u8 end = 0;
    bool same = false;  // of configuration: it held that value already
    bool has_value = false;
    u32 value = 0;
    Side side;
    Clock clock;
    std::vector<Held> held;
  };
  using Line = std::vector<Past>;
  struct Section {
    Held held;
    unsigned taker = 0;
    Epoch taken;
    std::vector<u64> lines;  // with accesses made in it
  };
  static constexpr u64 kUnits = 64;  // of a line

  explicit Guard(std::span<const u64> locks) : locks_(locks.begin(), locks.end()) {}

  bool is_lock(u64 lock) const { return locks_.contains(lock); }
  void take(u64 lock, unsigned by, Epoch taken);
  bool is_held(u64 lock, unsigned by) const;
  /// The section that ends; none: the lock was not held.
  Section let_go(u64 lock);

  /// Of the sections under way those that somebody is in who knows this.
  std::vector<Held> held(const Clock& clock) const;
  static bool share(const std::vector<Held>& a, const std::vector<Held>& b);

  static u64 key_of(Place place, u64 line) { return static_cast<u64>(place) << 56 | line; }
  Line* find(u64 key) {
    const auto found = lines_.find(key);
    return found == lines_.end() ? nullptr : &found->second;
  }
  Line& make(u64 key) { return lines_[key]; }
  /// Replaces what was remembered of the same place in the program under the same locks.
  void add(u64 key, Past past);

  /// A word that is changed and looked at under locks: whoever branches on it learns of whoever has
  /// written what let it through.
  struct Word {
    SyncWord said;
    u32 first = 0;  // version of which the value is known
  };
  std::unordered_map<u64, Word>& words() { return words_; }

 private:
  static constexpr std::size_t kMostOfLine = 256;

  std::unordered_set<u64> locks_;
  std::vector<Section> open_;
  u32 sections_ = 0;
  std::unordered_map<u64, Line> lines_;
  std::unordered_map<u64, Word> words_;  // by address / 4
};

}  // namespace bhemu::race
