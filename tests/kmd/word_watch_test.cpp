// Which of a client's quick looks are looked into (kmd/word_watch.hpp).
#include "kmd/word_watch.hpp"

#include <gtest/gtest.h>

namespace bhemu::kmd {
namespace {

TEST(LookSampler, looks_into_between_one_in_sixteen_and_one_in_a_thousand_of_fast_looks) {
  LookSampler looks;
  constexpr u32 kLooks = 100'000;
  u32 taken = 0;
  for (u32 i = 0; i < kLooks; ++i) taken += looks.takes() ? 1 : 0;
  EXPECT_LE(taken, kLooks / 16);
  EXPECT_GE(taken, kLooks / 1024);
  looks.restart();
  for (u32 i = 0; i < 15; ++i) EXPECT_FALSE(looks.takes());
  EXPECT_TRUE(looks.takes());
}

}  // namespace
}  // namespace bhemu::kmd
