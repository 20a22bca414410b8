// Random accesses of all sizes to all places: refused or done, never worse.
#include <gtest/gtest.h>

#include <random>

#include "fuzz/card_entry.hpp"
#include "support/rounds.hpp"

namespace bhemu::card {
namespace {

TEST(CardFuzz, random_accesses_are_refused_or_done) {
  std::mt19937_64 random(test::seed(1234));
  unsigned refused = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<u8> bytes(4000);
    for (u8& byte : bytes) byte = static_cast<u8>(random());
    refused += test::CardFuzz(bytes).run();
  }
  EXPECT_GT(refused, 300u);
}

}  // namespace
}  // namespace bhemu::card
