// Which bytes somebody has written: a bit for each.
#pragma once

#include <bit>
#include <vector>

#include "base/types.hpp"

namespace bhemu::check {

class Shadow {
 public:
  Shadow() = default;
  explicit Shadow(u64 bytes) : words_((bytes + 63) / 64, 0), size_(bytes) {}

  void set(u64 begin, u64 bytes) {
    each(begin, bytes, [this](std::size_t word, u64 mask) { words_[word] |= mask; });
  }
  void clear(u64 begin, u64 bytes) {
    each(begin, bytes, [this](std::size_t word, u64 mask) { words_[word] &= ~mask; });
  }
  void clear() { std::fill(words_.begin(), words_.end(), u64{0}); }
  bool any(u64 begin, u64 bytes) const {
    bool found = false;
    each(begin, bytes, [&](std::size_t word, u64 mask) { found |= (words_[word] & mask) != 0; });
    return found;
  }
  bool all(u64 begin, u64 bytes) const {
    bool whole = true;
    each(begin, bytes, [&](std::size_t word, u64 mask) { whole &= (words_[word] & mask) == mask; });
    return whole;
  }
  /// The first of these that nobody has written; `begin + bytes` when there is none.
  u64 first_missing(u64 begin, u64 bytes) const {
    u64 at = begin;
    while (at < begin + bytes && any(at, 1)) ++at;
    return at;
  }

 private:
  template <class Visit>
  void each(u64 begin, u64 bytes, Visit visit) const {
    const u64 end = std::min(begin + bytes, size_);
    for (u64 at = begin; at < end;) {
      const u64 word = at / 64;
      const u64 next = std::min(end, (word + 1) * 64);
      const u64 count = next - at;
      visit(static_cast<std::size_t>(word), (count == 64 ? ~u64{0} : (u64{1} << count) - 1)
                                                << at % 64);
      at = next;
    }
  }

  std::vector<u64> words_;
  u64 size_ = 0;
};

}  // namespace bhemu::check
