// Flows are joined where they go on, and kept only for who wants them.
#include <gtest/gtest.h>

#include "tensix/footprint/footprint.hpp"

namespace bhemu::tensix {
namespace {

TEST(Flows, that_go_on_where_another_has_ended_are_one) {
  Flows flows;
  flows.add({Space::Dst, Space::SrcA, 0, 16, 0});
  EXPECT_TRUE(flows.all().empty()) << "nobody wants them";
  flows.want(true);
  for (u32 row = 0; row < 8; ++row) {
    flows.add({Space::Dst, Space::SrcA, 16 * row, 16, 1024 + 16 * row});
    flows.add({Space::Dst, Space::SrcB, 16 * row, 16, 16 * row, 16, 16, 16});
  }
  ASSERT_EQ(flows.all().size(), 2u);
  EXPECT_EQ(flows.all()[0], (Flow{Space::Dst, Space::SrcA, 0, 128, 1024}));
  EXPECT_EQ(flows.all()[1], (Flow{Space::Dst, Space::SrcB, 0, 128, 0, 16, 16, 16}));
}

TEST(Flows, that_leave_a_gap_or_begin_amid_a_group_stay_apart) {
  Flows flows;
  flows.want(true);
  flows.add({Space::SrcA, Space::L1, 0, 8, 0x100, 16});
  flows.add({Space::SrcA, Space::L1, 8, 8, 0x100, 16});
  EXPECT_EQ(flows.all().size(), 2u) << "the second eight do not begin a group of their own";
  flows.clear();
  flows.add({Space::SrcA, Space::L1, 0, 4, 0x100, 1, 2, 2});
  flows.add({Space::SrcA, Space::L1, 4, 4, 0x110, 1, 2, 2});
  flows.add({Space::SrcA, Space::L1, 9, 4, 0x118, 1, 2, 2});
  EXPECT_EQ(flows.all().size(), 3u);
}

}  // namespace
}  // namespace bhemu::tensix
