// PACR with what the packer keeps from one to the next, beside a packer that keeps nothing: the
// same tiles, counters and state, whatever of the configuration changes in between.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tensix/pack_bench.hpp"

namespace bhemu::tensix {
namespace {

class Forgetful : public Pack {
 public:
  void TestBody() override {}
  void set_up() {
    apply(Format::Bf16, Format::Bf16, false);
    std::mt19937 random(5);
    for (u32 row = 0; row < 1024; ++row)
      for (u32 column = 0; column < 16; ++column)
        dst().write16(row, column, static_cast<u16>(random()));
    for (u32 row = 3; row < 1024; row += 7) dst().set_valid16(row, false);
  }
  void execute_one(u32 word, bool keeps) {
    Context context = this->context();
    Environment env = context.env;
    if (!keeps) env.paths = nullptr;
    Context own{context.state, env, 0, 0, word};
    execute(own, op::PACR{word});
  }
  using Pack::packer;
  using Pack::set;
};

/// One of the changes that a kernel, or a test, makes between two PACR.
void change(Forgetful& pack, u32 which, u32 value) {
  switch (which) {
    case 0:
      return pack.set<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>(value % 4 * 256);
    case 1:
      return pack.set<cfg::STACC_RELU_ApplyRelu>(value % 2);
    case 2:
      return pack.set<cfg::THCON_SEC0_REG1_Out_data_format>(
          code(value % 2 != 0 ? Format::Bf16 : Format::Bfp8));
    case 3:
      return pack.set<cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride>((value % 4 != 0 ? 2 : value % 3) * 16);
    case 4:
      return pack.set<cfg::DEST_ACCESS_CFG_remap_addrs>(value % 2);
    case 5:
      return pack.set_debug_feature_disable(value % 2 << 11);
    case 6:
      return pack.set<cfg::PCK_EDGE_OFFSET_SEC0_mask>(value % 8 != 0 ? 0xFFFF : 0x0FF0);
    case 7:
      return pack.set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(8 + value % 9);
    case 8:
      pack.packer().channel[1].x = value % 8 != 0 ? 15 : 7;
      return;
    case 9:
      return pack.set<cfg::PCK0_ADDR_BASE_REG_0_Base>(value % 8 == 0 ? 8 : 0);
    case 10:
      return pack.set<cfg::DEST_ACCESS_CFG_swizzle_32b>(value % 2);
    case 11:
      return pack.set_thread<thread_cfg::ENABLE_ACC_STATS_Enable>(value % 8 == 0);
    default:
      return;
  }
}

TEST(PackWholeRows, what_is_kept_follows_every_change_of_the_configuration) {
  Forgetful keeping;
  Forgetful forgetting;
  keeping.set_up();
  forgetting.set_up();
  std::mt19937 random(11);
  const u32 words[] = {encode<op::PACR>(), encode<op::PACR>({{"addr_mode", 1}, {"last", 1}}),
                       encode<op::PACR>({{"concat", 1}}), encode<op::PACR>({{"read_intf_sel", 1}}),
                       encode<op::PACR>({{"read_intf_sel", 3}})};
  for (u32 round = 0; round < 20000; ++round) {
    const u32 which = static_cast<u32>(random() % 40);
    const u32 value = static_cast<u32>(random());
    // The usual word most of the time: it is what is kept.
    const u32 pick = static_cast<u32>(random() % 16);
    const u32 word = words[pick < 5 ? pick : 0];
    for (Forgetful* pack : {&keeping, &forgetting}) {
      // A change of format in an open tile is another matter.
      if (which == 2) pack->execute_one(encode<op::PACR>({{"flush", 1}}), pack == &keeping);
      change(*pack, which, value);
      pack->execute_one(word, pack == &keeping);
      if (round % 32 == 31) pack->execute_one(encode<op::PACR>({{"flush", 1}}), pack == &keeping);
      pack->state().frontend[0].stopped = false;
    }
    ASSERT_EQ(std::memcmp(&keeping.state().packer, &forgetting.state().packer, sizeof(PackerState)),
              0)
        << round;
    ASSERT_EQ(std::memcmp(keeping.l1.data() + kData, forgetting.l1.data() + kData, 0x2000), 0)
        << round;
    ASSERT_EQ(keeping.packer().channel[0].y, forgetting.packer().channel[0].y) << round;
    ASSERT_EQ(keeping.faults.faults().size(), forgetting.faults.faults().size()) << round;
  }
}

/// Where the counters stand and what they grow by: seldom as usual, often at an edge.
void move_counters(Forgetful& pack, u32 value) {
  const u32 ys[] = {0, 64, 32, 240, kAdcMaskY - 15, kAdcMaskY, value & kAdcMaskY};
  pack.packer().channel[0].y = static_cast<u16>(ys[value / 8 % std::size(ys)]);
  const u32 increments[] = {4, 4, 4, 8, 2, 0, 15, 1u << 5 | 4};
  pack.set_thread<thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr>(increments[value % 8] & 15);
  pack.set_thread<thread_cfg::ADDR_MOD_PACK_SEC0_YsrcClear>(increments[value % 8] >> 5);
  pack.set<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>(value / 64 % 3 * 380);
  pack.set<cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride>(value / 256 % 4 != 0 ? 32 : 16 * (value % 3));
  pack.set<cfg::DEST_ACCESS_CFG_remap_addrs>(value / 1024 % 8 == 0);
}

TEST(PackWholeRows, that_are_packed_together_are_those_packed_one_by_one) {
  Forgetful together;
  Forgetful single;
  together.set_up();
  single.set_up();
  for (Forgetful* pack : {&together, &single})
    for (u32 row = 3; row < 1024; row += 7) pack->dst().set_valid16(row, row / 128 % 3 != 0);
  std::mt19937 random(12);
  const u32 usual = encode<op::PACR>();
  const u32 last = encode<op::PACR>({{"addr_mode", 1}, {"last", 1}});
  const u32 back = encode<op::PACR>({{"addr_mode", 1}});
  u32 many = 0;
  for (u32 round = 0; round < 8000; ++round) {
    std::vector<u32> words(1 + random() % 16, usual);
    if (random() % 2 != 0) words.back() = last;
    if (random() % 8 == 0) words[random() % words.size()] = last;
    if (random() % 8 == 0) words.assign(words.size(), encode<op::PACR>({{"last", 1}}));
    if (random() % 4 == 0) words[random() % words.size()] = back;
    const u32 value = static_cast<u32>(random());
    for (Forgetful* pack : {&together, &single})
      if (round % 4 == 0) move_counters(*pack, value);
    for (u32 done = 0; done < words.size();) {
      Context context = together.context();
      context.word = words[done];
      const Cycle begin = context.now;
      const u32 left = static_cast<u32>(words.size()) - done;
      const u32 packed = pack::pack_whole_rows(context, &words[done], left);
      if (packed == 0)
        together.execute_one(words[done], true);
      else
        ASSERT_EQ(context.now, begin + packed - 1);
      many += packed > 4 ? 1 : 0;
      done += std::max(packed, 1u);
    }
    for (const u32 word : words) single.execute_one(word, false);
    ASSERT_EQ(std::memcmp(&together.state().packer, &single.state().packer, sizeof(PackerState)), 0)
        << round;
    ASSERT_EQ(std::memcmp(together.l1.data() + kData, single.l1.data() + kData, 0x2000), 0)
        << round;
    ASSERT_EQ(together.packer().channel[0].y, single.packer().channel[0].y) << round;
  }
  EXPECT_GT(many, 1000u);
}

}  // namespace
}  // namespace bhemu::tensix
