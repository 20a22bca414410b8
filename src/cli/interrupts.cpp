#include "cli/interrupts.hpp"

#include <ctime>

namespace bhemu::cli {

Interrupts::Interrupts() {
  ::sigemptyset(&asked_);
  ::sigaddset(&asked_, SIGINT);
  ::sigaddset(&asked_, SIGTERM);
  ::sigaddset(&asked_, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &asked_, &before_);
}

Interrupts::~Interrupts() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Interrupts::next() {
  const timespec now{};
  const int signal = ::sigtimedwait(&asked_, nullptr, &now);
  if (signal == SIGINT || signal == SIGTERM) ended_by_ = signal;
  return signal > 0 ? signal : 0;
}

}  // namespace bhemu::cli
