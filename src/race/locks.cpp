#include "race/locks.hpp"

#include <algorithm>
#include <bit>

namespace bhemu::race {

void LockBook::let_go(Word& word, u32 after) {
  if (!word.proved || (word.drawn_from == 0 && after != word.free)) {
    word.is_none = true;
    return;
  }
  word.takers |= 1u << word.holder;
  word.holder = kNobody;
}

void LockBook::changed(u64 address, unsigned by, u32 before, u32 after, bool proved) {
  if (before == after) return;
  Word& word = words_[address];
  if (word.is_none) return;
  if (word.holder == static_cast<int>(by)) return let_go(word, after);
  if (word.holder != kNobody || word.drawn_from != 0 || (word.takers != 0 && before != word.free)) {
    word.is_none = true;
    return;
  }
  word.free = before;
  word.holder = static_cast<int>(by);
  word.proved = proved;
}

void LockBook::waited(u64 address, unsigned by, u64 drawn_from) {
  Word& word = words_[address];
  if (word.holder == static_cast<int>(by) && word.drawn_from == drawn_from) return;
  word.is_none |= word.holder != kNobody || (word.drawn_from != 0 && word.drawn_from != drawn_from);
  word.holder = static_cast<int>(by);
  word.proved = true;
  word.drawn_from = drawn_from;
}

void LockBook::proved(u64 address, unsigned by) {
  const auto found = words_.find(address);
  if (found != words_.end() && found->second.holder == static_cast<int>(by))
    found->second.proved = true;
}

void LockBook::stored(u64 address, unsigned by, u32 after) {
  const auto found = words_.find(address);
  if (found == words_.end() || found->second.is_none) return;
  Word& word = found->second;
  if (word.holder == static_cast<int>(by)) return let_go(word, after);
  // Free already: nothing has happened.
  if (word.holder == kNobody && word.drawn_from == 0 && after == word.free) return;
  word.is_none = true;
}

void LockBook::let_go_by(u64 address, unsigned by) {
  Word& word = words_[address];
  if (!word.is_none && word.holder == static_cast<int>(by)) return let_go(word, word.free);
  word.is_none = true;
}

void LockBook::written_from_outside(u64 address) {
  if (const auto found = words_.find(address); found != words_.end()) found->second.is_none = true;
}

std::vector<u64> LockBook::locks() const {
  std::vector<u64> all;
  for (const auto& [address, word] : words_) {
    u32 takers = word.takers;
    if (word.holder != kNobody && word.proved) takers |= 1u << word.holder;
    if (!word.is_none && std::popcount(takers) > 1) all.push_back(address);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace bhemu::race
