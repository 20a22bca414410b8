#include "kmd/edge.hpp"

#include <algorithm>
#include <thread>

namespace bhemu::kmd {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

// How long a host that has just been served is expected to come back: about as long as a trapped
// access or a call from an interpreter takes.
constexpr nanoseconds kLinger = nanoseconds(1500);
constexpr microseconds kLeastShare = microseconds(5);
constexpr microseconds kMostShare = microseconds(50);
// Looks before a waiting thread gives its processor away, and before it sleeps.
constexpr int kLooks = 2000;
constexpr int kYields = 20;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void Edge::wait_while(int state) {
  for (int look = 0; state_.load(std::memory_order_acquire) == state; ++look) {
    if (look < kLooks) {
      relax();
    } else if (look < kLooks + kYields) {
      std::this_thread::yield();
    } else {
      state_.wait(state, std::memory_order_acquire);
    }
  }
}

void Edge::enter() {
  hosts_.lock();
  for (;;) {
    int free = kFree;
    if (state_.compare_exchange_strong(free, kHost)) return;
    int running = kRunning;
    if (state_.compare_exchange_strong(running, kAsked)) {
      wait_while(kAsked);  // until the runner hands over
      return;
    }
  }
}

void Edge::leave() {
  // A runner that has waited long enough goes next, whoever else queues.
  state_.store(runner_waits_.load() ? kRunning : kFree);
  state_.notify_all();
  hosts_.unlock();
}

void Edge::begin_run() {
  const Clock::time_point began = Clock::now();
  const Clock::duration share = std::clamp<Clock::duration>(run_took_, kLeastShare, kMostShare);
  Clock::time_point last_host = began;
  // Without a host inside, nobody has asked for the edge since the last one left.
  for (Clock::time_point now = began; now - began < share; now = Clock::now()) {
    if (state_.load() == kHost) last_host = now;
    if (now - last_host > kLinger || run_took_ == Clock::duration::zero()) break;
    relax();
  }
  runner_waits_.store(true);
  for (;;) {
    int state = kFree;
    if (state_.compare_exchange_strong(state, kRunning)) break;
    if (state != kHost) break;  // handed over, and perhaps asked for again already
    wait_while(kHost);
  }
  runner_waits_.store(false);
  run_began_ = Clock::now();
  hosts_took_ = std::min<Clock::duration>(run_began_ - began, kMostShare);
}

void Edge::end_run() {
  run_took_ = Clock::duration::zero();  // nobody is expected
  int running = kRunning;
  if (state_.compare_exchange_strong(running, kFree)) return;
  run_took_ = Clock::now() - run_began_;
  state_.store(kHost);
  state_.notify_all();
}

bool Edge::wanted() {
  return state_.load(std::memory_order_acquire) == kAsked &&
         Clock::now() - run_began_ >= hosts_took_;
}

}  // namespace bhemu::kmd
