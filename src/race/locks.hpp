// Which words of L1 are locks, or have bits that are: each that takes one finds it free and looks
// whether it was, nobody else changes it until its taker has let it go, and several have taken it.
// A whole run must have shown that, so the run after is the first that knows. A mutex of the sync
// unit is a lock without having shown it.
//
// A word that also says something (a count, a ticket, a message that is swapped out) is no lock by
// this measure, and what it puts in order stays so.
#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/author.hpp"
#include "race/sync_word.hpp"

namespace bhemu::race {

/// Who can hold a lock: a core, or a thread of the coprocessor, or a core of another tile.
using Taker = u32;
constexpr Taker kTakers = kCores + kThreads;
constexpr Taker taker_of_thread(unsigned thread) {
  return kCores + thread;
}
constexpr Taker taker_elsewhere(u16 tile, unsigned core) {
  return kTakers * (1u + tile) + core;
}

/// A lock that a word is, or some of its bits are.
struct LockWord {
  u64 address = 0;
  u32 mask = ~u32{0};
  u32 free = 0;      // what those bits are when nobody holds it
  bool far = false;  // taken from another tile as well
  friend bool operator==(const LockWord&, const LockWord&) = default;
};

/// A name for each lock of a device.
using LockId = u64;
constexpr LockId lock_id(u16 tile, u64 address, u32 mask) {
  unsigned bit = 0;
  while (bit < 32 && (mask >> bit & 1) == 0) ++bit;
  const u64 part = mask == ~u32{0} ? 32 : bit;
  return u64{tile} << 44 | part << 38 | address / 4;
}
constexpr LockId mutex_id(u16 tile, u32 mutex) {
  return u64{1} << 62 | u64{tile} << 44 | mutex;
}

class LockBook {
 public:
  /// Whether somebody in another tile, who has changed the word by a packet, has looked since at
  /// what that has found.
  using Looked = std::shared_ptr<const std::atomic<bool>>;
  struct Change {
    u32 before = 0;
    u32 after = 0;
    SyncWord::How how = SyncWord::How::Set;
    bool proved = false;  // it would not have been made, had the word not been free
    Looked looked{};      // null: `proved` says it, or LockBook::proved
  };
  /// An atomic has changed a word.
  void changed(u64 address, Taker by, const Change& change);
  /// A ticket lock: the word says whose turn it is, and it is that of who has drawn the number.
  void waited(u64 address, Taker by, u64 drawn_from);
  /// The taker has looked at these bits of what its atomic found.
  void proved(u64 address, Taker by, u32 bits = ~u32{0});
  /// A plain store.
  void stored(u64 address, Taker by, u32 after);
  /// A store of something.
  void let_go_by(u64 address, Taker by);
  /// Somebody who cannot hold a lock has written the word: the host, a packet of many bytes.
  void written_from_outside(u64 address);

  bool has(u64 address) const { return words_.contains(address); }
  /// By address and mask, in ascending order.
  std::vector<LockWord> locks() const;

 private:
  static constexpr Taker kNobody = ~Taker{0};
  static constexpr std::size_t kMostInVain = 32;
  struct Part {
    u32 mask = ~u32{0};
    u32 free = 0;
    u32 added = 0;  // by who holds it, of a lock that is taken by adding; 0: it is not
    Taker holder = kNobody;
    Taker first = kNobody;  // who has had it, and let it go
    bool several = false;
    bool far = false;
    bool proved = false;
    Looked looked;
    std::vector<std::pair<Taker, u32>> in_vain;  // added by those who did not get it
  };
  struct Word {
    std::vector<Part> parts;  // of disjoint masks
    bool is_none = false;     // it has been used in another way
    u64 drawn_from = 0;       // of a ticket lock: the word that gives the numbers; else 0
  };
  static bool is_proved(const Part& part);
  static void count_taker(Part& part, Taker by);
  void let_go(Word& word, Part& part, u32 after);
  void take(Word& word, Part& part, Taker by, const Change& change);
  void add(Word& word, Part& part, Taker by, const Change& change);

  std::unordered_map<u64, Word> words_;
};

}  // namespace bhemu::race
