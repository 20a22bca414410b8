// Mutual exclusion. Who comes second to a lock is a matter of the run, so that one critical section
// came behind another puts nothing in order; it only keeps the two apart. A detector with a Guard
// learns nothing from taking a lock, and asks of two accesses that nothing else orders whether both
// were made under one lock: from behind its taking, and done when it was let go.
//
// Such accesses stay remembered all of them, by place in the program, since none of them replaces
// another: what is found is the same whoever came first. A detector of a second pass keeps all that
// is done to a line with findings in the same way, locks or none.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "race/finding.hpp"
#include "race/section.hpp"
#include "race/sync_word.hpp"

namespace bhemu::race {

class Guard {
 public:
  using Held = race::Held;
  struct Past {
    u8 begin = 0;  // within the line
    u8 end = 0;
    bool same = false;  // of configuration: it held that value already
    bool has_value = false;
    u32 value = 0;
    Side side;
    Clock clock;
    std::vector<Held> held;
    bool is_far = false;  // under a lock that is held in another tile
  };
  using Line = std::vector<Past>;
  struct Section {
    Held held;
    Taker taker = 0;
    Epoch taken;
    std::vector<u64> lines;  // with accesses made in it
  };
  static constexpr u64 kUnits = 64;  // of a line

  Guard(u16 tile, std::span<const LockWord> locks);

  /// The locks in a word; none: it is not one.
  std::span<const LockWord> locks_of(u64 address) const {
    const auto found = locks_.find(address);
    return found == locks_.end() ? std::span<const LockWord>() : found->second;
  }
  void take(LockId lock, Taker by, Epoch taken);
  bool is_held(LockId lock, Taker by) const;
  /// The section that ends; none: the lock was not held.
  Section let_go(LockId lock, const Clock& clock);
  /// What was remembered of the same place in the program under the same locks; null: nothing.
  Past* same_place(u64 key, const Past& past);

  /// Of the sections under way those that somebody is in who knows this.
  std::vector<Held> held(const Clock& clock) const;
  /// One lock has kept them apart.
  static bool share(const Past& a, const Past& b);
  static bool share(const Past& a, const std::vector<Held>& b);

  static u64 key_of(Place place, u64 line) { return static_cast<u64>(place) << 56 | line; }
  static Place place_of(u64 key) { return static_cast<Place>(key >> 56); }
  static u64 line_of(u64 key) { return key & ((u64{1} << 56) - 1); }
  /// In ascending order.
  template <class Visit>
  void each_line(Visit visit) {
    std::vector<u64> keys;
    for (const auto& [key, line] : lines_) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    for (const u64 key : keys) visit(key, lines_.at(key));
  }
  Line* find(u64 key) {
    const auto found = lines_.find(key);
    return found == lines_.end() ? nullptr : &found->second;
  }
  Line& make(u64 key) { return lines_[key]; }
  /// In place of what same_place() says.
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

  std::unordered_map<u64, std::vector<LockWord>> locks_;
  std::vector<Section> open_;
  u64 sections_ = 0;  // their numbers are those of one tile only
  std::unordered_map<u64, Line> lines_;
  std::unordered_map<u64, Word> words_;  // by address / 4
};

}  // namespace bhemu::race
