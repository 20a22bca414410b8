#include "race/guard.hpp"

#include <algorithm>

namespace bhemu::race {

Guard::Guard(u16 tile, std::span<const LockWord> locks) : sections_(u64{tile} << 40) {
  for (const LockWord& one : locks) locks_[one.address].push_back(one);
}

void Guard::take(LockId lock, Taker by, Epoch taken) {
  std::erase_if(open_, [lock](const Section& one) { return one.held.lock == lock; });
  open_.push_back({{lock, ++sections_, std::make_shared<SectionEnd>()}, by, taken, {}});
}

bool Guard::is_held(LockId lock, Taker by) const {
  return std::any_of(open_.begin(), open_.end(),
                     [&](const Section& one) { return one.held.lock == lock && one.taker == by; });
}

Guard::Section Guard::let_go(LockId lock, const Clock& clock) {
  const auto found = std::find_if(open_.begin(), open_.end(),
                                  [&](const Section& one) { return one.held.lock == lock; });
  if (found == open_.end()) return {};
  Section ended = std::move(*found);
  open_.erase(found);
  ended.held.end->set(clock);
  return ended;
}

std::vector<Guard::Held> Guard::held(const Clock& clock) const {
  std::vector<Held> all;
  for (const Section& one : open_)
    if (clock.knows(one.taken)) all.push_back(one.held);
  return all;
}

/// A lock orders accesses of different sections, and only those that ended before its release.
bool Guard::share(const Past& a, const std::vector<Held>& b) {
  for (const Held& one : a.held)
    for (const Held& other : b)
      if (one.lock == other.lock && one.section != other.section &&
          one.end->may_cover(a.side.epoch))
        return true;
  return false;
}

bool Guard::share(const Past& a, const Past& b) {
  for (const Held& one : a.held)
    for (const Held& other : b.held)
      if (one.lock == other.lock && one.section != other.section &&
          one.end->may_cover(a.side.epoch) && other.end->may_cover(b.side.epoch))
        return true;
  return false;
}

Guard::Past* Guard::same_place(u64 key, const Past& past) {
  const auto same_locks = [](const std::vector<Held>& a, const std::vector<Held>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Held& x, const Held& y) { return x.lock == y.lock; });
  };
  for (Past& one : lines_[key])
    if (one.begin == past.begin && one.end == past.end && one.same == past.same &&
        one.side.mode == past.side.mode && one.side.site.pc == past.side.site.pc &&
        one.side.pushed_at == past.side.pushed_at && one.has_value == past.has_value &&
        one.value == past.value && one.side.epoch.component == past.side.epoch.component &&
        one.side.epoch.tile == past.side.epoch.tile && same_locks(one.held, past.held))
      return &one;
  return nullptr;
}

void Guard::add(u64 key, Past past) {
  for (const Held& held : past.held)
    for (Section& section : open_)
      if (section.held.section == held.section &&
          std::find(section.lines.begin(), section.lines.end(), key) == section.lines.end())
        section.lines.push_back(key);
  if (Past* const before = same_place(key, past); before != nullptr) {
    *before = std::move(past);
    return;
  }
  Line& line = lines_[key];
  if (line.size() == kMostOfLine) line.erase(line.begin());
  line.push_back(std::move(past));
}

}  // namespace bhemu::race
