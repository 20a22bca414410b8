#include <algorithm>

#include <fmt/format.h>

#include "tensix/footprint/footprint.hpp"
#include "tensix/state.hpp"

namespace bhemu::tensix {
namespace {

/// How many of the latest touches a new one is compared with.
constexpr u32 kLooksBack = 64;

/// True: `old` now says what `added` says, too.
bool join(Touch& old, const Touch& added) {
  if (old.space != added.space || added.begin > old.end() || old.begin > added.end()) return false;
  const bool same_access =
      old.access == added.access || (old.access == Access::ReadWrite && old.mask == added.mask);
  if (!same_access) return false;
  if (old.begin == added.begin && old.size == added.size && old.access == added.access) {
    old.mask |= added.mask;
    return true;
  }
  const bool covers = added.begin >= old.begin && added.end() <= old.end();
  if (covers && (added.mask & ~old.mask) == 0) return true;
  if (old.mask != added.mask || old.access != added.access) return false;
  const u64 end = std::max(old.end(), added.end());
  old.begin = std::min(old.begin, added.begin);
  old.size = static_cast<u32>(end - old.begin);
  return true;
}

}  // namespace

void Touches::keep(const Touch& touch) {
  // Mostly it goes on where the last of its space has ended.
  const u8 latest = last_[static_cast<unsigned>(touch.space)];
  if (latest != kNone && more_.empty() && count_ - latest <= kLooksBack) {
    Touch& before = inside_[latest];
    if (before.end() == touch.begin && before.access == touch.access && before.mask == touch.mask) {
      before.size += touch.size;
      return;
    }
  }
  // Not inline: what it needs of the processor's registers would be saved above, too.
  const auto look_back = [this](const Touch& added) __attribute__((noinline)) {
    if (added.size == 0 || added.mask == 0) return;
    Touch* const all = data();
    const u32 first = count_ > kLooksBack ? count_ - kLooksBack : 0;
    if (count_ < kInside) {
      u8& last = last_[static_cast<unsigned>(added.space)];
      for (u8 i = last; i != kNone && i >= first; i = before_[i])
        if (join(all[i], added)) return;
      before_[count_] = last;
      last = static_cast<u8>(count_);
      inside_[count_++] = added;
      return;
    }
    for (u32 i = count_; i-- > first;)
      if (join(all[i], added)) return;
    if (more_.empty()) more_.assign(inside_.begin(), inside_.end());
    more_.push_back(added);
    ++count_;
  };
  look_back(touch);
}

}  // namespace bhemu::tensix
