#include "race/locks.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace bhemu::race {
namespace {

/// The bits that an atomic is about: a single one that it sets or clears, or the whole word.
u32 mask_of(const LockBook::Change& change) {
  using How = SyncWord::How;
  const u32 bits = change.before ^ change.after;
  const bool of_bits = change.how == How::Or || change.how == How::And || change.how == How::Xor;
  return of_bits && std::has_single_bit(bits) ? bits : ~u32{0};
}

}  // namespace

bool LockBook::is_proved(const Part& part) {
  return part.proved || (part.looked != nullptr && part.looked->load(std::memory_order_acquire));
}

void LockBook::count_taker(Part& part, Taker by) {
  part.several |= part.first != kNobody && part.first != by;
  part.far |= by >= kTakers;
  if (part.first == kNobody) part.first = by;
}

void LockBook::let_go(Word& word, Part& part, u32 after) {
  const bool is_free = word.drawn_from != 0 || part.added != 0 || (after & part.mask) == part.free;
  if (!is_proved(part) || !is_free) {
    word.is_none = true;
    return;
  }
  count_taker(part, part.holder);
  part.holder = kNobody;
}

void LockBook::take(Word& word, Part& part, Taker by, const Change& change) {
  const bool is_free = part.first == kNobody || (change.before & part.mask) == part.free;
  if (part.holder != kNobody || !is_free || part.added != 0) {
    word.is_none = true;
    return;
  }
  part.free = change.before & part.mask;
  part.holder = by;
  part.proved = change.proved;
  part.looked = change.looked;
}

/// A taker that found the lock held has added in vain, and has to subtract the same again.
void LockBook::add(Word& word, Part& part, Taker by, const Change& change) {
  const u32 added = change.after - change.before;
  const auto in_vain = std::find_if(part.in_vain.begin(), part.in_vain.end(),
                                    [by](const auto& one) { return one.first == by; });
  if (in_vain != part.in_vain.end()) {
    word.is_none |= added + in_vain->second != 0;
    part.in_vain.erase(in_vain);
    return;
  }
  const bool is_new = part.first == kNobody && part.holder == kNobody;
  if (is_new || (part.holder == kNobody && change.before == part.free)) {
    part.added = 0;
    take(word, part, by, change);
    part.added = added;
    return;
  }
  word.is_none |= added != part.added || part.in_vain.size() == kMostInVain;
  part.in_vain.emplace_back(by, added);
}

void LockBook::changed(u64 address, Taker by, const Change& change) {
  const u32 bits = change.before ^ change.after;
  if (bits == 0) return;
  Word& word = words_[address];
  if (word.is_none) return;
  u32 left = bits;  // that are not of a lock which is let go of
  for (Part& part : word.parts) {
    if (part.holder != by || (bits & part.mask) == 0) continue;
    if (part.added != 0 && change.before - change.after != part.added) word.is_none = true;
    let_go(word, part, change.after);
    left &= ~part.mask;
  }
  if (left == 0 || word.is_none) return;
  const u32 mask = mask_of(change);
  const auto part = std::find_if(word.parts.begin(), word.parts.end(),
                                 [&](const Part& one) { return (one.mask & mask) != 0; });
  if (left != bits || word.drawn_from != 0 || (part != word.parts.end() && part->mask != mask)) {
    word.is_none = true;
    return;
  }
  const bool is_new = part == word.parts.end();
  Part& taken = is_new ? word.parts.emplace_back() : *part;
  taken.mask = mask;
  if (change.how == SyncWord::How::Add)
    add(word, taken, by, change);
  else
    take(word, taken, by, change);
}

void LockBook::waited(u64 address, Taker by, u64 drawn_from) {
  Word& word = words_[address];
  if (word.parts.empty()) word.parts.emplace_back();
  Part& part = word.parts.front();
  if (part.holder == by && word.drawn_from == drawn_from) return;
  word.is_none |= part.holder != kNobody || part.mask != ~u32{0} ||
                  (word.drawn_from != 0 && word.drawn_from != drawn_from);
  part.holder = by;
  part.proved = true;
  word.drawn_from = drawn_from;
}

void LockBook::proved(u64 address, Taker by, u32 bits) {
  const auto found = words_.find(address);
  if (found == words_.end()) return;
  for (Part& part : found->second.parts)
    part.proved |= part.holder == by && (part.mask & bits) != 0;
}

void LockBook::stored(u64 address, Taker by, u32 after) {
  const auto found = words_.find(address);
  if (found == words_.end() || found->second.is_none) return;
  Word& word = found->second;
  // Free already: nothing has happened.
  const bool all_free =
      word.drawn_from == 0 &&
      std::all_of(word.parts.begin(), word.parts.end(), [&](const Part& one) {
        return one.holder == kNobody && (after & one.mask) == one.free && one.in_vain.empty();
      });
  if (all_free) return;
  bool any = false;
  for (Part& part : word.parts) {
    if (part.holder == by) {
      any = true;
      if (part.added != 0 && (after != part.free || !part.in_vain.empty())) word.is_none = true;
      let_go(word, part, after);
    } else if (part.holder != kNobody) {
      word.is_none = true;  // a store is of the whole word, and takes it from somebody
    }
  }
  word.is_none |= !any;
}

void LockBook::let_go_by(u64 address, Taker by) {
  Word& word = words_[address];
  if (word.parts.size() == 1 && !word.is_none && word.parts.front().holder == by)
    return let_go(word, word.parts.front(), word.parts.front().free);
  word.is_none = true;
}

void LockBook::written_from_outside(u64 address) {
  if (const auto found = words_.find(address); found != words_.end()) found->second.is_none = true;
}

std::vector<LockWord> LockBook::locks() const {
  std::vector<LockWord> all;
  for (const auto& [address, word] : words_) {
    if (word.is_none) continue;
    bool several = false;
    bool other_use = false;
    std::vector<LockWord> own;
    for (Part part : word.parts) {
      other_use |= part.holder != kNobody && !is_proved(part);
      if (part.holder != kNobody) count_taker(part, part.holder);
      several |= part.several;
      own.push_back({address, part.mask, part.free, part.far});
    }
    if (several && !other_use) all.insert(all.end(), own.begin(), own.end());
  }
  std::sort(all.begin(), all.end(), [](const LockWord& a, const LockWord& b) {
    return std::tie(a.address, a.mask) < std::tie(b.address, b.mask);
  });
  return all;
}

}  // namespace bhemu::race
