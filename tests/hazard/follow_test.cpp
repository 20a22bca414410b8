// What a wait proves: the way from a load to a branch, gone again with other values.
#include "hazard/follow.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/assembler.hpp"

namespace bhemu::hazard {
namespace {

using namespace bhemu::test;

/// Executes straight code on values, as the core that is followed.
class Followed {
 public:
  Followed() : l1_(kL1Size), copy_(l1_.data(), benches_), follower(copy_) {}

  void load(Reg reg, u32 value, u32 certain, u32 latest, u8 size = 4) {
    x_[reg] = value;
    Look look;
    look.kind = Look::Kind::Pages;
    look.size = size;
    look.value = value;
    look.certain = certain;
    look.latest = latest;
    follower.loaded(reg, std::move(look));
  }
  /// Executes one instruction; the look that it was a branch on.
  Look* step(u32 word) {
    const u32 opcode = word & 0x7F;
    const u32 a = x_[word >> 15 & 31];
    const u32 b = x_[word >> 20 & 31];
    u32 next = kPc + 4;
    if (opcode == 0x63) {
      next = copy_.is_taken(word, a, b) ? kPc - 16 : next;
    } else {
      x_[word >> 7 & 31] = copy_.result_of(word, a, b);
    }
    return follower.executed(kPc, word, a, b, next);
  }
  Look* run(Assembler& code) {
    Look* look = nullptr;
    for (const u32 word : code.finish()) look = step(word);
    return look;
  }
  u32& x(Reg reg) { return x_[reg]; }

 private:
  static constexpr u32 kPc = 0x1000;
  std::vector<u8> l1_;
  CopyBenches benches_;
  Copy copy_;
  std::array<u32, 32> x_{};

