// A mutex that costs one thread, the first that ever takes it, next to nothing: it gets in by a
// plain store. Whoever else wants the mutex shuts that door and makes every thread of the process
// pass a barrier (membarrier(2)), after which it sees whether the first one is inside, and that one
// sees that the door is shut. It opens again when the first one has taken the mutex as others do.
#pragma once

#include <atomic>
#include <mutex>

namespace bhemu::capi {

/// Orders the memory accesses of all threads of this process; false where the host cannot.
bool barrier_for_all_threads();

class BiasedMutex {
 public:
  BiasedMutex();

  /// The quick way in; false: use lock().
  bool enter() {
    // Nobody but the first thread writes `inside_`.
    if (first_.load(std::memory_order_relaxed) != self()) return false;
    inside_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (open_.load(std::memory_order_relaxed)) return true;
    leave();
    return false;
  }
  void leave() { inside_.store(false, std::memory_order_release); }

  /// Leaves at its end, after enter().
  class Inside {
   public:
    explicit Inside(BiasedMutex& mutex) : mutex_(mutex) {}
    ~Inside() { mutex_.leave(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    BiasedMutex& mutex_;
  };

  void lock();
  void unlock() {
    if (first_.load(std::memory_order_relaxed) == self())
      open_.store(true, std::memory_order_relaxed);
    mutex_.unlock();
  }

 private:
  static const void* self() { return __builtin_thread_pointer(); }

  std::mutex mutex_;
  std::atomic<const void*> first_{nullptr};
  std::atomic<bool> open_{false};  // not while the mutex is held
  std::atomic<bool> inside_{false};
  bool quick_;  // the host has the barrier
};

}  // namespace bhemu::capi
