// Notices a client that waits without calling: it looks at its own memory, which the card is to
// write, and would wait for ever if time passed in its calls only (tt-metal's fast dispatch reads
// its completion queue like this).
//
// What counts is a stretch of time without a call while the card has something to do. It is counted
// in ticks of a thread of its own, so a process that is stopped, or a machine that sleeps, adds
// nothing. Where the card has reached into host memory before, a short stretch is enough for good.
// Otherwise the client may just be busy, for instance compiling: then, after a longer stretch, the
// card is run until it has nothing to do or the client calls, and only a card that reaches into
// host memory meanwhile is set free.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/types.hpp"

namespace bhemu::capi {

class SilenceWatch {
 public:
  struct Client {
    std::function<bool()> has_work;      // the card would do something if it had time
    std::function<bool()> shares;        // the card has reached into the client's memory
    std::function<bool()> run_a_little;  // false: it cannot go on
    std::function<void()> set_free;      // called once, at the end; the thread ends with it
  };
  /// `patience`: ticks (milliseconds) without a call after which a card that has not reached into
  /// host memory is run.
  SilenceWatch(Client client, unsigned patience);
  ~SilenceWatch();
  SilenceWatch(const SilenceWatch&) = delete;
  SilenceWatch& operator=(const SilenceWatch&) = delete;

  /// At the end of each call.
  void called() {
    calls_.fetch_add(1);
    if (sleeps_.load()) wake();
  }
  /// The same without a barrier: the watch makes it for both before it sleeps. Not while another
  /// thread is in here.
  void called_quickly() {
    calls_.store(calls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (sleeps_.load(std::memory_order_relaxed)) wake();
  }

 private:
  void watch();
  bool is_over(u64 seen, unsigned& quiet);
  bool run_until_called(u64 seen);
  bool sleep_until_called(u64 seen);
  void wake();

  const Client client_;
  const unsigned patience_;
  std::atomic<u64> calls_{0};
  std::atomic<bool> sleeps_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace bhemu::capi
