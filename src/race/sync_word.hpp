// A word of L1 by which agents signal each other: what has been written to it, one version for each
// write, and what the writers knew. A reader learns from the oldest version that its condition lets
// through, not from the one that happened to be there; and where several have written, only of
// those without whom no order of the others would have let it through.
//
// Bytes are told apart, because firmware packs flags of several cores into one word. A plain write
// replaces what earlier writers of its bytes had said; an atomic adds to it.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "race/clock.hpp"

namespace bhemu::race {

class SyncWord {
 public:
  static constexpr u8 kAllBytes = 0xF;
  /// What a change makes of whatever it finds.
  enum class How : u8 { Set, Add, Xor, Or, And };
  struct Change {
    u32 version = 0;
    u8 bytes = kAllBytes;
    How how = How::Set;
    u32 operand = 0;
    u32 value = 0;  // of the word, afterwards
    Epoch by;
    Clock clock;  // what those have said who had written the bytes by then
    Clock own;    // what its writer knew
  };
  using Changes = std::vector<Change>;
  using Passes = std::function<bool(u32 value)>;

  explicit SyncWord(u32 value = 0) : first_value_(value) {}
  /// `all`: what a run before, which was the same, has seen, also of what is still to come.
  void expect(std::shared_ptr<const Changes> all) { expected_ = std::move(all); }

  /// `value`: of the word, afterwards.
  void write(u8 bytes, u32 value, const Clock& clock, Epoch by = {});
  void change(u32 value, const Clock& clock, Epoch by = {}, How how = How::Set, u32 operand = 0);

  /// The latest; 0: nothing has been written.
  u32 version() const { return total_; }
  /// The oldest whose value is still known.
  u32 oldest() const { return entries_.empty() ? total_ : entries_.front().version - 1; }
  u32 value_at(u32 version) const;
  /// The latest of which this knows that it is there: nobody who knows it sees an older one.
  u32 latest_known(const Clock& clock) const;
  /// What those have said who had written the bytes by then.
  Clock known_at(u32 version, u8 bytes) const;

  /// What a reader knows whom the word has let through with what it was at a version: of each
  /// change, whether it would have come through without it and without all that came of it,
  /// whatever others are still to come who do not know of the look. None: there was one writer
  /// only, whose changes are in order.
  std::optional<Clock> proved(const Clock& reader, Epoch look, u32 version,
                              const Passes& passes) const;
  /// A look at these bytes has proved something of a version that the reader did not know yet.
  /// Whoever changes the word later without knowing of the look could have come first, and then it
  /// would have proved something else.
  void note_proof(const Clock& reader, Epoch look, u32 version, u8 bytes);
  /// All that is known of it, if looks at it depend on who came first; else null.
  std::shared_ptr<const Changes> in_luck() const;

 private:
  static constexpr std::size_t kKept = 32;
  static constexpr std::size_t kProofs = 4;
  struct Proof {
    Epoch look;
    Epoch by;  // of the change that it proved
    u8 bytes = kAllBytes;
  };
  void add(Change entry);
  std::vector<const Change*> still_to_come(Epoch look, u32 version) const;

  std::deque<Change> entries_;
  u32 first_value_;
  u32 total_ = 0;
  std::array<Clock, 4> before_;  // by byte: of the entries that are no longer kept
  std::shared_ptr<const Changes> expected_;
  std::deque<Proof> proofs_;
  bool luck_ = false;
};

/// Bytes of the word at `word` (its address divided by 4) that [begin, end) covers.
constexpr u8 bytes_of_word(u64 word, u64 begin, u64 end) {
  u8 bytes = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (word * 4 + i >= begin && word * 4 + i < end) bytes = static_cast<u8>(bytes | 1u << i);
  return bytes;
}
constexpr u32 mask_of_bytes(u8 bytes) {
  u32 mask = 0;
  for (unsigned i = 0; i < 4; ++i)
    if ((bytes >> i & 1) != 0) mask |= 0xFFu << 8 * i;
  return mask;
}

}  // namespace bhemu::race
