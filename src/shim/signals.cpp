#include "shim/signals.hpp"

#include <ucontext.h>

#include "shim/libc.hpp"

namespace bhemu::shim {
namespace {

int real_sigaction(int signal, const struct sigaction* wanted, struct sigaction* old) {
  using Function = int (*)(int, const struct sigaction*, struct sigaction*);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "sigaction"));
  return real(signal, wanted, old);
}

int real_sigmask(int how, const sigset_t* set, sigset_t* old) {
  static const auto real = next<&::pthread_sigmask>("pthread_sigmask");
  return real(how, set, old);
}

}  // namespace

sigset_t without_faults(const sigset_t& set) {
  sigset_t changed = set;
  ::sigdelset(&changed, SIGSEGV);
  return changed;
}

void Signals::install(Handler handler) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (installed_) return;
  struct sigaction ours {};
  ours.sa_sigaction = handler;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigfillset(&ours.sa_mask);
  real_sigaction(SIGSEGV, &ours, &client_);
  installed_ = true;
}

int Signals::action(int signal, const struct sigaction* wanted, struct sigaction* old) {
  struct sigaction changed {};
  if (wanted != nullptr && signal != SIGSEGV) {
    changed = *wanted;
    changed.sa_mask = without_faults(changed.sa_mask);
    wanted = &changed;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (signal != SIGSEGV || !installed_) return real_sigaction(signal, wanted, old);
  const struct sigaction before = client_;
  if (wanted != nullptr) client_ = *wanted;
  if (old != nullptr) *old = before;
  return 0;
}

void Signals::end() {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  real_sigaction(SIGSEGV, &plain, nullptr);
}

void Signals::deliver(siginfo_t* info, void* context) {
  struct sigaction action {};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    action = client_;
    if ((action.sa_flags & SA_RESETHAND) != 0) client_.sa_handler = SIG_DFL;
  }
  // Whoever ignores a fault of an instruction gets the default action too (signal(7)).
  if ((action.sa_flags & SA_SIGINFO) == 0 &&
      (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)) {
    end();
    return;
  }
  sigset_t mask = static_cast<ucontext_t*>(context)->uc_sigmask;
  for (int signal = 1; signal < NSIG; ++signal)
    if (::sigismember(&action.sa_mask, signal) == 1) ::sigaddset(&mask, signal);
  if ((action.sa_flags & SA_NODEFER) == 0) ::sigaddset(&mask, SIGSEGV);
  // The handler may jump out: its mask must be its own from here on.
  real_sigmask(SIG_SETMASK, &mask, nullptr);
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(info->si_signo, info, context);
  else
    action.sa_handler(info->si_signo);
}

}  // namespace bhemu::shim
