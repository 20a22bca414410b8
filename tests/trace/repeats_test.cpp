// Which instructions of a core a trace leaves out, against a model that keeps everything.
#include "trace/repeats.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bhemu::trace {
namespace {

Retired instruction(u32 pc, u32 value = 0) {
  Retired retired;
  retired.pc = pc;
  retired.value = value;
  return retired;
}

/// What a reader of the trace would rebuild: repeats expanded.
class Reader {
 public:
  void next(const Retired& retired, Cycle cycle) {
    const Repeats::Verdict verdict = repeats_.next(retired, cycle);
    if (verdict.ended) expand(*verdict.ended);
    if (!verdict.left_out) {
      read_.push_back({cycle, retired});
      ++written_;
    }
  }
  void skip(u64 instructions) { repeats_.skip(instructions); }
  bool is_settled(Cycle period) const { return repeats_.is_settled(period); }
  void end() {
    if (const auto ended = repeats_.end()) expand(*ended);
  }
  struct Line {
    Cycle cycle;
    Retired retired;
    friend bool operator==(const Line&, const Line&) = default;
  };
  const std::vector<Line>& read() const { return read_; }
  u64 written() const { return written_; }

 private:
  void expand(const Repeated& repeated) {
    for (u64 i = 0; i < repeated.instructions; ++i)
      read_.push_back({repeated.first + i, read_[read_.size() - repeated.period].retired});
  }

  Repeats repeats_;
  std::vector<Line> read_;
  u64 written_ = 0;
};

TEST(Repeats, two_rounds_are_written_and_the_others_are_counted) {
  Reader reader;
  for (u32 i = 0; i < 3000; ++i) reader.next(instruction(i % 3 * 4), i);
  reader.end();
  EXPECT_EQ(reader.written(), 6u);
  ASSERT_EQ(reader.read().size(), 3000u);
  for (u32 i = 0; i < 3000; ++i)
    EXPECT_EQ(reader.read()[i], (Reader::Line{i, instruction(i % 3 * 4)}));
}

TEST(Repeats, a_value_that_changes_is_no_repetition) {
  Reader reader;
  for (u32 i = 0; i < 300; ++i) reader.next(instruction(i % 3 * 4, i / 3), i);
  reader.end();
  EXPECT_EQ(reader.written(), 300u);
}

TEST(Repeats, a_gap_in_time_ends_a_repetition) {
  Reader reader;
  for (u32 i = 0; i < 30; ++i) reader.next(instruction(0), i);
  for (u32 i = 0; i < 30; ++i) reader.next(instruction(0), 100 + i);
  reader.end();
  EXPECT_EQ(reader.written(), 4u);
  ASSERT_EQ(reader.read().size(), 60u);
  EXPECT_EQ(reader.read()[30].cycle, 100u);
}

TEST(Repeats, loops_of_up_to_96_instructions_are_found) {
  for (const u32 length : {1u, 2u, 95u, 96u, 97u}) {
    Reader reader;
    for (u32 i = 0; i < 1000; ++i) reader.next(instruction(i % length * 4), i);
    reader.end();
    EXPECT_EQ(reader.written(), length <= Repeats::kLongest ? 2 * length : 1000u) << length;
  }
}

TEST(Repeats, whatever_a_core_does_can_be_rebuilt_from_the_trace) {
  std::mt19937 random(7);
  for (u32 round = 0; round < 200; ++round) {
    Reader reader;
    std::vector<Reader::Line> all;
    Cycle cycle = 0;
    const auto next = [&](u32 pc) {
      all.push_back({cycle, instruction(pc)});
      reader.next(instruction(pc), cycle);
      ++cycle;
    };
    for (u32 part = 0; part < 20; ++part) {
      // A loop with an inner loop, left somewhere.
      const u32 inner = random() % 4 + 1;
      const u32 times = random() % 6;
      const u32 outer = random() % 30;
      const u32 length = random() % 400;
      std::vector<u32> body;
      for (u32 i = 0; i < times * inner; ++i) body.push_back(i % inner);
      for (u32 i = 0; i <= outer; ++i) body.push_back(100 + random() % 3);
      for (u32 i = 0; i < length; ++i) next(body[i % body.size()]);
      if (random() % 4 == 0) cycle += random() % 50;
    }
    reader.end();
    ASSERT_EQ(reader.read(), all) << round;
  }
}

TEST(Repeats, whole_rounds_that_are_skipped_leave_no_mark) {
  std::mt19937 random(11);
  for (u32 round = 0; round < 300; ++round) {
    // A loop of few different instructions, so that there are shorter loops within.
    const u32 period = random() % Repeats::kLongest + 1;
    std::vector<u32> body(period);
    for (u32& pc : body) pc = random() % 2;
    Reader runs;
    Reader skips;
    Cycle cycle = 0;
    for (u32 i = 0; i < 60; ++i, ++cycle) {
      const Retired before = instruction(random() % 2);
      runs.next(before, cycle);
      skips.next(before, cycle);
    }
    const u64 rounds = random() % 50 + 10 + 300 / period;
    const u64 rest = random() % period;
    u64 skipped = 0;
    for (u64 i = 0; i < rounds * period + rest; ++i) {
      runs.next(instruction(body[i % period]), cycle + i);
      if (i < skipped) continue;
      if (skips.is_settled(period) && i % period == 0 && i + period <= rounds * period) {
        skips.skip(rounds * period - i);
        skipped = rounds * period;
      } else {
        skips.next(instruction(body[i % period]), cycle + i);
      }
    }
    EXPECT_NE(skipped, 0u);
    for (u32 i = 0; i < 300; ++i) {
      const Retired after = instruction(i < 150 ? random() % 2 : body[i % period]);
      runs.next(after, cycle + rounds * period + rest + i);
      skips.next(after, cycle + rounds * period + rest + i);
    }
    runs.end();
    skips.end();
    ASSERT_EQ(runs.written(), skips.written());
    ASSERT_EQ(runs.read(), skips.read());
  }
}

}  // namespace
}  // namespace bhemu::trace
