#include "debug/profile/timeline.hpp"

#include <algorithm>

namespace bhemu::debug {

void Timeline::fold() {
  for (std::size_t i = 0; i < stretches_.size(); i += 2) {
    Stretch sum = stretches_[i];
    if (i + 1 < stretches_.size())
      for (unsigned s = 0; s < kSpents; ++s) sum[s] += stretches_[i + 1][s];
    stretches_[i / 2] = sum;
  }
  stretches_.resize((stretches_.size() + 1) / 2);
  width_ *= 2;
}

void Timeline::widen(Cycle width) {
  while (width_ < width) fold();
}

void Timeline::add(Cycle from, Cycle to, Spent spent, Spent was) {
  from = std::max(from, begin_);
  if (to <= from) return;
  while ((to - begin_ - 1) / width_ >= kMost) fold();
  const std::size_t last = (to - begin_ - 1) / width_;
  if (stretches_.size() <= last) stretches_.resize(last + 1);
  for (Cycle at = from - begin_; at < to - begin_;) {
    Stretch& stretch = stretches_[at / width_];
    const Cycle end = std::min((at / width_ + 1) * width_, to - begin_);
    const u32 cycles = static_cast<u32>(end - at);
    stretch[static_cast<unsigned>(spent)] += cycles;
    u32& before = stretch[static_cast<unsigned>(was)];
    if (was != Spent::Idle) before -= std::min(before, cycles);
    at = end;
  }
}

}  // namespace bhemu::debug
