// SIGINT and SIGUSR1 while a program runs: they are not handled but asked for, between two
// stretches of the run, so that a report finds the device at rest.
#pragma once

#include <csignal>

namespace bhemu::cli {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();  // whatever came meanwhile, and was not asked for, has its usual effect now
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// The next signal that has come: SIGINT, SIGUSR1, or 0.
  int next();

 private:
  sigset_t asked_;
  sigset_t before_;
};

/// The exit status of a command that SIGINT ended, as shells have it.
inline constexpr int kInterrupted = 130;

}  // namespace bhemu::cli
