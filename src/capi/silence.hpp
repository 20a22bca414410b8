// Notices a client that waits without calling: it looks at its own memory, which the card is to
// write, and would wait for ever if time passed in its calls only (tt-metal's fast dispatch reads
// its completion queue like this).
//
// What counts is a stretch of time without a call while the card has something to do. It is counted
// in ticks of a thread of its own, so a process that is stopped, or a machine that sleeps, adds
// nothing. Where the card has reached into host memory before, a short stretch is enough; otherwise
// the client may just be busy with something else while a kernel runs, so a long one is asked for.
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
    std::function<void()> free_running;  // called once, at the end; the thread ends with it
  };
  explicit SilenceWatch(Client client);
  ~SilenceWatch();
  SilenceWatch(const SilenceWatch&) = delete;
  SilenceWatch& operator=(const SilenceWatch&) = delete;

  /// At the end of each call.
  void called() {
    calls_.fetch_add(1);
    if (sleeps_.load()) wake();
  }

 private:
  void watch();
  bool sleep_until_called(u64 seen);
  void wake();

  const Client client_;
  std::atomic<u64> calls_{0};
  std::atomic<bool> sleeps_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace bhemu::capi
