#include "race/sync_word.hpp"

namespace bhemu::race {

void SyncWord::add(Entry entry) {
  entry.version = ++total_;
  entries_.push_back(std::move(entry));
  if (entries_.size() <= kKept) return;
  const Entry& oldest = entries_.front();
  for (unsigned i = 0; i < 4; ++i)
    if ((oldest.bytes >> i & 1) != 0) before_[i] = oldest.clock;
  first_value_ = oldest.value;
  entries_.pop_front();
}

void SyncWord::write(u8 bytes, u32 value, const Clock& clock) {
  add({0, bytes, value, clock});
}

void SyncWord::change(u32 value, const Clock& clock) {
  Clock all = known_at(total_, kAllBytes);
  all.join(clock);
  add({0, kAllBytes, value, std::move(all)});
}

u32 SyncWord::value_at(u32 version) const {
  u32 value = first_value_;
  for (const Entry& one : entries_) {
    if (one.version > version) break;
    value = one.value;
  }
  return value;
}

Clock SyncWord::known_at(u32 version, u8 bytes) const {
  std::array<const Clock*, 4> last{};
  for (unsigned i = 0; i < 4; ++i) last[i] = &before_[i];
  for (const Entry& one : entries_) {
    if (one.version > version) break;
    for (unsigned i = 0; i < 4; ++i)
      if ((one.bytes >> i & 1) != 0) last[i] = &one.clock;
  }
  Clock known;
  const Clock* joined = nullptr;
  for (unsigned i = 0; i < 4; ++i) {
    if ((bytes >> i & 1) == 0 || last[i] == joined) continue;
    known.join(*last[i]);
    joined = last[i];
  }
  return known;
}

}  // namespace bhemu::race
