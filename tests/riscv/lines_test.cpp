// Decoded code, shared by the tiles of a device.
#include "riscv/lines.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include "riscv/decode.hpp"
#include "riscv/guest.hpp"

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
