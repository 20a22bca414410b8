// Footprints of the packer: the rows that are read, and the bytes that are written now, not those
// that wait for their block of 16.
#include <gtest/gtest.h>

#include "support/touch_printer.hpp"
#include "tensix/footprint/footprint.hpp"
#include "tensix/pack_bench.hpp"

namespace bhemu::tensix {
namespace {

class FootprintOfPacr : public Pack {
 protected:
  std::vector<Touch> in(Space space, u32 word) {
    Touches touches;
    footprint(state(), context().env, 0, word, touches);
    std::vector<Touch> found;
    for (const Touch& touch : touches)
      if (touch.space == space) found.push_back(touch);
    return found;
  }
  using List = std::vector<Touch>;
};

TEST_F(FootprintOfPacr, is_four_rows_of_dst_and_their_bytes) {
  apply(Format::Bf16, Format::Bf16, false);
  const u32 word = encode<op::PACR>();
  EXPECT_EQ(in(Space::Dst, word), (List{{Space::Dst, Access::Read, 0, 4, 0xFFFF}}));
  EXPECT_EQ(in(Space::L1, word), (List{{Space::L1, Access::Write, kData, 128}}));
}

TEST_F(FootprintOfPacr, goes_on_where_the_last_one_ended) {
  apply(Format::Bf16, Format::Bf16, false);
  pacr();
  const u32 word = encode<op::PACR>({{"last", 1}});
  EXPECT_EQ(in(Space::L1, word), (List{{Space::L1, Access::Write, kData + 128, 128}}));
}

TEST_F(FootprintOfPacr, of_eight_bytes_writes_when_the_block_is_full) {
  apply(Format::Bf16, Format::Bf16, false);
  packer().channel[1].x = 3;
  const u32 word = encode<op::PACR>({{"read_intf_sel", 1}});
  EXPECT_TRUE(in(Space::L1, word).empty());
  EXPECT_EQ(in(Space::Dst, word), (List{{Space::Dst, Access::Read, 0, 1, 0x000F}}));
  pacr({{"read_intf_sel", 1}});
  EXPECT_EQ(in(Space::L1, word), (List{{Space::L1, Access::Write, kData, 16}}));
}

TEST_F(FootprintOfPacr, with_accumulation_reads_what_it_adds_to) {
  apply(Format::Bf16, Format::Bf16, false);
  set<cfg::THCON_SEC0_REG1_Pack_L1_Acc>(1);
  const List touches = in(Space::L1, encode<op::PACR>({{"read_intf_sel", 1}}));
  EXPECT_EQ(touches,
            (List{{Space::L1, Access::Read, kData, 32}, {Space::L1, Access::Write, kData, 32}}));
}

TEST_F(FootprintOfPacr, of_zeros_reads_no_dst) {
  apply(Format::Bf16, Format::Bf16, false);
  EXPECT_TRUE(in(Space::Dst, encode<op::PACR>({{"zero_write", 1}, {"read_intf_sel", 1}})).empty());
}

}  // namespace
}  // namespace bhemu::tensix
