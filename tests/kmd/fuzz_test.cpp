// Random requests of the driver: answered or refused, and given back when their files are closed.
#include <gtest/gtest.h>

#include <random>

#include "fuzz/ioctl_entry.hpp"
#include "support/rounds.hpp"

namespace bhemu::kmd {
namespace {

TEST(IoctlFuzz, random_requests_are_answered_and_what_they_held_is_given_back) {
  std::mt19937_64 random(test::seed(4321));
  unsigned refused = 0;
  const auto rounds = test::rounds(20);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<u8> bytes(3000);
    for (u8& byte : bytes) byte = static_cast<u8>(random());
    refused += test::IoctlFuzz(bytes).run();
  }
  EXPECT_GT(refused, rounds);
}

}  // namespace
}  // namespace bhemu::kmd
