#include "capi/silence.hpp"

#include <chrono>

namespace bhemu::capi {
namespace {

constexpr std::chrono::milliseconds kTick{1};
constexpr unsigned kTicksShared = 5;  // the card reaches into the client's memory
constexpr unsigned kTicksUnshared = 100;

}  // namespace

SilenceWatch::SilenceWatch(Client client)
    : client_(std::move(client)), thread_([this] { watch(); }) {}

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
  // A call that came before this has not woken anybody, but its number tells.
  changed_.wait(lock, [&] { return quit_ || !sleeps_.load() || calls_.load() != seen; });
  sleeps_.store(false);
  return !quit_;
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
      continue;
    }
    if (!client_.has_work()) {
      quiet = 0;
      if (!sleep_until_called(seen)) return;
      continue;
    }
    if (++quiet < (client_.shares() ? kTicksShared : kTicksUnshared)) continue;
    client_.free_running();
    return;
  }
}

}  // namespace bhemu::capi
