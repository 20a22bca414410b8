#include "kmd/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace bhemu::kmd {
namespace {

/// What a handler may touch. Signals are the process's, so this is, too.
struct Desk {
  std::atomic<int> write_end{-1};
  std::atomic<pid_t> owner{0};
};
Desk& desk() {
  static Desk instance;  // tidy: allow global: a handler has no object
  return instance;
}

void set_default(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
}

void came(int signal) {
  const int saved = errno;
  if (getpid() != desk().owner.load()) {
    set_default(signal);
    raise(signal);
  } else {
    const auto byte = static_cast<unsigned char>(signal);
    [[maybe_unused]] const ssize_t written = write(desk().write_end.load(), &byte, 1);
  }
  errno = saved;
}

bool is_ours(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == came;
}

}  // namespace

SignalDesk::SignalDesk(std::function<void()> report) : report_(std::move(report)) {
  sigemptyset(&taken_);
  pid_t nobody = 0;
  const pid_t us = getpid();
  // A desk that a parent left to its child has no thread there.
  if (!desk().owner.compare_exchange_strong(nobody, us) && nobody == us) return;
  desk().owner.store(us);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    desk().owner.store(0);
    return;
  }
  read_end_ = ends[0];
  write_end_ = ends[1];
  // A handler must not block when the pipe is full.
  fcntl(write_end_, F_SETFL, O_NONBLOCK);
  desk().write_end.store(write_end_);
  thread_ = std::thread([this] { serve(); });
  take(SIGUSR1);
  take(SIGINT);
}

SignalDesk::~SignalDesk() {
  if (read_end_ < 0) return;
  give_back(SIGUSR1);
  give_back(SIGINT);
  const unsigned char end = 0;
  while (write(write_end_, &end, 1) < 0 && (errno == EAGAIN || errno == EINTR)) {
  }
  thread_.join();
  desk().write_end.store(-1);
  desk().owner.store(0);
  close(read_end_);
  close(write_end_);
}

void SignalDesk::take(int signal) {
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) != 0 || (before.sa_flags & SA_SIGINFO) != 0 ||
      before.sa_handler != SIG_DFL)
    return;
  struct sigaction action {};
  action.sa_handler = came;
  sigemptyset(&action.sa_mask);
  // A second Ctrl-C ends the process at once, report or not.
  action.sa_flags = SA_RESTART | (signal == SIGINT ? SA_RESETHAND : 0);
  if (sigaction(signal, &action, nullptr) == 0) sigaddset(&taken_, signal);
}

void SignalDesk::give_back(int signal) {
  if (sigismember(&taken_, signal) == 1 && is_ours(signal)) set_default(signal);
}

void SignalDesk::serve() {
  // Signals go to the client's own threads, as they would without this one.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  unsigned char signal = 0;
  for (;;) {
    const ssize_t got = read(read_end_, &signal, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1 || signal == 0) return;
    report_();
    if (signal == SIGINT) kill(getpid(), SIGINT);
  }
}

}  // namespace bhemu::kmd
