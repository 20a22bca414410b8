// Three threads in one go do the same as cycle by cycle, whatever of the configuration changes on
// the way.
#include "tensix/three_threads.hpp"

#include <gtest/gtest.h>

#include "support/rounds.hpp"
#include "tensix/pair.hpp"

namespace bhemu::tensix {
namespace {

using test::Kernel;
using test::Pair;

TEST(ThreeThreads, in_one_go_do_what_they_do_cycle_by_cycle) {
  const u64 rounds = bhemu::test::rounds(150);
  Kernel kernel(bhemu::test::seed(4242));
  std::array<u64, kThreads> executed{};
  for (u64 round = 0; round < rounds; ++round) {
    Pair pair;
    kernel.choose();
    pair.both([&](test::Harness& harness) { kernel.set_up(harness); });
    for (u32 i = 0; i < 24; ++i) {
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        for (u32 left = kernel.any() % 4; left != 0; --left) {
          if (!pair.together.coprocessor.can_push(thread)) break;
          const u32 word = kernel.word(thread);
          pair.both([&](test::Harness& harness) { harness.push(thread, word); });
        }
      }
      pair.run(1 + kernel.any() % 48);
      ASSERT_TRUE(pair.same()) << "round " << round;
      ASSERT_EQ(std::memcmp(pair.together.l1.data() + Kernel::kOut * 16,
                            pair.alone.l1.data() + Kernel::kOut * 16, 0x8000),
                0)
          << "round " << round;
    }
    for (unsigned thread = 0; thread < kThreads; ++thread)
      executed[thread] += pair.together.coprocessor.instructions_executed(thread);
  }
  for (unsigned thread = 0; thread < kThreads; ++thread)
    EXPECT_GT(executed[thread], rounds * 16) << "thread " << thread << " mostly stands still";
}

}  // namespace
}  // namespace bhemu::tensix
