// Sparse memory: long copies make its pages in one go, which nobody may notice.
#include "mem/mapping.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace bhemu {
namespace {

constexpr u64 kBytes = 4 << 20;

TEST(Mapping, what_is_filled_reads_back_wherever_it_begins_and_however_long_it_is) {
  Mapping mapping("test", kBytes);
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
