// SIGSEGV is ours once there are windows; what the client installs for it is kept here and gets
// every fault that is none of ours.
#pragma once

#include <signal.h>

#include <mutex>

namespace bhemu::shim {

class Signals {
 public:
  using Handler = void (*)(int, siginfo_t*, void*);

  /// Takes SIGSEGV. The thread may have blocked it; it must not stay so.
  void install(Handler handler);
  bool installed() const { return installed_; }

  /// sigaction(2) of the client's.
  int action(int signal, const struct sigaction* wanted, struct sigaction* old);
  /// The client's handler, or the default action, for a fault of its own.
  void deliver(siginfo_t* info, void* context);
  /// The default action, as soon as the fault happens again: the process ends.
  void end();

  // Around fork(2).
  std::mutex& mutex() { return mutex_; }

 private:
  std::mutex mutex_;
  struct sigaction client_ {};
  bool installed_ = false;
};

/// `set` without SIGSEGV, which would end the process at the first access to a register.
sigset_t without_faults(const sigset_t& set);

}  // namespace bhemu::shim
