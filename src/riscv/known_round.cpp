#include "riscv/known_round.hpp"

#include <algorithm>
#include <limits>

#include "riscv/effect.hpp"

namespace bhemu::riscv {

/// Notes what a round asks for.
class KnownRound::Noted final : public RoundView {
 public:
  Noted(RoundView& view, KnownRound& round, u32 pc) : view_(view), round_(round), head_(pc) {}

  bool fetch(u32 pc, u32& word) override {
    if (!view_.fetch(pc, word)) return false;
    // The second round that is looked at reads nothing before it is written but what the first did.
    const Kind kind = kind_of(word);
    read_ |= static_cast<u32>(kind.sources) & ~written_ & ~1u;
    written_ |= static_cast<u32>(kind.writes) & ~1u;
    return note_line(pc);
  }
  bool load(u32 address, u32 size, u32& value) override {
    return view_.load(address, size, value) && note(address, size, value);
  }
  Clock clock_at(u32 address) override {
    const Clock clock = view_.clock_at(address);
    reads_clock_ |= clock != Clock::None;
    return clock;
  }

  bool reads_clock() const { return reads_clock_; }
  u32 read() const { return read_; }
  u32 written() const { return written_ & ~read_; }

 private:
  bool note(u32 address, u32 size, u32 value) {
    const u32 shift = address % 4 * 8;
    const u32 mask = (size == 4 ? ~0u : (1u << size * 8) - 1) << shift;
    const auto begin = round_.words_.begin();
    const auto end = begin + round_.word_count_;
    const auto word =
        std::find_if(begin, end, [&](const Word& one) { return one.address == (address & ~3u); });
    if (word == end) {
      if (round_.word_count_ == kWords) return false;
      round_.words_[round_.word_count_++] = {address & ~3u, 0, 0};
    }
    word->mask |= mask;
    word->value = (word->value & ~mask) | (value << shift & mask);
    return true;
  }

  bool note_line(u32 pc) {
    const u32 address = pc & ~(kLineBytes - 1);
    if (address == (head_ & ~(kLineBytes - 1))) return true;
    for (unsigned i = 0; i < round_.line_count_; ++i)
      if (round_.lines_[i].address == address) return true;
    if (round_.line_count_ == kLines) return false;
    Line& line = round_.lines_[round_.line_count_++];
    line.address = address;
    for (u32 i = 0; i < kLineWords; ++i)
      if (!view_.fetch(address + 4 * i, line.words[i])) return false;
    return true;
  }

  RoundView& view_;
  KnownRound& round_;
  u32 head_;
  u32 read_ = 0;
  u32 written_ = 0;
  bool reads_clock_ = false;
};

std::optional<KnownRound> KnownRound::learn(const CoreState& state, RoundView& view,
                                            Cycle longest) {
  KnownRound known;
  Noted noted(view, known, state.pc);
  const std::optional<Rounds> rounds =
      find_rounds(state, noted, std::min<Cycle>(longest, std::numeric_limits<u8>::max()));
  if (!rounds || rounds->count != kNever || rounds->step != std::array<u32, 33>{} ||
      noted.reads_clock() ||
      std::popcount(noted.read() | noted.written()) > static_cast<int>(kRegisters))
    return {};
  known.read_ = noted.read();
  known.written_ = noted.written();
  known.period_ = static_cast<u8>(rounds->period);
  unsigned at = 0;
  for (const u32 registers : {known.read_, known.written_})
    for (u32 left = registers; left != 0; left &= left - 1)
      known.values_[at++] = state.x[static_cast<unsigned>(std::countr_zero(left))];
  return known;
}

}  // namespace bhemu::riscv
