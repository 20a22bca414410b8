// What is a lock, what locks keep apart, and what a word proves that several have written.
#include "race/bench.hpp"

#include <gtest/gtest.h>

namespace bhemu::race::test {
namespace {

constexpr u32 kLock = 0x20000;
constexpr u32 kData = 0x20040;
constexpr unsigned kRounds = 3;
using How = SyncWord::How;

TEST(LockBook, a_word_that_its_takers_let_go_again_is_a_lock) {
  LockBook book;
  for (const unsigned by : {0u, 1u, 0u}) {
    book.changed(kLock, by, {0, 1});
    book.proved(kLock, by);
    book.stored(kLock, by, 0);
  }
  EXPECT_EQ(book.locks(), std::vector<LockWord>{{kLock}});
}

TEST(LockBook, a_word_of_one_taker_or_that_nobody_looks_at_is_none) {
  LockBook one_taker;
  LockBook unproved;
  for (unsigned round = 0; round < kRounds; ++round) {
    one_taker.changed(kLock, 0, {0, 1, How::Set, true});
    one_taker.stored(kLock, 0, 0);
    unproved.changed(kLock, round % 2, {0, 1});
    unproved.stored(kLock, round % 2, 0);
  }
  EXPECT_TRUE(one_taker.locks().empty());
  EXPECT_TRUE(unproved.locks().empty());
}

TEST(LockBook, counts_and_messages_are_none) {
  LockBook counts;
  LockBook messages;
  for (unsigned round = 0; round < kRounds; ++round) {
    for (const unsigned by : {0u, 1u})
      counts.changed(kLock, by, {2 * round + by, 2 * round + by + 1, How::Set, true});
    messages.changed(kLock, 0,
                     {0, 7 + round, How::Set, true});  // put in by one, taken out by the other
    messages.changed(kLock, 1, {7 + round, 0, How::Set, true});
  }
  EXPECT_TRUE(counts.locks().empty());
  EXPECT_TRUE(messages.locks().empty());
}

TEST(LockBook, a_word_that_somebody_else_writes_while_it_is_held_is_none) {
  LockBook book;
  book.changed(kLock, 0, {0, 1, How::Set, true});
  book.stored(kLock, 1, 0);
  book.changed(kLock, 1, {0, 1, How::Set, true});
  book.stored(kLock, 1, 0);
  EXPECT_TRUE(book.locks().empty());
}

TEST(LockBook, a_ticket_lock_draws_its_numbers_from_one_word) {
  for (const bool same : {true, false}) {
    LockBook book;
    for (u32 number = 0; number < 4; ++number) {
      const unsigned by = number % 2;
      book.waited(kLock, by, same ? kData : kData + 4 * by);
      book.stored(kLock, by, number + 1);
    }
    EXPECT_EQ(book.locks().empty(), !same);
  }
}

/// Takes a bit, and lets it go.
void use_bit(LockBook& book, Taker by, unsigned bit, u32 others, bool looks = true) {
  const u32 set = others | 1u << bit;
  book.changed(kLock, by, {others, set, How::Or});
  if (looks) book.proved(kLock, by, 1u << bit);
  book.changed(kLock, by, {set, others, How::And});
}

TEST(LockBook, bits_of_a_word_are_locks_of_their_own) {
  LockBook book;
  book.changed(kLock, 2, {0, 1u << 5, How::Or});  // held while others take the other bit
  book.proved(kLock, 2, 1u << 5);
  use_bit(book, 0, 3, 1u << 5);
  use_bit(book, 1, 3, 1u << 5);
  book.changed(kLock, 2, {1u << 5, 0, How::And});
  use_bit(book, 1, 5, 0);
  EXPECT_EQ(book.locks(), (std::vector<LockWord>{{kLock, 1u << 3}, {kLock, 1u << 5}}));
}

TEST(LockBook, a_bit_that_nobody_looks_at_is_a_flag_and_no_lock) {
  LockBook book;
  use_bit(book, 0, 3, 0);
  use_bit(book, 1, 3, 0);
  book.changed(kLock, 2, {0, 1u << 5, How::Or});
  EXPECT_TRUE(book.locks().empty());
}

TEST(LockBook, a_store_to_the_word_takes_the_other_bit_from_its_holder) {
  LockBook book;
  book.changed(kLock, 2, {0, 1u << 5, How::Or, true});
  book.changed(kLock, 0, {1u << 5, 1u << 5 | 1u << 3, How::Or, true});
  book.stored(kLock, 0, 1u << 5);
  use_bit(book, 1, 3, 1u << 5);
  EXPECT_TRUE(book.locks().empty());
}

TEST(LockBook, who_adds_in_vain_takes_it_back) {
  for (const bool takes_back : {true, false}) {
    LockBook book;
    book.changed(kLock, 0, {0, 1, How::Add, true});
    book.changed(kLock, 1, {1, 2, How::Add, true});
    if (takes_back) book.changed(kLock, 1, {2, 1, How::Add});
    book.changed(kLock, 0, {takes_back ? 1u : 2u, takes_back ? 0u : 1u, How::Add});
    if (takes_back) book.changed(kLock, 1, {0, 1, How::Add, true});
    book.changed(kLock, 1, {1, 0, How::Add});
    EXPECT_EQ(book.locks().empty(), !takes_back);
  }
}

TEST(LockBook, cores_of_other_tiles_take_a_lock_when_they_look_at_the_answer) {
  for (const bool looks : {true, false}) {
    LockBook book;
    const auto looked = std::make_shared<std::atomic<bool>>(looks);
    for (const Taker by : {taker_elsewhere(1, 0), taker_elsewhere(2, 0)}) {
      book.changed(kLock, by, {0, 1, How::Set, false, looked});
      book.stored(kLock, by, 0);
    }
    if (looks)
      EXPECT_EQ(book.locks(), (std::vector<LockWord>{{kLock, ~u32{0}, 0, true}}));
    else
      EXPECT_TRUE(book.locks().empty());
  }
}

/// Two cores take a lock one after the other; the detector is told that it is one.
class Exclusion : public testing::Test {
 protected:
  static Settings settings(bool without_locks) {
    Settings settings;
    settings.without_locks = without_locks;
    settings.locks = {{kLock}};
    return settings;
  }
  std::size_t found(bool first_holds, bool second_holds) {
    Bench b(settings(true));
    const auto use = [&b](unsigned core) {
      if (core == kBrisc)
        b.store(core, l1(kData));
      else
        b.load_use(core, l1(kData));
    };
    const auto visit = [&](unsigned core, bool holds) {
      b.take(core, l1(kLock));
      if (holds) use(core);
      b.store(core, l1(kLock));
      if (!holds) use(core);
    };
    visit(kBrisc, first_holds);
    visit(kNcrisc, second_holds);
    return b.detector.findings().size();
  }
};

TEST_F(Exclusion, accesses_under_one_lock_are_kept_apart) {
  EXPECT_EQ(found(true, true), 0u);
}

TEST_F(Exclusion, an_access_beside_the_lock_is_found_whoever_was_first) {
  EXPECT_EQ(found(false, true), 1u);
  EXPECT_EQ(found(true, false), 1u);
}

TEST_F(Exclusion, an_access_that_is_not_done_when_the_lock_is_let_go_was_not_made_under_it) {
  for (const bool read_back : {false, true}) {
    Bench b(settings(true));
    const Location field{Place::Config, 1, 3};
    for (const unsigned core : {kBrisc, kTrisc0}) {
      b.take(core, l1(kLock));
      b.store(core, field, Region::Config);
      if (read_back || core == kBrisc) b.load_use(core, field, Region::Config);
      b.store(core, l1(kLock));
    }
    EXPECT_EQ(b.detector.findings().empty(), read_back);
  }
}

TEST_F(Exclusion, a_mutex_of_the_sync_unit_orders_nothing_either) {
  using namespace tensix;
  for (const bool held : {true, false}) {
    Bench b(settings(true));
    const Location field{Place::Config, 1, 3};
    const u32 get = word<op::ATGETM>({{"mutex_index", 2}});
    const u32 let = word<op::ATRELM>({{"mutex_index", 2}});
    const u32 change = word<op::RMWCIB0>({{"cfg_reg_addr", 1}, {"mask", 1}, {"data", 1}});
    for (const unsigned thread : {0u, 1u}) {
      b.issue(thread, get);
      if (held || thread == 0) b.run(thread, change, field, Mode::Write);
      b.issue(thread, let);
      if (!held && thread == 1) b.run(thread, change, field, Mode::Write);
    }
    EXPECT_EQ(b.detector.findings().empty(), held);
  }
}

/// Four writers of a word, each with a bit of its own and something that it alone knows.
class SeveralWriters : public testing::Test {
 protected:
  static constexpr u16 kTile = 1;
  Epoch epoch(unsigned writer) { return {1, store_of(writer, Region::L1), kTile}; }
  Clock clock(unsigned writer) {
    Clock clock;
    clock.raise(epoch(writer));
    return clock;
  }
  void set(SyncWord& word, unsigned writer) {
    const u32 value = word.value_at(word.version()) | 1u << writer;
    word.change(value, clock(writer), epoch(writer), SyncWord::How::Or, 1u << writer);
  }
  const Epoch look_{1, program_of(4), kTile};
};

TEST_F(SeveralWriters, all_are_known_when_all_bits_are_waited_for) {
  SyncWord word;
  for (unsigned writer = 0; writer < 4; ++writer) set(word, writer);
  const auto known = word.proved({}, look_, 4, [](u32 value) { return value == 0xF; });
  ASSERT_TRUE(known);
  for (unsigned writer = 0; writer < 4; ++writer) EXPECT_TRUE(known->knows(epoch(writer)));
}

TEST_F(SeveralWriters, of_two_bits_of_which_one_will_do_neither_is_known) {
  SyncWord word;
  for (unsigned writer = 0; writer < 4; ++writer) set(word, writer);
  const auto known = word.proved({}, look_, 2, [](u32 value) { return (value & 6) != 0; });
  ASSERT_TRUE(known);
  for (unsigned writer = 0; writer < 4; ++writer) EXPECT_FALSE(known->knows(epoch(writer)));
}

TEST_F(SeveralWriters, one_who_comes_later_and_could_have_come_first_makes_it_luck) {
  SyncWord word;
  set(word, 1);
  word.note_proof({}, look_, 1, SyncWord::kAllBytes);
  EXPECT_EQ(word.in_luck(), nullptr);
  set(word, 2);
  const auto all = word.in_luck();
  ASSERT_NE(all, nullptr);
  // The same run again, knowing what is to come.
  SyncWord again;
  again.expect(all);
  set(again, 1);
  const auto known = again.proved({}, look_, 1, [](u32 value) { return (value & 6) != 0; });
  ASSERT_TRUE(known);
  EXPECT_FALSE(known->knows(epoch(1)));
}

TEST_F(SeveralWriters,
       who_changes_other_bytes_than_were_looked_at_could_have_come_whenever_it_liked) {
  for (const u8 bytes : {1, 2}) {
    SyncWord word;
    word.write(1, 1, clock(1), epoch(1));
    word.note_proof({}, look_, 1, 1);
    word.write(bytes, 0, clock(2), epoch(2));
    EXPECT_EQ(word.in_luck() != nullptr, bytes == 1);
  }
}

TEST_F(SeveralWriters, a_look_that_tells_nothing_new_depends_on_nobody) {
  for (const bool knows : {false, true}) {
    SyncWord word;
    set(word, 1);
    word.note_proof(knows ? clock(1) : Clock(), look_, 1, SyncWord::kAllBytes);
    set(word, 2);
    EXPECT_EQ(word.in_luck() == nullptr, knows);
  }
}

TEST_F(SeveralWriters, who_knows_of_the_first_could_not_have_come_before) {
  SyncWord word;
  set(word, 1);
  Clock later = clock(2);
  later.join(clock(1));
  word.change(6, later, epoch(2), SyncWord::How::Or, 4);
  const auto known = word.proved({}, look_, 2, [](u32 value) { return value != 0; });
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->knows(epoch(1)));
  EXPECT_FALSE(known->knows(epoch(2)));
}

}  // namespace
}  // namespace bhemu::race::test
