// SIGINT, SIGTERM and SIGUSR1 while a program runs: they are not handled but asked for, between two
// stretches of the run, so that a report finds the device at rest. SIGTERM is what `timeout` and
// test runners send to a program that takes too long.
#pragma once

#include <csignal>

namespace bhemu::cli {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();  // whatever came meanwhile, and was not asked for, has its usual effect now
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// The next signal that has come: SIGINT, SIGTERM, SIGUSR1, or 0.
  int next();
  /// The exit status of a command that one of the first two has ended, as shells have it.
  int status() const { return 128 + ended_by_; }

 private:
  int ended_by_ = SIGINT;
  sigset_t asked_;
  sigset_t before_;
};

}  // namespace bhemu::cli
