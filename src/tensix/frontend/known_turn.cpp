#include "tensix/frontend/known_turn.hpp"

#include <cstddef>
#include <cstring>

#include "tensix/frontend/turn.hpp"
#include "tensix/frontend/turn_recorder.hpp"
#include "tensix/sfpu/schedule.hpp"

namespace bhemu::tensix::frontend {
namespace {

/// What of a frontend decides and changes from turn to turn, but for its queue. Compared byte by
/// byte.
struct ThreadKey {
  MopPhase mop_phase;
  u8 mop_step;
  u16 mop_outer;
  u32 mop_inner;
  u32 gate_word;
  LatchedWait wait;
  ReplayMode replay_mode;
  u8 replay_index;
  u8 replay_left;
  bool gate_full;
  bool gate_from_brisc;
  Origin gate_origin;
  u8 queued;
  u8 ready;    // words of the queue that were pushed before the turn
  u32 behind;  // words behind the MOP expander
};
/// What expanders make words of: it is large and seldom changes, so it is not hashed. In a frontend
/// it lies in one piece.
constexpr u32 kExpanders = offsetof(Frontend, replay);
constexpr u32 kExpanderBytes = offsetof(Frontend, replay_mode) - kExpanders;
static_assert(kExpanderBytes == sizeof(Frontend::mop_config) + sizeof(Frontend::mask_hi) +
                                    sizeof(Frontend::mop) + sizeof(Frontend::replay));
constexpr u32 kBehind = 16;
static_assert(
    std::is_same_v<decltype(Frontend::behind_mop), Ring<QueuedWord, kBehind, RingPlaces::First>>);
/// What else decides.
struct SharedKey {
  std::array<Semaphore, kSemaphores> semaphore;
  std::array<u8, kMutexes> mutex;
  u64 banks;
  u64 length;
};
static_assert(std::has_unique_object_representations_v<MopExpansion> &&
              std::has_unique_object_representations_v<ThreadKey> &&
              std::has_unique_object_representations_v<SharedKey>);

/// The state is one of those that a key describes whole, and a turn can be told of beforehand.
bool is_usual(const State& state, const Environment& env, Cycle from) {
  if (state.soft_reset != 0 || sfpu::schedule_in_use(state) || state.thcon.occupied_by != 0 ||
      state.mover.busy_until > from ||
      (env.wakeup != nullptr && (env.wakeup->watched & mask_of(Resource::Dst)) != 0))
    return false;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const Frontend& frontend = state.frontend[thread];
    if (frontend.stopped || frontend.wait.kind == WaitKind::Streamwait ||
        !frontend.brisc_fifo.empty() || state.quiet_from[thread] > from ||
        state.late.pending_stores[thread] != 0)
      return false;
  }
  return true;
}

u8 count_ready(const decltype(Frontend::fifo)& fifo, Cycle from) {
  u32 count = fifo.size();
  while (count != 0 && fifo[count - 1].pushed >= from) --count;
  return static_cast<u8>(count);
}

}  // namespace

u64 bank_control(const FpuState& fpu) {
  const auto of = [](const SrcFile& file) {
    return u32{static_cast<u8>(file.owner[0])} | u32{static_cast<u8>(file.owner[1])} << 8 |
           u32{file.unpack_bank} << 16 | u32{file.matrix_bank} << 24;
  };
  return u64{of(fpu.src_a)} << 32 | of(fpu.src_b);
}

inline void TurnKey::add(const void* part, u32 size) {
  std::memcpy(&bytes_[size_], part, size);
  size_ += size;
}

inline void TurnKey::add_queue(const decltype(Frontend::fifo)& fifo, u32 ready, Cycle from) {
  u8* out = &bytes_[size_];
  for (const std::span<const QueuedWord> piece : fifo.pieces())
    for (const QueuedWord& queued : piece) {
      std::memcpy(out, &queued.word, sizeof(u32));
      out += sizeof(u32);
    }
  // Words that are pushed within the turn come when their time has come.
  for (const std::span<const QueuedWord> piece : fifo.pieces()) {
    const u32 known = std::min(ready, static_cast<u32>(piece.size()));
    for (const QueuedWord& queued : piece.subspan(known))
      *out++ = static_cast<u8>(std::min<Cycle>(queued.pushed - from, kLongest));
    ready -= known;
  }
  size_ = static_cast<u32>(out - bytes_.data());
}

/// Of what has been added so far, filled up to a multiple of 16 bytes.
inline u64 TurnKey::hash_so_far() {
  std::memset(&bytes_[size_], 0, 16);
  size_ = (size_ + 15) & ~15u;
  constexpr u64 kFactor = 0x9E3779B97F4A7C15;
  u64 even = size_;
  u64 odd = 0;
  for (u32 at = 0; at < size_; at += 16) {
    u64 word[2];
    std::memcpy(word, &bytes_[at], sizeof word);
    even = (even + word[0]) * kFactor;
    odd = (odd + word[1]) * kFactor;
  }
  return (even ^ odd >> 32) * kFactor;
}

