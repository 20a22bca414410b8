// Random calls of the libttsim ABI: refused or done, never worse.
#include <gtest/gtest.h>

#include <random>

#include "fuzz/libttsim_entry.hpp"
#include "support/rounds.hpp"

namespace bhemu::test {
namespace {

TEST(LibttsimRandom, random_calls_are_refused_or_done) {
  std::mt19937_64 random(seed(4321));
  unsigned refused = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<uint8_t> bytes(2000);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    refused += LibttsimFuzz(bytes).run();
  }
  EXPECT_GT(refused, 200u);
}

}  // namespace
}  // namespace bhemu::test
