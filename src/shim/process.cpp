#include "shim/process.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

namespace bhemu::shim {
namespace {

thread_local bool inside = false;  // tidy: allow global: belongs to the thread, see Inside

void prepare() {
  Process::instance().before_fork();
}
void parent() {
  Process::instance().after_fork(false);
}
void child() {
  Process::instance().after_fork(true);
}

std::string own_directory() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&on_fault), &info) == 0 || info.dli_fname == nullptr)
    return "";
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

/// The emulator's threads must not run the client's handlers: they inherit this.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &old_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &old_, nullptr); }

 private:
  sigset_t old_{};
};

}  // namespace

// --- Descriptors.

std::shared_ptr<OpenFile> Descriptors::find(int descriptor) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const auto found = files_.find(descriptor);
  return found == files_.end() ? nullptr : found->second;
}

void Descriptors::add(int descriptor, std::shared_ptr<OpenFile> file) {
  std::shared_ptr<OpenFile> old;
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  old = std::exchange(files_[descriptor], std::move(file));
}

void Descriptors::remove(int first, int last) {
  std::vector<std::shared_ptr<OpenFile>> gone;
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  for (auto at = files_.lower_bound(first); at != files_.end() && at->first <= last;) {
    gone.push_back(std::move(at->second));
    at = files_.erase(at);
  }
}

void Descriptors::duplicate(int from, int to) {
  if (from == to || to < 0) return;
  if (std::shared_ptr<OpenFile> file = find(from))
    add(to, std::move(file));
  else
    remove(to, to);
}

// --- Process.

Process::Inside::Inside() : was_(inside) {
  inside = true;
}

Process::Inside::~Inside() {
  inside = was_;
}

Process::Process() : owner_(::getpid()) {
  ::pthread_atfork(prepare, parent, child);
}

Process& Process::instance() {
  // Never destroyed: other threads may still call when the process ends.
  static Process& one = *new Process;  // tidy: allow global: one C library, one of us
  return one;
}

bool Process::serves() const {
  return !inside && ::getpid() == owner_.load();
}

Card* Process::card() {
  if (abandoned_.load()) {
    if (!failed_.exchange(true))
      std::fprintf(stderr,
                   "bhemu shim: this process was forked from the one that runs the card, and "
                   "cannot reach it; programs that it executes get cards of their own\n");
    return nullptr;
  }
  if (Card* card = card_.load()) return card;
  const std::lock_guard<std::mutex> lock(making_);
  if (card_.load() == nullptr && !failed_.load()) card_.store(make());
  return card_.load();
}

Card* Process::make() {
  const Inside guard;
  const NoSignals quiet;
  try {
    const std::array<std::string, 1> beside = {own_directory()};
    Card* card = new Card(kmd::LiveCard::settings_from_environment(beside), abandoned_);
    signals_.install(on_fault);
    // How the card ends a process that can never go on.
    ::at_quick_exit([] { Process::instance().clean_up(); });
    return card;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bhemu shim: there is no card: %s\n", error.what());
    failed_.store(true);
    return nullptr;
  }
}

void Process::before_fork() {
  making_.lock();
  signals_.mutex().lock();
  descriptors_.lock();
  if (Card* card = card_.load()) {
    card->windows.lock();
    card->native.mutex().lock();
  }
}

void Process::after_fork(bool child) {
  Card* card = card_.load();
  if (card != nullptr) card->native.mutex().unlock();
  if (child) {
    owner_.store(::getpid());
    abandoned_.store(abandoned_.load() || card != nullptr);
    if (card != nullptr) card->windows.abandon();
    descriptors_.unlock_in_child();
  } else {
    if (card != nullptr) card->windows.unlock();
    descriptors_.unlock();
  }
  signals_.mutex().unlock();
  making_.unlock();
}

void Process::clean_up() {
  if (!serves() || abandoned()) return;
  const Inside guard;
  if (Card* card = card_.load()) card->tree.remove();
}

}  // namespace bhemu::shim
