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
  /// the first of words() that is another: in registers and in L1 is what they depend on. The line
  /// in which the round begins is known to be what it was.
  bool begins(const CoreState& state, const u8* l1) const {
    unsigned at = 0;
    for (u32 left = registers_; left != 0; left &= left - 1)
      if (state.x[static_cast<unsigned>(std::countr_zero(left))] != values_[at++]) return false;
    for (unsigned i = 0; i < line_count_; ++i)
      if (!lines_[i].stands_in(l1)) return false;
    return true;
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

    bool stands_in(const u8* l1) const {
      u64 differs = 0;
      for (unsigned i = 0; i < kLineBytes; i += 8) {
        u64 now, then;
        std::memcpy(&now, l1 + address + i, 8);
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

  u32 registers_ = 0;  // that it reads or writes, a bit each
  u8 period_ = 0;
  u8 word_count_ = 0;
  u8 line_count_ = 0;
  std::array<u32, kRegisters> values_;  // of registers_, the lowest first
  std::array<Word, kWords> words_;
  std::array<Line, kLines> lines_;
};

}  // namespace bhemu::riscv
