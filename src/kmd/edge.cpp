#include "kmd/edge.hpp"

#include <algorithm>

namespace bhemu::kmd {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

// How long a host that has just been served is expected to come back: about as long as a trapped
// access or a call from an interpreter takes.
constexpr nanoseconds kLinger = nanoseconds(1500);
constexpr microseconds kLeastShare = microseconds(5);
constexpr microseconds kMostShare = microseconds(50);
// How long a waiting thread spins before it sleeps. Yielding the processor in between would cost a
// whole time slice of the other processes on a busy host.
constexpr microseconds kLook = microseconds(15);
constexpr unsigned kMostOffers = 8;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void Edge::wait_while(int state) {
  const Clock::time_point began = Clock::now();
  while (state_.load(std::memory_order_acquire) == state) {
    if (Clock::now() - began < kLook)
      relax();
    else
      state_.wait(state, std::memory_order_acquire);
  }
}

void Edge::enter() {
  hosts_.lock();
  for (;;) {
    for (const int open : {kFree, kOffered}) {
      int state = open;
      if (state_.compare_exchange_strong(state, kHost)) return;
    }
    int running = kRunning;
    if (state_.compare_exchange_strong(running, kAsked)) wait_while(kAsked);
  }
}

void Edge::leave() {
  // A runner that has waited long enough goes next, whoever else queues.
  state_.store(runner_waits_.load() ? kRunning : kFree);
  state_.notify_all();
  hosts_.unlock();
}

/// The client's thread that asked may be asleep, and on a busy host wake late. The device goes on
/// meanwhile, but not for ever: after kMostOffers offers in vain it waits.
bool Edge::takes_back() {
  const Clock::time_point began = Clock::now();
  while (state_.load(std::memory_order_acquire) == kOffered) {
    if (Clock::now() - began < kLook) {
      relax();
      continue;
    }
    int offered = kOffered;
    if (refused_ < kMostOffers && state_.compare_exchange_strong(offered, kRunning)) {
      ++refused_;
      return true;
    }
    wait_while(kOffered);
  }
  refused_ = 0;
  return false;
}

void Edge::begin_run() {
  const Clock::time_point began = Clock::now();
  if (takes_back()) {
    run_began_ = Clock::now();
    hosts_took_ = Clock::duration::zero();
    return;
  }
  const Clock::duration share = std::clamp<Clock::duration>(run_took_, kLeastShare, kMostShare);
  Clock::time_point last_host = Clock::now();
  // While no client thread is inside, none has asked for the edge since the last one left.
  for (Clock::time_point now = last_host; now - began < share; now = Clock::now()) {
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
  state_.store(kOffered);
  state_.notify_all();
}

bool Edge::wanted() {
  return state_.load(std::memory_order_acquire) == kAsked &&
         Clock::now() - run_began_ >= hosts_took_;
}

}  // namespace bhemu::kmd
