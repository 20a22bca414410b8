// Who may touch the device: the thread that runs it, or a host's thread that has come to the edge
// of an epoch. They take turns fairly: after a run, hosts get about as long as the run took; after
// hosts, the run gets at least as long as they took.
//
// A wait is first a loop that looks, since a turn is usually microseconds, then a sleep.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "base/types.hpp"

namespace bhemu::kmd {

class Edge {
 public:
  using Clock = std::chrono::steady_clock;

  /// Hosts, from any thread.
  void enter();
  void leave();

  /// The runner. begin_run() waits until hosts are done, or have had their share.
  void begin_run();
  void end_run();
  /// Asked by the runner at every edge: a host waits, and the runner has had its share.
  bool wanted();

 private:
  enum : int {
    kFree,
    kRunning,
    kAsked,    // running, and a host waits
    kOffered,  // nobody inside: the host that waits may come
    kHost,
  };
  void wait_while(int state);
  bool takes_back();

  std::mutex hosts_;  // one host at a time
  std::atomic<int> state_{kFree};
  std::atomic<bool> runner_waits_{false};
  Clock::time_point run_began_{};
  Clock::duration run_took_{};
  Clock::duration hosts_took_{};
  unsigned refused_ = 0;  // offers in a row that nobody took
};

}  // namespace bhemu::kmd
