// A round that was gone through once is gone through in the same way while what it depends on is
// what it was: whatever KnownRound says of drawn loops, the interpreter has the last word.
#include "riscv/known_round.hpp"

#include <gtest/gtest.h>

#include <random>

#include "riscv/guest.hpp"
#include "riscv/loop_heads.hpp"
#include "support/rounds.hpp"

namespace bhemu::riscv {
namespace {

constexpr u32 kHead = 0x1000;
constexpr u32 kFunction = 0x2000;
constexpr u32 kWords = 0x7000;  // what loops read
constexpr u32 kBase = 8;        // s0, which points there
constexpr u32 kOthers = 20;     // registers from here on no loop uses
constexpr Cycle kLongest = 48;

class View final : public RoundView {
 public:
  explicit View(const Guest& guest) : guest_(guest) {}
  bool fetch(u32 pc, u32& word) override {
    word = guest_.memory.read32(pc);
    return true;
  }
  bool load(u32 address, u32 size, u32& value) override {
    value = 0;
    if (address >= kL1Size) return false;
    std::memcpy(&value, guest_.memory.l1.data() + address, size);
    return true;
  }
  Clock clock_at(u32 address) override { return address == clock ? Clock::Low : Clock::None; }

  u32 clock = 0;

 private:
  const Guest& guest_;
};

/// A loop at kHead that may leave, go two ways, or call a function, as what it reads has it.
void load_loop(Guest& guest, std::mt19937& random) {
  const auto below = [&random](u32 most) { return static_cast<u32>(random() % most); };
  const auto reg = [&] { return 10 + below(5); };
  const auto offset = [&] { return static_cast<i32>(4 * below(4)); };
  std::vector<u32> code;
  for (u32 left = 1 + below(8); left != 0; --left) {
    switch (below(7)) {
      case 0:
        code.push_back(encode_i(Op::lw, reg(), kBase, offset()));
        break;
      case 1:
        code.push_back(encode_i(Op::lbu, reg(), kBase, offset() + 1));
        break;
      case 2:
        code.push_back(encode_i(Op::lh, reg(), kBase, offset() + 2));
        break;
      case 3:
        code.push_back(encode_r(Op::xor_, reg(), reg(), reg()));
        break;
      case 4:
        code.push_back(encode_i(Op::andi, reg(), reg(), 1));
        break;
      case 5:  // over the next one
        code.push_back(encode_b(Op::beq, reg(), reg(), 8));
        code.push_back(encode_i(Op::addi, reg(), 0, static_cast<i32>(below(3))));
        break;
      default:
        code.push_back(
            encode_j(1, static_cast<i32>(kFunction - kHead) - 4 * static_cast<i32>(code.size())));
    }
  }
  code.push_back(encode_b(Op::bne, reg(), reg(), 8));  // out of the loop
  code.push_back(encode_j(0, -4 * static_cast<i32>(code.size())));
  code.push_back(encode_s(Op::sw, 10, kBase, 0x40));
  guest.load(code);
  guest.memory.write_words(
      kFunction, {encode_i(Op::lw, reg(), kBase, offset()), encode_i(Op::ori, reg(), reg(), 1),
                  encode_i(Op::jalr, 0, 1, 0)});
  for (u32 word = 0; word < 5; ++word) guest.memory.write32(kWords + 4 * word, below(3));
  for (u32 i = 10; i < 15; ++i) guest.core.x[i] = below(3);
  guest.core.x[kBase] = kWords;
}

/// Whether the next round is the one that is known.
bool holds(const KnownRound& round, const Guest& guest) {
  const auto words_of = [&](u32 address) { return guest.memory.l1.data() + address; };
  if (!round.begins(guest.core, words_of)) return false;
  for (const KnownRound::Word& word : round.words())
    if (!word.is_in(guest.memory.read32(word.address))) return false;
  return true;
}

/// Steps until the core is at the head again; 0: it is not.
Cycle go_round(Guest& guest) {
  const Cycle begin = guest.core.cycle;
  do {
    if (guest.steps(1) != Outcome::Ok || guest.core.cycle - begin > kLongest) return 0;
  } while (guest.core.pc != kHead);
  return guest.core.cycle - begin;
}

std::array<u32, 32> registers_of(const Guest& guest) {
  std::array<u32, 32> all;
  std::copy_n(guest.core.x.begin(), 32, all.begin());
  return all;
}

/// Something that the next round may depend on.
void change_something(Guest& guest, std::mt19937& random) {
  const auto below = [&random](u32 most) { return static_cast<u32>(random() % most); };
  switch (below(3)) {
    case 0:
      guest.core.x[10 + below(5)] = below(3);
      break;
    case 1:
      guest.memory.write32(kWords + 4 * below(5), below(3));
      break;
    default:
      guest.memory.write32(kFunction + 4 * below(2), encode_i(Op::addi, 10 + below(5), 0, 1));
  }
}

TEST(KnownRound, a_round_that_holds_leaves_what_is_known_and_one_that_nothing_changed_for_holds) {
  unsigned learnt = 0;
  unsigned held = 0;
  unsigned changed = 0;
  const u64 loops = test::rounds(400);
  for (u64 loop = 1; loop <= loops; ++loop) {
    const u32 drawn = static_cast<u32>(test::seed(loop));
    std::mt19937 random(drawn);
    Guest guest;
    load_loop(guest, random);
    if (go_round(guest) == 0 || go_round(guest) == 0) continue;
    const auto before = registers_of(guest);
    const std::vector<u8> memory = guest.memory.l1;
    const CoreState state = guest.core;
    View view(guest);
    const auto round = KnownRound::learn(state, view, kLongest);
    const Cycle period = go_round(guest);
    const bool repeats = period != 0 && registers_of(guest) == before;
    ASSERT_LE(round.has_value(), repeats) << drawn;
    if (!round) continue;
    ++learnt;
    EXPECT_EQ(round->period(), period) << drawn;
    guest.core.x[kOthers] = 1;
    guest.memory.write32(kWords + 0x20, 1);
    EXPECT_TRUE(holds(*round, guest)) << drawn;
    EXPECT_TRUE(round->is_settled(guest.core)) << drawn;
    for (int change = 0; change < 12; ++change) {
      change_something(guest, random);
      if (!holds(*round, guest)) continue;
      ++held;
      CoreState told = guest.core;
      round->go_through(told);
      changed += told.x != guest.core.x;
      EXPECT_EQ(told.x == guest.core.x, round->is_settled(guest.core)) << drawn;
      ASSERT_EQ(go_round(guest), period) << drawn;
      EXPECT_TRUE(std::equal(told.x.begin(), told.x.begin() + 32, guest.core.x.begin())) << drawn;
      EXPECT_EQ(told.cycle, guest.core.cycle) << drawn;
      EXPECT_EQ(told.instret, guest.core.instret) << drawn;
      EXPECT_TRUE(round->is_settled(guest.core)) << drawn;
    }
  }
  EXPECT_GT(learnt, loops / 8);
  EXPECT_GT(held, loops / 8);
  EXPECT_GT(changed, loops / 32);
}

TEST(KnownRound, what_a_round_writes_before_it_reads_it_may_have_been_anything) {
  Guest guest;
  // t1 is read first, t2 written first; both are the same after each round.
  guest.load({encode_i(Op::lw, 10, kBase, 0), encode_i(Op::addi, 11, 11, 0),
              encode_i(Op::addi, 12, 10, 5), encode_j(0, -12)});
  guest.core.x[kBase] = kWords;
  guest.core.x[11] = 7;
  guest.core.x[12] = 5;
  View view(guest);
  const auto round = KnownRound::learn(guest.core, view, kLongest);
  ASSERT_TRUE(round);
  guest.core.x[10] = guest.core.x[12] = 0x1234;
  EXPECT_TRUE(holds(*round, guest));
  EXPECT_FALSE(round->is_settled(guest.core));
  CoreState state = guest.core;
  round->go_through(state);
  EXPECT_EQ(state.x[10], 0u);
  EXPECT_EQ(state.x[12], 5u);
  EXPECT_EQ(state.pc, guest.core.pc);
  EXPECT_EQ(state.cycle, guest.core.cycle + 4);
  EXPECT_EQ(state.instret, guest.core.instret + 4);
  EXPECT_TRUE(round->is_settled(state));
  guest.core.x[11] = 8;
  EXPECT_FALSE(holds(*round, guest));
}

TEST(KnownRound, words_have_the_bytes_that_the_round_reads_and_no_others) {
  Guest guest;
  guest.load({encode_i(Op::lbu, 10, kBase, 9), encode_i(Op::lhu, 11, kBase, 10),
              encode_b(Op::beq, 10, 11, -8)});
  guest.core.x[kBase] = kWords;
  View view(guest);
  const auto round = KnownRound::learn(guest.core, view, kLongest);
  ASSERT_TRUE(round);
  ASSERT_EQ(round->words().size(), 1u);
  EXPECT_EQ(round->words()[0].address, kWords + 8);
  EXPECT_EQ(round->words()[0].mask, 0xFFFFFF00u);
  guest.memory.write32(kWords + 8, 0xFF);
  EXPECT_TRUE(holds(*round, guest));
  guest.memory.write32(kWords + 8, 0x0100'0000);
  EXPECT_FALSE(holds(*round, guest));
}

TEST(KnownRound, a_round_does_not_hold_where_an_instruction_far_from_its_head_is_another) {
  Guest guest;
  guest.load({encode_j(1, kFunction - kHead), encode_j(0, -4)});
  const u32 look = encode_i(Op::lw, 10, kBase, 0);
  guest.memory.write_words(kFunction, {look, encode_i(Op::jalr, 0, 1, 0)});
  guest.core.x[kBase] = kWords;
  guest.core.x[1] = kHead + 4;
  View view(guest);
  const auto round = KnownRound::learn(guest.core, view, kLongest);
  ASSERT_TRUE(round);
  EXPECT_TRUE(holds(*round, guest));
  guest.memory.write32(kFunction, encode_i(Op::lw, 10, kBase, 4));
  EXPECT_FALSE(holds(*round, guest));
  guest.memory.write32(kFunction, look);
  EXPECT_TRUE(holds(*round, guest));
}

TEST(KnownRound, a_round_that_reads_a_clock_counts_stores_or_reads_much_is_not_learnt) {
  const auto learns = [](const std::vector<u32>& body) {
    Guest guest;
    std::vector<u32> code = body;
    code.push_back(encode_j(0, -4 * static_cast<i32>(body.size())));
    guest.load(code);
    guest.core.x[kBase] = kWords;
    View view(guest);
    view.clock = kWords + 0x30;
    return KnownRound::learn(guest.core, view, kLongest).has_value();
  };
  EXPECT_TRUE(learns({encode_i(Op::lw, 10, kBase, 0)}));
  EXPECT_FALSE(learns({encode_i(Op::lw, 10, kBase, 0x30)}));
  EXPECT_FALSE(learns({encode_i(Op::lw, 10, kBase, 0x30), encode_i(Op::addi, 10, 0, 0)}));
  EXPECT_FALSE(learns({encode_i(Op::addi, 10, 10, 1)}));
  EXPECT_FALSE(learns({encode_s(Op::sw, 10, kBase, 0)}));
  std::vector<u32> many;
  for (i32 word = 0; word < 8; ++word) many.push_back(encode_i(Op::lw, 10, kBase, 4 * word));
  EXPECT_TRUE(learns(many));
  many.push_back(encode_i(Op::lb, 10, kBase, 32));
  EXPECT_FALSE(learns(many));
  std::vector<u32> wide;
  for (u32 i = 10; i < 17; ++i) wide.push_back(encode_i(Op::lw, i, kBase, 0));
  EXPECT_TRUE(learns(wide));
  wide.push_back(encode_i(Op::lw, 17, kBase, 0));
  EXPECT_FALSE(learns(wide));
}

TEST(KnownRound, a_loop_is_learnt_less_and_less_often_until_what_was_learnt_is_of_use) {
  const std::vector<u8> l1(kL1Size);
  LoopHeads heads;
  heads.add(kHead, 4, l1.data());
  EXPECT_EQ(heads.round_at(kHead).known, nullptr);
  std::vector<u32> learnt_at;
  const auto park = [&](u32 time) {
    if (!heads.was_of_use(kHead)) return;
    heads.learn(kHead, std::make_shared<const KnownRound>());
    learnt_at.push_back(time);
  };
  for (u32 time = 1; time <= 20; ++time) park(time);
  EXPECT_EQ(learnt_at, (std::vector<u32>{2, 4, 8, 16}));
  heads.was_known(kHead, true);
  park(21);
  EXPECT_EQ(learnt_at.back(), 21u);
}

TEST(KnownRound, who_comes_by_first_is_not_asked_where_time_and_again_it_was_in_vain) {
  const std::vector<u8> l1(kL1Size);
  LoopHeads heads;
  heads.add(kHead, 4, l1.data());
  heads.learn(kHead, std::make_shared<const KnownRound>());
  EXPECT_TRUE(heads.round_at(kHead).early);
  for (int i = 0; i < 3; ++i) heads.was_not_known_early(kHead);
  heads.was_known(kHead, true);
  for (int i = 0; i < 3; ++i) heads.was_not_known_early(kHead);
  EXPECT_TRUE(heads.round_at(kHead).early);
  heads.was_not_known_early(kHead);
  EXPECT_FALSE(heads.round_at(kHead).early);
  EXPECT_NE(heads.round_at(kHead).known, nullptr);
  heads.was_known(kHead, true);
  EXPECT_TRUE(heads.round_at(kHead).early);
}

TEST(KnownRound, a_round_that_time_and_again_is_not_the_one_is_forgotten) {
  const std::vector<u8> l1(kL1Size);
  LoopHeads heads;
  heads.add(kHead, 4, l1.data());
  heads.learn(kHead, std::make_shared<const KnownRound>());
  for (int i = 0; i < 3; ++i) heads.was_known(kHead, false);
  heads.was_known(kHead, true);
  for (int i = 0; i < 3; ++i) heads.was_known(kHead, false);
  EXPECT_NE(heads.round_at(kHead).known, nullptr);
  heads.was_known(kHead, false);
  EXPECT_EQ(heads.round_at(kHead).known, nullptr);
  heads.learn(kHead, std::make_shared<const KnownRound>());
  heads.clear();
  EXPECT_EQ(heads.round_at(kHead).known, nullptr);
}

}  // namespace
}  // namespace bhemu::riscv
