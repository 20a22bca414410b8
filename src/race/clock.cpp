#include "race/clock.hpp"

#include <algorithm>

namespace bhemu::race {

u32 Clock::base_at(const Base* base, u16 tile, Component component) {
  if (base == nullptr) return 0;
  const auto at =
      std::lower_bound(base->begin(), base->end(), tile,
                       [](const TileTimes& one, u16 wanted) { return one.tile < wanted; });
  if (at == base->end() || at->tile != tile) return 0;
  return component < at->times->size() ? (*at->times)[component] : 0;
}

u32 Clock::at(u16 tile, Component component) const {
  for (unsigned i = 0; i < used_; ++i)
    if (recent_[i].component == component && recent_[i].tile == tile) return recent_[i].time;
  return base_at(base_.get(), tile, component);
}

void Clock::raise(Epoch upto) {
  for (unsigned i = 0; i < used_; ++i) {
    Epoch& one = recent_[i];
    if (one.component != upto.component || one.tile != upto.tile) continue;
    one.time = std::max(one.time, upto.time);
    return;
  }
  if (base_at(base_.get(), upto.tile, upto.component) >= upto.time) return;
  if (used_ == kRecent) fold();
  recent_[used_++] = upto;
}

/// Puts what is recent into a bulk of its own.
void Clock::fold() {
  Base base = base_ == nullptr ? Base() : *base_;
  while (used_ != 0) {
    const u16 tile = recent_[0].tile;
    auto at = std::lower_bound(base.begin(), base.end(), tile,
                               [](const TileTimes& one, u16 wanted) { return one.tile < wanted; });
    if (at == base.end() || at->tile != tile)
      at = base.insert(at, {tile, std::make_shared<const Times>()});
    std::size_t size = at->times->size();
    for (unsigned i = 0; i < used_; ++i)
      if (recent_[i].tile == tile) size = std::max<std::size_t>(size, recent_[i].component + 1u);
    Times times;
    times.reserve(size);
    times = *at->times;
    times.resize(size);
    unsigned kept = 0;
    for (unsigned i = 0; i < used_; ++i) {
      if (recent_[i].tile != tile) {
        recent_[kept++] = recent_[i];
        continue;
      }
      u32& time = times[recent_[i].component];
      time = std::max(time, recent_[i].time);
    }
    used_ = static_cast<u8>(kept);
    at->times = std::make_shared<const Times>(std::move(times));
  }
  base_ = std::make_shared<const Base>(std::move(base));
}

bool Clock::covers(const Times& a, const Times& b) {
  const std::size_t both = std::min(a.size(), b.size());
  u32 missing = 0;
  for (std::size_t i = 0; i < both; ++i) missing |= static_cast<u32>(a[i] < b[i]);
  for (std::size_t i = both; i < b.size(); ++i) missing |= b[i];
  return missing == 0;
}

/// Whether one knows all that the other does; most joins bring nothing new.
bool Clock::covers(const Base& a, const Base& b) {
  auto mine = a.begin();
  for (const TileTimes& theirs : b) {
    while (mine != a.end() && mine->tile < theirs.tile) ++mine;
    if (mine == a.end() || mine->tile != theirs.tile) return false;
    if (mine->times != theirs.times && !covers(*mine->times, *theirs.times)) return false;
  }
  return true;
}

/// The greater of two, entry by entry; one of them where it is that already.
std::shared_ptr<const Clock::Times> Clock::merged(const std::shared_ptr<const Times>& a,
                                                  const std::shared_ptr<const Times>& b) {
  if (a == b || covers(*a, *b)) return a;
  if (covers(*b, *a)) return b;
  const Times& longer = a->size() >= b->size() ? *a : *b;
  const Times& shorter = a->size() >= b->size() ? *b : *a;
  Times times = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) times[i] = std::max(times[i], shorter[i]);
  return std::make_shared<const Times>(std::move(times));
}

void Clock::join_base(const std::shared_ptr<const Base>& other) {
  if (base_ == nullptr || !covers(*base_, *other)) {
    if (base_ == nullptr || covers(*other, *base_)) {
      base_ = other;
    } else {
      Base base;
      base.reserve(std::max(base_->size(), other->size()));
      auto mine = base_->begin();
      auto theirs = other->begin();
      while (mine != base_->end() || theirs != other->end()) {
        if (theirs == other->end() || (mine != base_->end() && mine->tile < theirs->tile)) {
          base.push_back(*mine++);
        } else if (mine == base_->end() || theirs->tile < mine->tile) {
          base.push_back(*theirs++);
        } else {
          base.push_back({mine->tile, merged(mine->times, theirs->times)});
          ++mine;
          ++theirs;
        }
      }
      base_ = std::make_shared<const Base>(std::move(base));
    }
    // A recent entry that the new bulk exceeds would hide it.
    for (unsigned i = 0; i < used_; ++i) {
      Epoch& one = recent_[i];
      one.time = std::max(one.time, base_at(base_.get(), one.tile, one.component));
    }
  }
}

void Clock::join(const Clock& other) {
  if (other.base_ != nullptr && other.base_ != base_) join_base(other.base_);
  for (unsigned i = 0; i < other.used_; ++i) raise(other.recent_[i]);
}

void Clock::join(const Clock& other, Joined& joined) {
  if (other.base_ != nullptr && other.base_ != base_ &&
      std::find(joined.bases_.begin(), joined.bases_.end(), other.base_) == joined.bases_.end()) {
    join_base(other.base_);
    joined.bases_[joined.next_] = other.base_;
    joined.next_ = static_cast<u8>((joined.next_ + 1) % joined.bases_.size());
  }
  for (unsigned i = 0; i < other.used_; ++i) raise(other.recent_[i]);
}

std::size_t Clock::bytes() const {
  std::size_t total = 0;
  if (base_ == nullptr || base_.use_count() != 1) return total;
  total += sizeof(Base) + base_->capacity() * sizeof(TileTimes);
  for (const TileTimes& one : *base_)
    if (one.times.use_count() == 1) total += one.times->capacity() * sizeof(u32);
  return total;
}

}  // namespace bhemu::race
