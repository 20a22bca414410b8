#include "race/sync_word.hpp"

#include <algorithm>

namespace bhemu::race {
namespace {

u32 applied(u32 value, const SyncWord::Change& change) {
  const u32 mask = mask_of_bytes(change.bytes);
  switch (change.how) {
    case SyncWord::How::Add:
      return value + change.operand;
    case SyncWord::How::Xor:
      return value ^ change.operand;
    case SyncWord::How::Or:
      return value | change.operand;
    case SyncWord::How::And:
      return value & change.operand;
    default:
      return (value & ~mask) | (change.value & mask);
  }
}

bool same_writer(Epoch a, Epoch b) {
  return a.component == b.component && a.tile == b.tile;
}

}  // namespace

void SyncWord::add(Change entry) {
  entry.version = ++total_;
  for (const Proof& proof : proofs_)
    luck_ |= (proof.bytes & entry.bytes) != 0 && !same_writer(proof.by, entry.by) &&
             !entry.own.knows(proof.look) && !entry.own.knows(proof.by);
  entries_.push_back(std::move(entry));
  if (entries_.size() <= kKept) return;
  const Change& oldest = entries_.front();
  for (unsigned i = 0; i < 4; ++i)
    if ((oldest.bytes >> i & 1) != 0) before_[i] = oldest.clock;
  first_value_ = oldest.value;
  entries_.pop_front();
}

void SyncWord::write(u8 bytes, u32 value, const Clock& clock, Epoch by) {
  add({0, bytes, How::Set, 0, value, by, clock, clock});
}

void SyncWord::change(u32 value, const Clock& clock, Epoch by, How how, u32 operand) {
  Clock all = known_at(total_, kAllBytes);
  all.join(clock);
  add({0, kAllBytes, how, operand, value, by, std::move(all), clock});
}

u32 SyncWord::value_at(u32 version) const {
  u32 value = first_value_;
  for (const Change& one : entries_) {
    if (one.version > version) break;
    value = one.value;
  }
  return value;
}

u32 SyncWord::latest_known(const Clock& clock) const {
  for (auto one = entries_.rbegin(); one != entries_.rend(); ++one)
    if (one->by && clock.knows(one->by)) return one->version;
  return 0;
}

Clock SyncWord::known_at(u32 version, u8 bytes) const {
  std::array<const Clock*, 4> last{};
  for (unsigned i = 0; i < 4; ++i) last[i] = &before_[i];
  for (const Change& one : entries_) {
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

/// Changes behind a version that could have come before the look.
std::vector<const SyncWord::Change*> SyncWord::still_to_come(Epoch look, u32 version) const {
  std::vector<const Change*> later;
  const auto take = [&](const Change& one) {
    if (one.by && !one.own.knows(look)) later.push_back(&one);
  };
  for (const Change& one : entries_)
    if (one.version > version) take(one);
  if (expected_ == nullptr) return later;
  auto from = expected_->begin();
  if (!entries_.empty())
    from = std::find_if(expected_->begin(), expected_->end(),
                        [&](const Change& one) { return one.by == entries_.back().by; });
  if (from == expected_->end()) return later;
  if (!entries_.empty()) ++from;
  for (; from != expected_->end(); ++from) take(*from);
  return later;
}

std::optional<Clock> SyncWord::proved(const Clock& reader, Epoch look, u32 version,
                                      const Passes& passes) const {
  std::vector<const Change*> all;
  std::vector<const Change*> open;  // those of which the reader did not know before
  std::size_t first_end = 0;        // the reader has seen what it knows of
  const auto is_known = [&](const Change& one) { return !one.by || reader.knows(one.by); };
  for (const Change& one : entries_) {
    if (one.version > version) break;
    all.push_back(&one);
    if (is_known(one))
      first_end = all.size();
    else
      open.push_back(&one);
  }
  std::vector<const Change*> later = still_to_come(look, version);
  std::erase_if(later, [&](const Change* one) { return is_known(*one); });
  const auto is_other = [&](const Change* one) { return !same_writer(one->by, open.front()->by); };
  if (open.empty() || (std::none_of(open.begin(), open.end(), is_other) &&
                       std::none_of(later.begin(), later.end(), is_other)))
    return std::nullopt;
  all.insert(all.end(), later.begin(), later.end());
  Clock known;
  for (const Clock& one : before_) known.join(one);
  for (const Change* without : open) {
    if (known.knows(without->by)) continue;
    u32 value = first_value_;
    bool through = first_end == 0 && passes(value);
    for (std::size_t i = 0; i < all.size() && !through; ++i) {
      if (all[i] != without && !all[i]->own.knows(without->by)) value = applied(value, *all[i]);
      through = i + 1 >= first_end && passes(value);
    }
    if (through) continue;
    known.join(without->own);
    known.raise(without->by);
  }
  return known;
}

void SyncWord::note_proof(const Clock& reader, Epoch look, u32 version, u8 bytes) {
  u8 open = bytes;  // whose last change has not been found yet
  for (auto one = entries_.rbegin(); one != entries_.rend() && open != 0; ++one) {
    if (one->version > version || (one->bytes & open) == 0) continue;
    open = static_cast<u8>(open & ~one->bytes);
    if (!one->by || reader.knows(one->by)) continue;
    proofs_.push_back({look, one->by, bytes});
    if (proofs_.size() > kProofs) proofs_.pop_front();
  }
}

std::shared_ptr<const SyncWord::Changes> SyncWord::in_luck() const {
  if (expected_ != nullptr) return expected_;
  if (!luck_) return nullptr;
  return std::make_shared<const Changes>(entries_.begin(), entries_.end());
}

}  // namespace bhemu::race
