#include "race/clock.hpp"

#include <algorithm>

namespace bhemu::race {

const Times* Clock::find(const Others* others, u16 tile) {
  const unsigned group = tile / kGroup;
  if (others == nullptr || group >= others->size() || (*others)[group] == nullptr) return nullptr;
  return &(*(*others)[group])[tile % kGroup];
}

const Times* Clock::Base::of(u16 tile) const {
  return own.tile == tile ? &own.times : find(others.get(), tile);
}

u32 Clock::base_at(u16 tile, Component component) const {
  const Times* const times = base_ == nullptr ? nullptr : base_->of(tile);
  return times == nullptr ? 0 : times->at(component);
}

u32 Clock::at(u16 tile, Component component) const {
  for (unsigned i = 0; i < used_; ++i)
    if (recent_[i].component == component && recent_[i].tile == tile) return recent_[i].time;
  return base_at(tile, component);
}

void Clock::raise(Epoch upto) {
  for (unsigned i = 0; i < used_; ++i) {
    Epoch& one = recent_[i];
    if (one.component != upto.component || one.tile != upto.tile) continue;
    one.time = std::max(one.time, upto.time);
    return;
  }
  if (base_at(upto.tile, upto.component) >= upto.time) return;
  if (used_ == kRecent) fold();
  recent_[used_++] = upto;
}

/// Others that know this of one tile, too.
std::shared_ptr<const Clock::Others> Clock::with(const std::shared_ptr<const Others>& others,
                                                 const TileTimes& one) {
  const Times* const known = find(others.get(), one.tile);
  if (known != nullptr && known->covers(one.times)) return others;
  const unsigned group = one.tile / kGroup;
  Others copy;
  copy.reserve(std::max<std::size_t>(others == nullptr ? 0 : others->size(), group + 1));
  if (others != nullptr) copy = *others;
  if (copy.size() <= group) copy.resize(group + 1);
  Group changed = copy[group] == nullptr ? Group() : *copy[group];
  Times& times = changed[one.tile % kGroup];
  times = Times::merged(times, one.times);
  copy[group] = std::make_shared<const Group>(std::move(changed));
  return std::make_shared<const Others>(std::move(copy));
}

/// Puts what is recent into a bulk of its own.
void Clock::fold() {
  Base base = base_ == nullptr ? Base{{recent_[0].tile, {}}, nullptr} : *base_;
  const auto end = recent_.begin() + used_;
  const auto in_tile = [](u16 tile) { return [tile](Epoch one) { return one.tile == tile; }; };
  if (std::none_of(recent_.begin(), end, in_tile(base.own.tile))) {
    const u16 tile = recent_[0].tile;
    base.others = with(base.others, base.own);
    const Times* const known = find(base.others.get(), tile);
    base.own = {tile, known == nullptr ? Times() : *known};
  }
  for (auto first = recent_.begin(); first != end;) {
    const u16 tile = first->tile;
    const auto rest = std::partition(first, end, in_tile(tile));
    if (tile == base.own.tile) {
      base.own.times = base.own.times.with({first, rest});
    } else {
      base.others = with(base.others, {tile, Times().with({first, rest})});
    }
    first = rest;
  }
  used_ = 0;
  base_ = std::make_shared<const Base>(std::move(base));
}

/// Whether one knows all that the other does; most joins bring nothing new.
bool Clock::covers(const Base& a, const Base& b) {
  const Times* const own = a.of(b.own.tile);
  if (own == nullptr || !own->covers(b.own.times)) return false;
  if (a.others == b.others || b.others == nullptr) return true;
  const Times nothing;
  for (unsigned group = 0; group < b.others->size(); ++group) {
    const Group* const theirs = (*b.others)[group].get();
    if (theirs == nullptr) continue;
    const Group* const mine =
        a.others != nullptr && group < a.others->size() ? (*a.others)[group].get() : nullptr;
    if (mine == theirs) continue;
    for (unsigned i = 0; i < kGroup; ++i) {
      const bool is_own = group * kGroup + i == a.own.tile;
      const Times& known = is_own ? a.own.times : mine == nullptr ? nothing : (*mine)[i];
      if (!known.covers((*theirs)[i])) return false;
    }
  }
  return true;
}

bool Clock::covers(const Group& a, const Group& b) {
  for (unsigned i = 0; i < kGroup; ++i)
    if (!a[i].covers(b[i])) return false;
  return true;
}

std::shared_ptr<const Clock::Group> Clock::merged(const std::shared_ptr<const Group>& a,
                                                  const std::shared_ptr<const Group>& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr || covers(*b, *a)) return b;
  if (covers(*a, *b)) return a;
  Group all;
  for (unsigned i = 0; i < kGroup; ++i) all[i] = Times::merged((*a)[i], (*b)[i]);
  return std::make_shared<const Group>(std::move(all));
}

std::shared_ptr<const Clock::Others> Clock::merged(const std::shared_ptr<const Others>& a,
                                                   const std::shared_ptr<const Others>& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  Others all(std::max(a->size(), b->size()));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = merged(i < a->size() ? (*a)[i] : nullptr, i < b->size() ? (*b)[i] : nullptr);
  return all == *a ? a : all == *b ? b : std::make_shared<const Others>(std::move(all));
}

void Clock::join_base(const std::shared_ptr<const Base>& other) {
  if (base_ != nullptr && covers(*base_, *other)) return;
  if (base_ == nullptr || covers(*other, *base_)) {
    base_ = other;
  } else {
    Base base = *base_;
    base.others = merged(base.others, other->others);
    if (other->own.tile != base.own.tile) base.others = with(base.others, other->own);
    if (const Times* const theirs = other->of(base.own.tile); theirs != nullptr)
      base.own.times = Times::merged(base.own.times, *theirs);
    base_ = std::make_shared<const Base>(std::move(base));
  }
  // A recent entry that the new bulk exceeds would hide it.
  for (unsigned i = 0; i < used_; ++i) {
    Epoch& one = recent_[i];
    one.time = std::max(one.time, base_at(one.tile, one.component));
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
  if (base_ == nullptr || base_.use_count() != 1) return 0;
  std::size_t total = sizeof(Base) + base_->own.times.bytes();
  if (base_->others == nullptr || base_->others.use_count() != 1) return total;
  total += sizeof(Others) + base_->others->capacity() * sizeof(base_->others->front());
  for (const std::shared_ptr<const Group>& group : *base_->others) {
    if (group.use_count() != 1) continue;
    total += sizeof(Group);
    for (const Times& one : *group) total += one.bytes();
  }
  return total;
}

}  // namespace bhemu::race
