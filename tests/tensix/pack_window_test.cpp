// Unpackers and packer are busy while they work: STALLWAIT sees it, for the thread that gave the
// work and for no other, for one cycle in fast timing.
#include <gtest/gtest.h>

#include "harness.hpp"
#include "tensix/conditions.hpp"

namespace bhemu::tensix::test {
namespace {

struct Work {
  const char* name;
  u32 word;
  u32 condition;  // bit of STALLWAIT
};

class Window : public ::testing::TestWithParam<Work> {};

TEST_P(Window, is_one_cycle_long_and_belongs_to_the_thread) {
  const Work& work = GetParam();
  Harness harness;
  harness.push(1, work.word);
  Cycle executed = 0;
  for (u32 i = 0; i < 10 && executed == 0; ++i)
    if (!harness.cycle().empty()) executed = harness.now - 1;
  ASSERT_NE(executed, 0u);
  EXPECT_TRUE(harness.faults.faults().empty());
  const auto unmet = [&](unsigned thread, Cycle now) {
    return unmet_conditions(harness.state(), thread, 1u << work.condition, now) != 0;
  };
  EXPECT_TRUE(unmet(1, executed));
  EXPECT_FALSE(unmet(0, executed));
  EXPECT_FALSE(unmet(1, executed + 1));
}

INSTANTIATE_TEST_SUITE_P(
    EachUnit, Window,
    ::testing::Values(
        Work{"pacr", encode<op::PACR>({{"flush", 1}}), 3},
        Work{"pacr_setreg", encode<op::PACR_SETREG>({{"mode_sel", 1}}), 3},
        Work{"unpacr_0", encode<op::UNPACR>({{"search_cache_flush", 1}}), 1},
        Work{"unpacr_1",
             encode<op::UNPACR>({{"search_cache_flush", 1}, {"unpack_block_selection", 1}}), 2},
        Work{"unpacr_nop_0", encode<op::UNPACR_NOP>({{"unpack_pop", 2}}), 1},
        Work{"unpacr_nop_1", encode<op::UNPACR_NOP>({{"unpack_pop", 2}, {"unpacker_select", 1}}),
             2}),
    [](const ::testing::TestParamInfo<Work>& info) { return info.param.name; });

}  // namespace
}  // namespace bhemu::tensix::test
