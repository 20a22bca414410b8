#include "kmd/standstill.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace bhemu::kmd {
namespace {

constexpr unsigned kLeastAsking = 10;

}  // namespace

Standstill::Verdict Standstill::tick(const Look& look) {
  const bool called = look.calls != last_.calls;
  const bool wrote = look.writes != last_.writes;
  last_ = look;
  silent_ = called ? 0 : silent_ + 1;
  faulted_ = look.faulted ? faulted_ + 1 : 0;
  if (look.faulted)
    return std::min(silent_, faulted_) == kLongFault * patience_ ? Verdict::End : Verdict::None;
  moving_ = look.hung ? 0 : moving_ + 1;
  if (wrote || moving_ > kMostMoving) {
    hung_ = asking_ = 0;
    told_ = false;
  }
  if (hung_ == 0 && !look.hung) return Verdict::None;
  ++hung_;
  if (called) ++asking_;
  return of_hang(std::min(silent_, hung_));
}

/// `silence`: ticks without a call while the card has hung.
Standstill::Verdict Standstill::of_hang(unsigned silence) {
  if (silence == kLongHang * patience_) return Verdict::End;
  if (told_ || hung_ < patience_) return Verdict::None;
  const bool says = silence >= patience_;
  told_ = says || asking_ >= kLeastAsking;
  if (!told_) return Verdict::None;
  return says ? Verdict::Say : Verdict::Tell;
}

Ticker::Ticker(std::function<void()> tick) : tick_(std::move(tick)), thread_([this] { serve(); }) {}

Ticker::~Ticker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    quit_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Ticker::serve() {
  constexpr std::chrono::milliseconds kTick{1000 / kTicksPerSecond};
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, kTick, [this] { return quit_; })) {
    lock.unlock();
    tick_();
    lock.lock();
  }
}

}  // namespace bhemu::kmd
