#include "capi/silence.hpp"

#include <chrono>

#include "capi/biased_mutex.hpp"

namespace bhemu::capi {
namespace {

constexpr std::chrono::milliseconds kTick{1};
constexpr unsigned kTicksShared = 5;  // the card reaches into the client's memory

}  // namespace

SilenceWatch::SilenceWatch(Client client, unsigned patience)
    : client_(std::move(client)), patience_(patience), thread_([this] { watch(); }) {}

SilenceWatch::~SilenceWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    quit_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SilenceWatch::wake() {
  const std::lock_guard<std::mutex> lock(mutex_);
  sleeps_.store(false);
  changed_.notify_one();
}

/// False: the watch is over.
bool SilenceWatch::sleep_until_called(u64 seen) {
  std::unique_lock<std::mutex> lock(mutex_);
  sleeps_.store(true);
  barrier_for_all_threads();
  // A call that came before this has not woken anybody, but its number tells.
  changed_.wait(lock, [&] { return quit_ || !sleeps_.load() || calls_.load() != seen; });
  sleeps_.store(false);
  return !quit_;
}

/// True: the card has reached into host memory.
bool SilenceWatch::run_until_called(u64 seen) {
  while (calls_.load() == seen && client_.run_a_little()) {
    if (client_.shares()) return true;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (quit_) return false;
  }
  return client_.shares();
}

/// A tick without a call. True: the card has been set free, or the watch is at its end.
bool SilenceWatch::is_over(u64 seen, unsigned& quiet) {
  if (!client_.has_work()) {
    quiet = 0;
    return !sleep_until_called(seen);
  }
  const bool shares = client_.shares();
  if (++quiet < (shares ? kTicksShared : patience_)) return false;
  quiet = 0;
  if (shares || run_until_called(seen)) {
    client_.set_free();
    return true;
  }
  return !sleep_until_called(seen);
}

void SilenceWatch::watch() {
  u64 seen = ~u64{0};
  unsigned quiet = 0;
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (changed_.wait_for(lock, kTick, [this] { return quit_; })) return;
    }
    if (const u64 calls = calls_.load(); calls != seen) {
      seen = calls;
      quiet = 0;
    } else if (is_over(seen, quiet)) {
      return;
    }
  }
}

}  // namespace bhemu::capi
