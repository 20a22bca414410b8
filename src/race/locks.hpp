// Which words of L1 are locks: each that takes one finds it free and looks whether it was, nobody
// else changes the word until its taker has let it go, and several have taken it. A whole run must
// have shown that, so the run after is the first that knows. A mutex of the sync unit is a lock
// without having shown it.
//
// A word that also says something (a count, a ticket, a message that is swapped out) is no lock by
// this measure, and what it puts in order stays so.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/author.hpp"
#include "base/types.hpp"

namespace bhemu::race {

/// Who can hold a lock: a core, or a thread of the coprocessor.
constexpr unsigned kTakers = kCores + kThreads;
constexpr unsigned taker_of_thread(unsigned thread) {
  return kCores + thread;
}

/// Locks by number: words by their address, mutexes from here on.
inline constexpr u64 kMutexLock = u64{1} << 62;

class LockBook {
 public:
  /// An atomic has changed a word. `proved`: it would not have, had the word not been free.
  void changed(u64 address, unsigned by, u32 before, u32 after, bool proved = false);
  /// A ticket lock: the word says whose turn it is, and it is that of who has drawn the number.
  void waited(u64 address, unsigned by, u64 drawn_from);
  /// The taker has looked at what its atomic found.
  void proved(u64 address, unsigned by);
  /// A plain store.
  void stored(u64 address, unsigned by, u32 after);
  /// A store of something.
  void let_go_by(u64 address, unsigned by);
  /// Somebody else has written the word: the host, or a packet.
  void written_from_outside(u64 address);

  bool has(u64 address) const { return words_.contains(address); }
  /// By address, in ascending order.
  std::vector<u64> locks() const;

 private:
  static constexpr int kNobody = -1;
  struct Word {
    u32 free = 0;  // what it is when nobody holds it
    u32 takers = 0;
    int holder = kNobody;
    bool proved = false;
    bool is_none = false;  // it has been used in another way
    u64 drawn_from = 0;    // of a ticket lock: the word that gives the numbers; else 0
  };
  void let_go(Word& word, u32 after);

  std::unordered_map<u64, Word> words_;
};

}  // namespace bhemu::race
