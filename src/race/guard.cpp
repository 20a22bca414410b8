#include "race/guard.hpp"

#include <algorithm>

namespace bhemu::race {

void Guard::take(u64 lock, unsigned by, Epoch taken) {
  let_go(lock);
  open_.push_back({{lock, ++sections_}, by, taken, {}});
}

bool Guard::is_held(u64 lock, unsigned by) const {
  return std::any_of(open_.begin(), open_.end(),
                     [&](const Section& one) { return one.held.lock == lock && one.taker == by; });
}

Guard::Section Guard::let_go(u64 lock) {
  const auto found = std::find_if(open_.begin(), open_.end(),
                                  [&](const Section& one) { return one.held.lock == lock; });
  if (found == open_.end()) return {};
  Section ended = std::move(*found);
  open_.erase(found);
  return ended;
}

std::vector<Guard::Held> Guard::held(const Clock& clock) const {
  std::vector<Held> all;
  for (const Section& one : open_)
    if (clock.knows(one.taken)) all.push_back(one.held);
  return all;
}

/// Within one section a lock keeps nobody apart.
bool Guard::share(const std::vector<Held>& a, const std::vector<Held>& b) {
  for (const Held& one : a)
    for (const Held& other : b)
      if (one.lock == other.lock && one.section != other.section) return true;
  return false;
}

void Guard::add(u64 key, Past past) {
  for (const Held& held : past.held)
    for (Section& section : open_)
      if (section.held.section == held.section &&
          std::find(section.lines.begin(), section.lines.end(), key) == section.lines.end())
        section.lines.push_back(key);
  Line& line = lines_[key];
  const auto same_locks = [](const std::vector<Held>& a, const std::vector<Held>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Held& x, const Held& y) { return x.lock == y.lock; });
  };
  for (Past& one : line) {
    if (one.begin != past.begin || one.end != past.end || one.same != past.same ||
        one.side.mode != past.side.mode || one.side.site.pc != past.side.site.pc ||
        one.side.pushed_at != past.side.pushed_at || one.has_value != past.has_value ||
        one.value != past.value || one.side.epoch.component != past.side.epoch.component ||
        one.side.epoch.tile != past.side.epoch.tile || !same_locks(one.held, past.held))
      continue;
    one = std::move(past);
    return;
  }
  if (line.size() == kMostOfLine) line.erase(line.begin());
  line.push_back(std::move(past));
}

}  // namespace bhemu::race
