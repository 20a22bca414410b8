// Sparse memory: long copies make its pages in one go, which nobody may notice.
#include "mem/mapping.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "mem/arena.hpp"

namespace bhemu {
namespace {

constexpr u64 kBytes = 4 << 20;

void fill_and_read_back(Mapping mapping) {
  std::vector<u8> model(kBytes);
  std::mt19937_64 random(7);
  const auto check = [&] { return std::memcmp(mapping.data(), model.data(), kBytes) == 0; };
  for (int round = 0; round < 200; ++round) {
    if (round == 100) {  // pages that had been made are gone, and are made anew
      mapping.clear();
      std::fill(model.begin(), model.end(), u8{0});
      ASSERT_TRUE(check());
    }
    const u64 bytes = random() % (round % 2 == 0 ? kBytes : 70'000);
    const u64 offset = random() % (kBytes - bytes);
    std::vector<u8> data(bytes);
    for (u64 i = 0; i < bytes; i += 97) data[i] = static_cast<u8>(random());
    mapping.fill(offset, data.data(), bytes);
    std::copy(data.begin(), data.end(), model.begin() + static_cast<std::ptrdiff_t>(offset));
    ASSERT_TRUE(check()) << round;
  }
  mapping.fill(kBytes, nullptr, 0);
}

TEST(Mapping, what_is_filled_reads_back_wherever_it_begins_and_however_long_it_is) {
  fill_and_read_back(Mapping("test", kBytes));
  fill_and_read_back(Mapping::in_large_pages("test", kBytes));
  Arena arena;
  fill_and_read_back(Mapping::in_pages_of(&arena, "test", kBytes));
  fill_and_read_back(Mapping::in_pages_of(&arena, nullptr, kBytes));
  fill_and_read_back(Mapping::in_pages_of(nullptr, nullptr, kBytes));
}

TEST(Mapping, regions_of_an_arena_do_not_touch_and_one_that_got_a_file_leaves_the_others_alone) {
  Arena arena;
  constexpr u64 kSmall = 1'500'000;  // not whole pages; more of them than one reservation holds
  std::vector<Mapping> all;
  for (u8 i = 0; i < 50; ++i) {
    all.push_back(Mapping::in_pages_of(&arena, "test", kSmall));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.back().data()) % 4096, 0u);
    all.back().data()[0] = all.back().data()[kSmall - 1] = static_cast<u8>(i + 1);
  }
  ASSERT_GE(all[7].fd(), 0);
  all[8].clear();
  all[9] = Mapping();  // which goes, and the memory stays the arena's
  for (u8 i = 0; i < 50; ++i) {
    if (i == 9) continue;
    const u8 expected = i == 8 ? u8{0} : static_cast<u8>(i + 1);
    EXPECT_EQ(all[i].data()[0], expected);
    EXPECT_EQ(all[i].data()[kSmall - 1], expected);
    EXPECT_EQ(all[i].data()[kSmall / 2], 0);
  }
}

void hash_and_get_a_file(Mapping large) {
  Mapping plain("plain", u64{1} << 32);
  EXPECT_EQ(large.hash(), plain.hash());
  const std::vector<u8> data(700'000, 9);
  for (const u64 offset : {u64{0}, u64{5'000'001}, (u64{1} << 32) - data.size()})
    for (Mapping* mapping : {&plain, &large}) mapping->fill(offset, data.data(), data.size());
  large.data()[u64{3} << 30] = plain.data()[u64{3} << 30] = 1;
  EXPECT_EQ(large.data()[u64{2} << 30], 0);  // looked at, and zero
  EXPECT_EQ(large.hash(), plain.hash());

  u8* const before = large.data();
  const int file = large.fd();
  ASSERT_GE(file, 0);
  EXPECT_EQ(large.fd(), file);
  EXPECT_EQ(large.data(), before);
  EXPECT_EQ(large.hash(), plain.hash());
  u8 byte = 0;
  ASSERT_EQ(pread(file, &byte, 1, 5'000'001), 1);
  EXPECT_EQ(byte, 9);
  byte = 77;
  ASSERT_EQ(pwrite(file, &byte, 1, 12), 1);
  EXPECT_EQ(large.data()[12], 77);
}

TEST(Mapping, memory_without_a_file_hashes_and_saves_as_other_memory_and_gets_one_when_asked) {
  hash_and_get_a_file(Mapping::in_large_pages("large", u64{1} << 32));
  hash_and_get_a_file(Mapping("own", u64{1} << 32));
  Arena arena;
  hash_and_get_a_file(Mapping::in_pages_of(&arena, "arena", u64{1} << 32));
}

TEST(Mapping, a_moved_region_takes_its_contents_along) {
  Mapping one("one", kBytes);
  const std::vector<u8> data(kBytes, 5);
  one.fill(0, data.data(), data.size());
  Mapping two(std::move(one));
  one = Mapping("three", kBytes);
  one.fill(0, data.data(), 100'000);
  EXPECT_EQ(two.data()[kBytes - 1], 5);
  EXPECT_EQ(one.data()[99'999], 5);
  EXPECT_EQ(one.data()[100'000], 0);
}

}  // namespace
}  // namespace bhemu
