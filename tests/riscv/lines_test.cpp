// Decoded code, shared by the tiles of a device.
#include "riscv/lines.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "riscv/decode.hpp"
#include "riscv/guest.hpp"
#include "support/assembler.hpp"

namespace bhemu::riscv {
namespace {

using Words = std::array<u32, kLineWords>;

/// L1 of a tile that shares a cache.
struct Sharer {
  explicit Sharer(std::shared_ptr<LineCache> cache) : lines(std::move(cache)) {}

  void write(u32 address, const Words& words) {
    std::memcpy(l1.data() + address, words.data(), kLineBytes);
    lines.forget(address);
  }
  void decode(u32 pc) { lines.decode(pc, l1.data()); }
  u32 place(u32 pc) const { return lines.table().places[pc / kLineBytes]; }
  const Decoded& entry(u32 pc) const {
    return lines.table().blocks[place(pc) * kLineStride + pc % kLineBytes / 4];
  }

  std::vector<u8> l1 = std::vector<u8>(kL1Size);
  CodeLines lines;
};

Words words_from(u32 first) {
  Words words;
  for (u32 i = 0; i < kLineWords; ++i)
    words[i] = encode_i(Op::addi, 10, 10, static_cast<i32>(first + i));
  return words;
}

bool is_same(const Decoded& a, const Decoded& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(Lines, what_one_tile_has_decoded_is_there_for_the_next) {
  const auto cache = std::make_shared<LineCache>();
  Sharer a(cache), b(cache);
  a.write(0x1000, words_from(1));
  b.write(0x1000, words_from(1));
  a.decode(0x1008);
  b.decode(0x103C);
  EXPECT_NE(a.place(0x1000), 0u);
  EXPECT_EQ(a.place(0x1000), b.place(0x1000));
}

TEST(Lines,
     the_head_of_a_loop_is_one_as_long_as_the_words_of_its_line_stand_and_for_one_tile_only) {
  const auto cache = std::make_shared<LineCache>();
  Sharer a(cache), b(cache);
  for (Sharer* tile : {&a, &b}) {
    tile->write(0x1000, words_from(1));
    tile->decode(0x1000);
  }
  const Decoded plain = a.entry(0x1008);
  a.lines.add_head(0x1008, 5, a.l1.data());
  EXPECT_EQ(a.place(0x1000), 0u);
  a.decode(0x1000);
  const auto op_of = [](const Decoded& entry) { return static_cast<Op>(entry.op); };
  EXPECT_EQ(op_of(a.entry(0x1008)), Op::loop_head);
  EXPECT_TRUE(is_same(a.entry(0x1004), b.entry(0x1004)));
  EXPECT_TRUE(is_same(b.entry(0x1008), plain));
  Decoded own = a.entry(0x1008);
  own.op = reinterpret_cast<const u8*>(&a.entry(0x1000) + kOwnOps)[2];
  EXPECT_TRUE(is_same(own, plain));

  a.write(0x1000, words_from(7));
  EXPECT_FALSE(a.lines.is_head(0x1008, a.l1.data()));
  a.decode(0x1000);
  EXPECT_EQ(op_of(a.entry(0x1008)), Op::addi);
  a.write(0x1000, words_from(1));
  EXPECT_TRUE(a.lines.is_head(0x1008, a.l1.data()));
  a.decode(0x1000);
  EXPECT_EQ(op_of(a.entry(0x1008)), Op::loop_head);
}

TEST(Lines, stores_of_zero_to_words_that_follow_one_another_are_one_entry_up_to_a_head) {
  Sharer tile(std::make_shared<LineCache>());
  Words words = words_from(1);
  const auto clear = [&](u32 first, std::vector<i32> offsets, u32 base = 15) {
    for (const i32 offset : offsets) words[first++] = encode_s(Op::sw, 0, base, offset);
  };
  clear(0, {-4, -8, -12, -16, -20});  // four, and one by itself
  clear(5, {0, 4});
  clear(7, {0, 8, 16});  // with gaps
  clear(11, {40}, 14);
  clear(12, {44});  // another base
  clear(13, {8, 4, 0});
  tile.write(0x1000, words);
  tile.decode(0x1000);
  const auto count_at = [&](u32 index) {
    const Decoded& entry = tile.entry(0x1000 + 4 * index);
    return static_cast<Op>(entry.op) == Op::clear_words ? entry.rd : 0u;
  };
  const std::map<u32, u32> expected{{0, 4}, {5, 2}, {13, 3}};
  for (u32 i = 0; i < kLineWords; ++i)
    EXPECT_EQ(count_at(i), expected.contains(i) ? expected.at(i) : 0u) << i;

  tile.lines.add_head(0x1008, 5, tile.l1.data());  // into the middle of four
  tile.decode(0x1000);
  EXPECT_EQ(count_at(0), 2u);
  EXPECT_EQ(static_cast<Op>(tile.entry(0x1008).op), Op::loop_head);
  const u8* const own = reinterpret_cast<const u8*>(&tile.entry(0x1000) + kOwnOps);
  EXPECT_EQ(static_cast<Op>(own[2]), Op::clear_words);
  EXPECT_EQ(tile.entry(0x1008).rd, 3u);
}

TEST(Lines, the_top_of_a_loop_is_where_the_next_branch_or_jump_back_over_an_instruction_goes) {
  test::Assembler a;
  a.label("outer");
  a.addi(test::a0, test::a0, 1);
  a.label("inner");
  a.lw(test::a1, 0, test::s0);
  a.bne(test::a1, test::zero, "out");
  a.lw(test::a2, 0, test::s0);
  a.beq(test::a1, test::a2, "inner");
  a.label("out");
  a.addi(test::a0, test::a0, 1);
  a.j("outer");
  const u32 end = a.here();
  a.addi(test::a0, test::a0, 1);
  const std::vector<u32> words = a.finish();
  const u8* const l1 = reinterpret_cast<const u8*>(words.data());
  const u32 bytes = static_cast<u32>(words.size()) * 4;
  EXPECT_EQ(top_of_loop(0, l1, bytes), 0u);
  for (u32 pc = 4; pc <= 16; pc += 4) EXPECT_EQ(top_of_loop(pc, l1, bytes), 4u) << pc;
  for (u32 pc = 20; pc < end; pc += 4) EXPECT_EQ(top_of_loop(pc, l1, bytes), 0u) << pc;
  EXPECT_EQ(top_of_loop(end, l1, bytes), end);
}

TEST(Lines, the_head_of_a_loop_is_given_up_when_looks_are_in_vain_and_the_oldest_makes_room) {
  Sharer tile(std::make_shared<LineCache>());
  const auto is_head = [&](u32 pc) { return tile.lines.is_head(pc, tile.l1.data()); };
  tile.lines.add_head(0x1008, 5, tile.l1.data());
  for (int i = 0; i < 3; ++i) tile.lines.head_was_in_vain(0x1008);
  tile.lines.head_was_of_use(0x1008);
  for (int i = 0; i < 3; ++i) tile.lines.head_was_in_vain(0x1008);
  tile.decode(0x1008);
  EXPECT_TRUE(is_head(0x1008));
  tile.lines.head_was_in_vain(0x1008);
  EXPECT_FALSE(is_head(0x1008));
  EXPECT_EQ(tile.place(0x1008), 0u) << "its line is decoded again";

  for (u32 i = 0; i < 24; ++i) tile.lines.add_head(0x2000 + 4 * i, 5, tile.l1.data());
  EXPECT_TRUE(is_head(0x2000));
  tile.decode(0x2000);
  tile.lines.add_head(0x3000, 5, tile.l1.data());
  EXPECT_FALSE(is_head(0x2000));
  EXPECT_TRUE(is_head(0x2004));
  EXPECT_TRUE(is_head(0x3000));
}

TEST(Lines, the_same_words_at_another_address_are_other_code) {
  Sharer tile(std::make_shared<LineCache>());
  Words words{};
  words[0] = 0x00000517;  // auipc a0, 0
  tile.write(0x1000, words);
  tile.write(0x2000, words);
  tile.decode(0x1000);
  tile.decode(0x2000);
  EXPECT_EQ(tile.entry(0x1000).imm, 0x1000);
  EXPECT_EQ(tile.entry(0x2000).imm, 0x2000);
}

TEST(Lines, programs_that_take_turns_at_an_address_are_decoded_once_each) {
  Sharer tile(std::make_shared<LineCache>());
  std::array<u32, 3> places{};
  for (unsigned round = 0; round < 4; ++round)
    for (u32 program = 0; program < 3; ++program) {
      tile.write(0x1000, words_from(program * 16));
      EXPECT_EQ(tile.place(0x1000), 0u);
      tile.decode(0x1000);
      if (round == 0) places[program] = tile.place(0x1000);
      EXPECT_EQ(tile.place(0x1000), places[program]);
      EXPECT_EQ(tile.entry(0x1004).imm, static_cast<i32>(program * 16 + 1));
    }
}

TEST(Lines, a_full_cache_is_begun_anew_and_every_tile_goes_on) {
  const auto cache = std::make_shared<LineCache>(4);
  Sharer a(cache), b(cache);
  b.write(0x1000, words_from(7));
  b.decode(0x1000);
  for (u32 line = 0; line < 20; ++line) {
    a.write(0x4000 + line * kLineBytes, words_from(line));
    a.decode(0x4000 + line * kLineBytes);
    EXPECT_EQ(a.entry(0x4000 + line * kLineBytes).imm, static_cast<i32>(line));
  }
  EXPECT_EQ(b.entry(0x1000).imm, 7) << "decoded before";
  b.write(0x2000, words_from(9));
  b.decode(0x2000);
  EXPECT_EQ(b.entry(0x2000).imm, 9);
  EXPECT_TRUE(b.place(0x1000) == 0 || b.entry(0x1000).imm == 7);
}

TEST(Lines, threads_that_share_a_small_cache_find_what_they_wrote) {
  const auto cache = std::make_shared<LineCache>(24);
  std::array<u32, 4> wrong{};
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < wrong.size(); ++id)
    threads.emplace_back([&, id] {
      Sharer tile(cache);
      std::mt19937 random(id);
      for (unsigned i = 0; i < 4000; ++i) {
        const u32 pc = (random() % 8) * kLineBytes;
        const u32 first = random() % 6 * 16;
        if (random() % 3 == 0) tile.write(pc, words_from(first));
        if (tile.place(pc) == 0) tile.decode(pc);
        for (u32 word = 0; word < kLineWords; ++word) {
          u32 bits;
          std::memcpy(&bits, tile.l1.data() + pc + word * 4, 4);
          wrong[id] += !is_same(tile.entry(pc + word * 4), decode(bits, pc + word * 4));
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const u32 count : wrong) EXPECT_EQ(count, 0u);
}

TEST(Lines, a_line_leads_to_the_next_one_which_may_have_changed) {
  Guest guest;
  std::vector<u32> program(40, encode_i(Op::addi, 10, 10, 1));
  program.push_back(encode_j(0, -160));
  guest.load(program);
  EXPECT_EQ(guest.steps(41), Outcome::Ok);
  EXPECT_EQ(guest.core.x[10], 40u);
  EXPECT_EQ(guest.core.pc, 0x1000u);
  guest.memory.write32(0x1040, encode_i(Op::addi, 10, 10, 100));
  EXPECT_EQ(guest.steps(41), Outcome::Ok);
  EXPECT_EQ(guest.core.x[10], 40u + 139);
}

TEST(Lines, code_runs_to_the_last_word_of_l1_and_no_further) {
  Guest guest;
  guest.memory.write_words(kL1Size - 8,
                           {encode_i(Op::addi, 10, 0, 1), encode_i(Op::addi, 10, 10, 1)});
  guest.core.pc = kL1Size - 8;
  EXPECT_EQ(guest.steps(3), Outcome::Stop);
  EXPECT_EQ(guest.core.x[10], 2u);
  EXPECT_EQ(guest.core.pc, kL1Size);
  EXPECT_EQ(guest.core.cycle, 2u);
}

TEST(Lines, a_recording_run_stops_at_the_first_word_of_a_line) {
  FlatMemory memory;
  std::vector<u32> program(20, encode_i(Op::addi, 10, 10, 1));
  program.push_back(encode_j(0, -80));
  memory.write_words(0x1000, program);
  RecordingFlatBus bus(memory);
  CoreState core;
  core.reset(0x1000);
  bus.stop_pc = 0x1040;
  EXPECT_EQ(run(core, bus, 100), Outcome::Ok);
  EXPECT_EQ(core.pc, 0x1040u);
  EXPECT_EQ(core.cycle, 16u);
  EXPECT_EQ(run(core, bus, 100), Outcome::Ok);
  EXPECT_EQ(core.pc, 0x1040u);
  EXPECT_EQ(core.cycle, 16u + 21);
}

TEST(Lines, words_that_stand_for_a_moment_are_decoded_one_by_one) {
  OwnLines lines;
  std::vector<u8> l1(0x2000);
  const auto write = [&](u32 pc, u32 word) {
    std::memcpy(l1.data() + pc, &word, 4);
    lines.forget(pc);
  };
  const auto entry = [&](u32 pc) {
    return lines.table()
        .blocks[lines.table().places[pc / kLineBytes] * kLineStride + pc % kLineBytes / 4];
  };
  EXPECT_EQ(entry(0x1000).op, static_cast<u8>(Op::undecoded));
  write(0x1000, encode_i(Op::addi, 10, 0, 1));
  lines.decode(0x1000, l1.data());
  EXPECT_EQ(entry(0x1000).imm, 1);
  EXPECT_EQ(entry(0x1004).op, static_cast<u8>(Op::undecoded));
  write(0x1000, encode_i(Op::addi, 10, 0, 2));
  EXPECT_EQ(entry(0x1000).op, static_cast<u8>(Op::undecoded));
}

}  // namespace
}  // namespace bhemu::riscv
