// Turns that have been executed before. What the frontends of the three threads do in a turn, and
// which instruction goes to its unit in which cycle, follows from little: what is queued, MOP and
// replay expanders, gates and waits, semaphores, mutexes, and to whom the banks of SrcA and SrcB
// belong. Kernels are loops, and the tiles of a grid execute the same ones, so nearly all turns
// begin in a state that some tile has been in before. Such a turn is executed from a list: the
// instructions go straight to their units, together where a unit takes several, and the frontends
// are put where the turn leaves them.
//
// Whatever else decides what instructions do, configuration, counters, registers, data, does not
// belong to the key: the instructions are executed. If one of them does not leave its gate as it
// did before, because a rule stops its thread or the configuration keeps a bank from changing
// hands, the frontends are brought to that very place, and the turn goes on without the list.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "tensix/context.hpp"

namespace bhemu::tensix::frontend {

/// Everything that decides which instructions leave their gates in a turn, and when.
class TurnKey {
 public:
  /// Of the turn [from, until). False: it is one of those that are not remembered, since more
  /// decides about it, or somebody looks on.
  bool describe(const State& state, const Environment& env, Cycle from, Cycle until);

  u64 hash() const { return hash_; }
  const u8* data() const { return bytes_.data(); }
  u32 size() const { return size_; }

  static constexpr Cycle kLongest = 255;

 private:
  static constexpr u32 kMost = 1760;

  void add(const void* part, u32 size);
  void add_queue(const decltype(Frontend::fifo)& fifo, u32 ready, Cycle from);
  u64 hash_so_far();

  u64 hash_ = 0;
  u32 size_ = 0;
  alignas(8) std::array<u8, kMost> bytes_;
};

/// To whom the banks of a source belong and which one is whose turn, as one number.
u64 bank_control(const FpuState& fpu);

/// Immutable once others can find it.
struct KnownTurn {
  enum class Kind : u8 {
    One,
    Several,  // of one that its unit may execute together (Turn::execute_together)
    Vector,
  };
  /// Instructions of one thread that go to their unit one a cycle, without anything between them.
  struct Group {
    Completion (*execute)(Context&);  // One: of its row of the table, as `forgets` is
    u16 first;                        // in `words`
    u8 count;
    u8 cycle;  // of the first, from the turn's beginning
    u8 thread;
    Kind kind;
    Origin origin;
    bool forgets;    // One: it may change what products have kept
    u16 bank_check;  // in `banks`: to whom they belong afterwards; 0: that stays as it was
  };
  /// What a frontend did, in order, for turns that are not executed to their end.
  struct Event {
    enum class Kind : u8 { Refill, Lift, Issue };
    Kind kind;
    u8 thread;
    u8 cycle;
    u32 word;  // Issue
  };
  /// Where a frontend is after the turn.
  struct After {
    bool changed;     // false: it is where it was, and nothing below counts
    u8 taken;         // words out of its queue
    u8 taken_behind;  // and from behind the MOP expander
    bool gate_full;
    bool gate_from_brisc;
    Origin gate_origin;
    ReplayMode replay_mode;
    u8 replay_index;
    u8 replay_left;
    u32 gate_word;
    u32 mask_hi;
    u32 executed;
    MopExpansion mop;
    LatchedWait wait;
    std::array<u8, kBusyUnits> busy;  // cycles from the turn's beginning; 0: as before
    std::unique_ptr<std::array<u32, kReplaySlots>> replay;  // null: as before
  };

  u64 hash = 0;
  std::vector<u8> key;
  bool noted = true;  // false: something in it cannot be; the rest is empty
  std::vector<Group> groups;
  std::vector<u32> words;
  std::vector<u64> banks{0};
  std::vector<Event> events;
  std::array<After, kThreads> after{};
  u32 touched = 0;      // Resources of frontends that change
  bool asleep = false;  // at the end
  const KnownTurn* next = nullptr;
};

/// One filling of the memory. Turns are only added, so it may be searched meanwhile.
class TurnShelf {
 public:
  static constexpr u32 kTurns = 2048;

  TurnShelf();

  const KnownTurn* find(const TurnKey& key) const;
  /// It is worth to be remembered: this is not the first time that it is missed.
  bool is_missed_again(const TurnKey& key);
  /// False: it is full.
  bool add(std::unique_ptr<KnownTurn> turn);

 private:
  static constexpr u32 kBuckets = 4096;
  static u32 bucket_of(u64 hash) { return static_cast<u32>(hash >> 52); }

  std::vector<std::atomic<const KnownTurn*>> buckets_;
  std::vector<std::atomic<u32>> missed_;  // by bucket, a part of the hash
  std::mutex mutex_;
  std::vector<std::unique_ptr<KnownTurn>> turns_;
};

/// Of all tiles of a device. Bounded: when a shelf is full a new one is begun, and the old one goes
/// when the last tile has let go of it. Any thread may ask.
class TurnCache {
 public:
  std::shared_ptr<TurnShelf> shelf();
  /// The one that is full; it is replaced, if nobody has done so.
  void replace(const std::shared_ptr<TurnShelf>& full);

 private:
  std::mutex mutex_;
  std::shared_ptr<TurnShelf> shelf_;
};

class Turn;

/// What a coprocessor remembers of its turns.
class TurnMemory {
 public:
  explicit TurnMemory(std::shared_ptr<TurnCache> cache) : cache_(std::move(cache)) {}

  const TurnCounts& counts() const { return counts_; }

  /// The turn [from, until), from what is known, or by itself. `turn` has just begun.
  void run(Turn& turn, State& state, const Environment& env, Cycle from, Cycle until);

 private:
  /// Where turns differ again and again they are looked for in 32 of 224: a bound that was chosen,
  /// not measured.
  static constexpr u32 kMostMisses = 64;
  static constexpr u32 kPause = 192;

  void missed(const TurnKey& key, Turn& turn, State& state, const Environment& env, Cycle from,
              Cycle until);

  std::shared_ptr<TurnCache> cache_;
  std::shared_ptr<TurnShelf> shelf_;
  u32 misses_ = 0;  // one after the other
  u32 pause_ = 0;   // turns
  TurnCounts counts_;
};

}  // namespace bhemu::tensix::frontend
