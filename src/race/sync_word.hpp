// A word of L1 by which agents signal each other: what has been written to it, one version for each
// write, and what the writers knew. A reader learns from the oldest version that its condition lets
// through, not from the one that happened to be there.
//
// Bytes are told apart, because firmware packs flags of several cores into one word. A plain write
// replaces what earlier writers of its bytes had said; an atomic adds to it.
#pragma once

#include <array>
#include <deque>

#include "race/clock.hpp"

namespace bhemu::race {

class SyncWord {
 public:
  static constexpr u8 kAllBytes = 0xF;

  explicit SyncWord(u32 value = 0) : first_value_(value) {}

  /// `value`: of the word, afterwards.
  void write(u8 bytes, u32 value, const Clock& clock);
  void change(u32 value, const Clock& clock);

  /// The latest; 0: nothing has been written.
  u32 version() const { return total_; }
  /// The oldest whose value is still known.
  u32 oldest() const { return entries_.empty() ? total_ : entries_.front().version - 1; }
  u32 value_at(u32 version) const;
  /// What those have said who had written the bytes by then.
  Clock known_at(u32 version, u8 bytes) const;

 private:
  static constexpr std::size_t kKept = 32;
  struct Entry {
    u32 version = 0;
    u8 bytes = 0;
    u32 value = 0;
    Clock clock;
  };
  void add(Entry entry);

  std::deque<Entry> entries_;
  u32 first_value_;
  u32 total_ = 0;
  std::array<Clock, 4> before_;  // by byte: of the entries that are no longer kept
};

/// Bytes of the word at `word` (its address divided by 4) that [begin, end) covers.
constexpr u8 bytes_of_word(u64 word, u64 begin, u64 end) {
  u8 bytes = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (word * 4 + i >= begin && word * 4 + i < end) bytes = static_cast<u8>(bytes | 1u << i);
  return bytes;
}

}  // namespace bhemu::race