bool TurnKey::describe(const State& state, const Environment& env, Cycle from, Cycle until) {
  if (until - from > kLongest || !is_usual(state, env, from)) return false;
  static_assert(sizeof(SharedKey) + 16 +
                    kThreads *
                        (sizeof(ThreadKey) + kExpanderBytes + 5 * kFifoDepth + 8 * kBehind) <=
                kMost);
  size_ = 0;
  const SharedKey shared{state.sync.semaphore, state.sync.mutex, bank_control(state.fpu),
                         until - from};
  add(&shared, sizeof shared);
  for (const Frontend& frontend : state.frontend) {
    const u8 ready = count_ready(frontend.fifo, from);
    const ThreadKey thread{frontend.mop.phase,
                           frontend.mop.step,
                           frontend.mop.outer,
                           frontend.mop.inner,
                           frontend.gate_word,
                           frontend.wait,
                           frontend.replay_mode,
                           frontend.replay_index,
                           frontend.replay_left,
                           frontend.gate_full,
                           frontend.gate_from_brisc,
                           frontend.gate_origin,
                           static_cast<u8>(frontend.fifo.size()),
                           ready,
                           frontend.behind_mop.size()};
    add(&thread, sizeof thread);
    for (u32 i = 0; i < thread.behind; ++i) {
      const QueuedWord& queued = frontend.behind_mop[i];
      add(&queued.word, sizeof queued.word);
      add(&queued.ends, sizeof queued.ends);
    }
    add_queue(frontend.fifo, ready, from);
  }
  hash_ = hash_so_far();
  for (const Frontend& frontend : state.frontend)
    add(reinterpret_cast<const u8*>(&frontend) + kExpanders, kExpanderBytes);
  return true;
}

TurnShelf::TurnShelf() : buckets_(kBuckets), missed_(kBuckets) {}

const KnownTurn* TurnShelf::find(const TurnKey& key) const {
  const KnownTurn* turn = buckets_[bucket_of(key.hash())].load(std::memory_order_acquire);
  for (; turn != nullptr; turn = turn->next)
    if (turn->hash == key.hash() && turn->key.size() == key.size() &&
        std::memcmp(turn->key.data(), key.data(), key.size()) == 0)
      return turn;
  return nullptr;
}

bool TurnShelf::is_missed_again(const TurnKey& key) {
  const u32 part = static_cast<u32>(key.hash());
  return missed_[bucket_of(key.hash())].exchange(part, std::memory_order_relaxed) == part;
}

bool TurnShelf::add(std::unique_ptr<KnownTurn> turn) {
  const std::lock_guard lock(mutex_);
  if (turns_.size() == kTurns) return false;
  std::atomic<const KnownTurn*>& bucket = buckets_[bucket_of(turn->hash)];
  turn->next = bucket.load(std::memory_order_relaxed);
  bucket.store(turn.get(), std::memory_order_release);
  turns_.push_back(std::move(turn));
  return true;
}

std::shared_ptr<TurnShelf> TurnCache::shelf() {
  const std::lock_guard lock(mutex_);
  if (shelf_ == nullptr) shelf_ = std::make_shared<TurnShelf>();
  return shelf_;
}

void TurnCache::replace(const std::shared_ptr<TurnShelf>& full) {
  const std::lock_guard lock(mutex_);
  if (shelf_ == full) shelf_ = std::make_shared<TurnShelf>();
}

void TurnMemory::run(Turn& turn, State& state, const Environment& env, Cycle from, Cycle until) {
  ++counts_.executed;
  if (pause_ != 0) {
    --pause_;
    return turn.run(from, until);
  }
  TurnKey key;
  if (!key.describe(state, env, from, until)) return turn.run(from, until);
  if (shelf_ == nullptr) shelf_ = cache_->shelf();
  if (const KnownTurn* known = shelf_->find(key); known != nullptr) {
    misses_ = 0;
    if (!known->noted) return turn.run(from, until);
    ++counts_.known;
    counts_.departed += turn.run_known(*known, from, until) ? 0 : 1;
    return;
  }
  missed(key, turn, state, env, from, until);
}

[[gnu::cold]] void TurnMemory::missed(const TurnKey& key, Turn& turn, State& state,
                                      const Environment& env, Cycle from, Cycle until) {
  if (++misses_ == kMostMisses) {
    misses_ = kMostMisses / 2;
    pause_ = kPause;
  }
  if (!shelf_->is_missed_again(key)) return turn.run(from, until);
  TurnRecorder recorder(turn, state, env, key, from);
  recorder.run(until);
  if (shelf_->add(recorder.take(until))) return;
  cache_->replace(shelf_);
  shelf_ = cache_->shelf();
}

}  // namespace bhemu::tensix::frontend
