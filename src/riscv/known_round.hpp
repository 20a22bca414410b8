// A round of a polling loop that was seen once, and what it depended on: if that is still so, the
// next one goes the same way, and nobody needs to execute it to know.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>

#include "riscv/rounds.hpp"

namespace bhemu::riscv {

/// What a look at a polling loop begins with.
struct LoopShape {
  Cycle period = 0;
  /// No two rounds are alike, but they can be told (rounds.hpp).
  bool grows = false;
  bool operator==(const LoopShape&) const = default;
};

class KnownRound {
 public:
  /// A word that the round has read something of.
  struct Word {
    u32 address;  // aligned
    u32 value;
    u32 mask;  // of the bits that it has read, whole bytes

    bool is_in(u32 now) const { return ((now ^ value) & mask) == 0; }
  };

  /// Of the loop that a core in `state` is in, one of whose rounds begins at its pc: the round that
  /// has no effect and leaves the core in the same state. Nothing, when there is none of at most
  /// `longest` instructions, or it reads a clock or more than is kept here.
  static std::optional<KnownRound> learn(const CoreState& state, RoundView& view, Cycle longest);

  /// Whether a core in `state`, at the same pc as then, goes through the same instructions until
  /// the first of words() that is another: in the registers that it reads before it writes them and
  /// in L1 is what they depend on. The line in which the round begins is known to be what it was.
  /// `words_of(address)`: the words of that line; null: there is none.
  template <class WordsOf>
  bool begins(const CoreState& state, WordsOf words_of) const {
    if (!has_values(state, read_, 0)) return false;
    for (unsigned i = 0; i < line_count_; ++i)
      if (const u8* const words = words_of(lines_[i].address);
          words == nullptr || !lines_[i].is(words))
        return false;
    return true;
  }
  /// What there is of that in the core's registers, and of words() in L1. A look before begins(),
  /// which takes longer.
  bool may_begin(const CoreState& state, const u8* l1, u32 l1_bytes) const {
    if (!has_values(state, read_, 0)) return false;
    for (const Word& word : words()) {
      if (word.address >= l1_bytes) continue;
      u32 now;
      std::memcpy(&now, l1 + word.address, 4);
      if (!word.is_in(now)) return false;
    }
    return true;
  }
  /// The core is in the state in which it is after each round: such a one changes nothing.
  bool is_settled(const CoreState& state) const {
    return has_values(state, written_, static_cast<unsigned>(std::popcount(read_)));
  }
  /// What a round that begins() and whose words() are the same makes of the core's state.
  void go_through(CoreState& state) const {
    unsigned at = static_cast<unsigned>(std::popcount(read_));
    for (u32 left = written_; left != 0; left &= left - 1)
      state.x[static_cast<unsigned>(std::countr_zero(left))] = values_[at++];
    state.cycle += period_;
    state.instret += period_;
  }
  /// If these, too, are what they were, the whole round is.
  std::span<const Word> words() const { return {words_.data(), word_count_}; }
  /// Cycles, and instructions.
  Cycle period() const { return period_; }

 private:
  class Noted;
  /// Of L1, with instructions of the round.
  struct Line {
    u32 address;
    std::array<u32, kLineWords> words;

    bool is(const u8* line) const {
      u64 differs = 0;
      for (unsigned i = 0; i < kLineBytes; i += 8) {
        u64 now, then;
        std::memcpy(&now, line + i, 8);
        std::memcpy(&then, reinterpret_cast<const u8*>(words.data()) + i, 8);
        differs |= now ^ then;
      }
      return differs == 0;
    }
  };
  // Chosen, not measured: a loop of firmware reads one word or two, and has some ten instructions,
  // in a function that it calls some of them.
  static constexpr unsigned kRegisters = 8;
  static constexpr unsigned kWords = 8;
  static constexpr unsigned kLines = 3;

  /// `values_` from `at` on are those of these registers, the lowest first.
  bool has_values(const CoreState& state, u32 registers, unsigned at) const {
    for (u32 left = registers; left != 0; left &= left - 1)
      if (state.x[static_cast<unsigned>(std::countr_zero(left))] != values_[at++]) return false;
    return true;
  }

  u32 read_ = 0;     // registers that it reads before it writes them, a bit each
  u32 written_ = 0;  // the others that it writes
  u8 period_ = 0;
  u8 word_count_ = 0;
  u8 line_count_ = 0;
  std::array<u32, kRegisters> values_;  // of read_, then of written_, the lowest first
  std::array<Word, kWords> words_;
  std::array<Line, kLines> lines_;
};

}  // namespace bhemu::riscv