 public:
  Follower follower;
};

/// The least count, from the certain one on, that would have ended the loop.
std::optional<u32> least(Followed& core, const Look& look) {
  for (u32 count = look.certain; count <= look.latest; ++count)
    if (core.follower.would_have_come(look, count & 0xFFFF)) return count;
  return std::nullopt;
}

TEST(Follow, a_wait_for_some_pages_proves_those_and_not_what_else_is_there) {
  for (const u32 acked : {0u, 5u, 65534u, 70000u}) {
    for (u32 wanted = 1; wanted < 4; ++wanted) {
      Followed core;
      // while (((received - acked) & 0xFFFF) < wanted): the branch back is not taken at the end.
      core.load(a0, (acked + 9) & 0xFFFF, acked, acked + 9);
      core.load(a1, acked & 0xFFFF, acked, acked);
      core.x(a3) = wanted;
      Assembler code;
      code.word(0x40000033 | a2 << 7 | a0 << 15 | a1 << 20);  // sub a2, a0, a1
      code.slli(a2, a2, 16);
      code.word(0x00005013 | a2 << 7 | a2 << 15 | 16 << 20);  // srli a2, a2, 16
      code.word(0xFE006863 | a2 << 15 | a3 << 20);            // bltu a2, a3, back
      const Look* look = core.run(code);
      ASSERT_NE(look, nullptr);
      EXPECT_EQ(look->certain, acked);
      EXPECT_EQ(least(core, *look), acked + wanted);
    }
  }
}

TEST(Follow, a_value_that_was_compared_for_equality_is_the_only_one_that_ends_the_loop) {
  Followed core;
  core.load(a0, 9, 2, 9);
  core.x(a1) = 9;
  Assembler code;
  code.word(0xFE001863 | a0 << 15 | a1 << 20);  // bne a0, a1, back
  const Look* look = core.run(code);
  ASSERT_NE(look, nullptr);
  EXPECT_EQ(least(core, *look), 9u);
}

TEST(Follow, two_branches_on_one_value_are_taken_together) {
  // while (sync != 0x80 && sync != 1): the second ends it.
  Followed core;
  core.load(a0, 1, 0, 1, 1);
  core.x(a1) = 0x80;
  core.x(a2) = 1;
  Assembler code;
  code.word(0xFE000863 | a0 << 15 | a1 << 20);  // beq a0, a1: not taken
  code.word(0xFE000863 | a0 << 15 | a2 << 20);  // beq a0, a2: taken
  const Look* look = core.run(code);
  ASSERT_NE(look, nullptr);
  EXPECT_TRUE(core.follower.would_have_come(*look, 1));
  EXPECT_FALSE(core.follower.would_have_come(*look, 0x80));
  EXPECT_FALSE(core.follower.would_have_come(*look, 0));
}

TEST(Follow, a_value_made_of_something_else_proves_nothing) {
  Followed core;
  core.load(a0, 3, 0, 3);
  Assembler code;
  code.li(a0, 3);
  code.word(0xFE006863 | a0 << 15 | a3 << 20);
  EXPECT_EQ(core.run(code), nullptr);
}

TEST(Follow,
     a_count_that_is_kept_in_memory_proves_page_after_page_however_much_is_looked_at_since) {
  constexpr u32 kEnd = 0xFFB00010;
  Followed core;
  core.load(a0, 5, 0, 5);
  Assembler make_end;
  make_end.slli(a1, a0, 12);
  core.run(make_end);
  core.follower.put_away(kEnd, 4, a1);
  for (u32 pages = 0; pages < 5; ++pages) {
    for (u32 i = 0; i < 100; ++i) {  // data, which the core keeps copies of
      core.load(t0, i, 0, ~0u);
      Assembler work;
      work.addi(t0, t0, 1);
      core.run(work);
      core.follower.put_away(kEnd + 16 + 4 * i, 4, t0);
    }
    core.x(a2) = 5 << 12;
    core.follower.fetch(a2, kEnd, 4, true);
    core.x(a3) = pages << 12;
    Assembler at_end;
    at_end.word(0xFE000863 | a3 << 15 | a2 << 20);  // beq a3, a2: not taken
    const Look* look = core.run(at_end);
    ASSERT_NE(look, nullptr) << pages;
    EXPECT_EQ(least(core, *look), pages + 1);
  }
}

TEST(Follow, a_number_that_is_made_of_a_look_twice_changes_in_both_places) {
  // taken = min(count, 3); rest = count - taken; if (rest == 0) ...: not so.
  Followed core;
  core.load(a0, 5, 0, 5);
  core.x(a1) = 3;
  Assembler code;
  code.word(0x0A005033 | a2 << 7 | a0 << 15 | a1 << 20);  // minu a2, a0, a1
  code.word(0x40000033 | a3 << 7 | a0 << 15 | a2 << 20);  // sub a3, a0, a2
  code.word(0xFE000863 | a3 << 15 | zero << 20);          // beqz a3: not taken
  const Look* look = core.run(code);
  ASSERT_NE(look, nullptr);
  EXPECT_EQ(least(core, *look), 4u);
}

TEST(Follow, an_address_that_is_made_of_a_look_proves_what_it_was_made_of) {
  Followed core;
  core.load(a0, 5, 2, 5);
  Assembler code;
  code.slli(a1, a0, 4);
  core.run(code);
  ASSERT_TRUE(core.follower.is_open(a1));
  const Look* look = core.follower.chosen_by(a1, 5 << 4);
  ASSERT_NE(look, nullptr);
  EXPECT_EQ(least(core, *look), 5u);
  core.x(a1) = 0;
  Assembler other;
  other.li(a1, 0);
  core.run(other);
  EXPECT_FALSE(core.follower.is_open(a1));
}

TEST(Copy, a_loop_without_effects_comes_back_and_one_that_stores_does_not) {
  for (const bool stores : {false, true}) {
    std::vector<u8> l1(kL1Size);
    Assembler code(0x2000);
    code.label("loop");
    code.lw(t0, 0, a0);
    code.bne(t0, zero, "out");
    if (stores) code.sw(t1, 4, a0);
    code.fence();
    code.j("loop");
    code.label("out");
    const std::vector<u32> words = code.finish();
    std::memcpy(l1.data() + 0x2000, words.data(), words.size() * 4);
    CopyBenches benches;
    Copy copy(l1.data(), benches);
    riscv::CoreState state;
    state.x[a0] = 0x8000;
    EXPECT_EQ(copy.comes_back(state, 0x2008, 0x2000, 0x8000), !stores);
    EXPECT_FALSE(copy.comes_back(state, 0x2008, 0x2000, 0x8004)) << "another address";
  }
}

TEST(Copy, a_loop_of_which_a_compiler_has_made_several_rounds_one_comes_back) {
  // As tt-metal's dispatcher waits for pages: two rounds, each with a store to local memory.
  constexpr u32 kLocal = 0xFFB00000;
  for (const unsigned rounds : {2u, 3u}) {
    for (const bool stores : {false, true}) {
      std::vector<u8> l1(kL1Size);
      Assembler code(0x2000);
      code.label("loop");
      for (unsigned round = 0; round < rounds; ++round) {
        code.fence();
        code.lw(t0, 0, a0);
        code.lw(t1, 44, a1);
        code.sw(t0, 40, stores && round == 1 ? a0 : a1);
        if (round + 1 < rounds) code.bne(t0, t1, "out");
      }
      code.beq(t0, t1, "loop");
      code.label("out");
      code.addi(t2, t2, 1);
      code.sw(t0, 4, a0);
      const std::vector<u32> words = code.finish();
      std::memcpy(l1.data() + 0x2000, words.data(), words.size() * 4);
      CopyBenches benches;
      Copy copy(l1.data(), benches);
      riscv::CoreState state;
      state.x[a0] = 0x8000;
      state.x[a1] = kLocal;
      const u32 behind_first = 0x2014;
      const u32 behind_last = 0x2000 + rounds * 20;
      EXPECT_EQ(copy.comes_back(state, behind_first, 0x2004, 0x8000), !stores) << rounds;
      if (!stores) {
        EXPECT_TRUE(copy.comes_back(state, 0x2000, behind_last - 16, 0x8000)) << rounds;
      }
      EXPECT_FALSE(copy.comes_back(state, behind_last, 0x2004, 0x8000)) << "it goes on";
    }
  }
}

}  // namespace
}  // namespace bhemu::hazard
