// In front of the C library: SIGSEGV, and the end of the process.
#include <signal.h>

#include <cerrno>

#include "shim/libc.hpp"
#include "shim/process.hpp"

using namespace bhemu::shim;  // NOLINT: the functions below are global by nature

namespace {

sighandler_t install(int signal, sighandler_t handler, int flags) {
  struct sigaction wanted {};
  struct sigaction old {};
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  if (Process::instance().signals().action(signal, &wanted, &old) != 0) return SIG_ERR;
  return old.sa_handler;
}

template <class Real>
int change_mask(Real real, int how, const sigset_t* set, sigset_t* old) {
  if (set == nullptr || how == SIG_UNBLOCK) return real(how, set, old);
  const sigset_t changed = without_faults(*set);
  return real(how, &changed, old);
}

__attribute__((destructor)) void at_exit() {
  Process::instance().clean_up();
}

}  // namespace

extern "C" {

int sigaction(int signal, const struct sigaction* wanted, struct sigaction* old) noexcept {
  return Process::instance().signals().action(signal, wanted, old);
}
sighandler_t signal(int signal, sighandler_t handler) noexcept {
  return install(signal, handler, SA_RESTART);
}
sighandler_t bsd_signal(int signal, sighandler_t handler) noexcept {
  return install(signal, handler, SA_RESTART);
}
sighandler_t sysv_signal(int signal, sighandler_t handler) noexcept {
  return install(signal, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}
sighandler_t __sysv_signal(int signal, sighandler_t handler) noexcept {
  return install(signal, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}
int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  static const auto real = next<&::sigprocmask>("sigprocmask");
  return change_mask(real, how, set, old);
}
int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  static const auto real = next<&::pthread_sigmask>("pthread_sigmask");
  return change_mask(real, how, set, old);
}

}  // extern "C"
