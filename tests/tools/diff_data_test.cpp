// The parts that programs of the data path are made of: what goes in comes out raw.
#include <gtest/gtest.h>

#include <cstring>

#include "diff/classes.hpp"
#include "diff/data_parts.hpp"
#include "diff/runner.hpp"

namespace bhemu::diff {
namespace {

u32 out_word(const Outcome& outcome, u32 index) {
  u32 word = 0;
  std::memcpy(&word, outcome.dump.data() + (kOut - kData) + index * 4, 4);
  return word;
}

Outcome run(const Writer& w) {
  return Ours(TimingModel::Fast, true).run(w.program);
}

void random_words(Writer& w, u32 count) {
  for (u32 i = 0; i < count; ++i) w.program.data.push_back(w.any_word());
}

TEST(DiffData, words_unpacked_to_dst_come_out_of_the_dump_unchanged) {
  for (const bool second_bank : {false, true}) {
    Writer w(3);
    random_words(w, 1024);
    if (second_bank) w.use_second_bank();
    words_to_dst(w, kData, 8, 64);
    dump_dst32(w, 4, 72, kOut);
    const Outcome outcome = run(w);
    ASSERT_EQ(outcome.end, End::Done) << outcome.why;
    for (u32 i = 0; i < 1024; ++i)
      ASSERT_EQ(out_word(outcome, 64 + i), w.program.data[i]) << second_bank << " " << i;
  }
}

TEST(DiffData, both_sources_come_out_with_all_19_bits) {
  Writer w(4);
  random_words(w, 2048);
  for (u32 unpacker : {0u, 1u})
    setup_unpacker(w, {.unpacker = unpacker,
                       .in = kFp32,
                       .out = kTf32,
                       .address = kData + unpacker * 4096,
                       .address1 = kData});
  w.sync();
  reset_unpack_counters(w, 3, 1023);
  unpack(w, 0, true);
  unpack(w, 1, true);
  sources_to_dst(w);
  dump_dst32(w, 0, 128, kOut);
  const Outcome outcome = run(w);
  ASSERT_EQ(outcome.end, End::Done) << outcome.why;
  for (u32 i = 0; i < 2048; ++i)
    ASSERT_EQ(out_word(outcome, i), w.program.data[i] & 0xFFFFE000) << i;
}

TEST(DiffData, block_floats_lie_behind_their_exponents) {
  Writer w(5);
  EXPECT_EQ(random_data(w, kBfp8, 1024).size(), (64u + 1024) / 4);
  EXPECT_EQ(random_data(w, kBfp4, 256).size(), (16u + 128) / 4);
  EXPECT_EQ(random_data(w, kBf16, 3).size(), 4u);
}

TEST(DiffData, every_class_makes_the_same_program_of_the_same_seed) {
  for (const ProgramClass& kind : classes()) {
    const Program a = kind.make(11);
    const Program b = kind.make(11);
    ASSERT_EQ(a.items.size(), b.items.size()) << kind.name;
    for (size_t i = 0; i < a.items.size(); ++i)
      ASSERT_EQ(a.items[i].value, b.items[i].value) << kind.name;
    EXPECT_EQ(a.data, b.data) << kind.name;
  }
}

}  // namespace
}  // namespace bhemu::diff
