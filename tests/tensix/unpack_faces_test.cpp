// UNPACR with what the unpackers keep from one to the next, beside one that keeps nothing: the same
// sources, counters and faults, whatever changes in between.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "support/rounds.hpp"
#include "tensix/unpack_bench.hpp"

namespace bhemu::tensix {
namespace {

class Faces : public Unpack {
 public:
  void TestBody() override {}
  void fill(u32 seed) {
    std::mt19937 random(seed);
    for (u32 i = 0; i < 0x10000; i += 4) put32(i, static_cast<u32>(random()));
  }
  void execute_one(u32 word, bool keeps, unsigned thread) {
    Environment env = context().env;
    if (!keeps) env.paths = nullptr;
    Context own{state(), env, thread, 0, word};
    execute(own, op::UNPACR{word});
    state().frontend[thread].stopped = false;
    // The matrix unit takes every bank at once.
    for (SrcFile* file : {&state().fpu.src_a, &state().fpu.src_b})
      file->owner.fill(SrcOwner::Unpacker);
  }
  using Unpack::apply;
  using Unpack::set;
  using Unpack::set_thread;
  using Unpack::set_word;
};

struct Change {
  u32 which;
  u32 value;
  u32 unpacker;
};

void change_shape(Faces& f, const Change& c) {
  const u32 section = c.unpacker * kThconSection;
  const u32 tile = cfg::THCON_SEC0_REG0_TileDescriptor::kWord + section;
  switch (c.which) {
    case 0:
      return f.set_word(tile, (f.state().cfg.bank[0][tile] & 0xFFFFFFF0u) |
                                  std::array{0u, 1u, 5u, 6u, 7u, 14u}[c.value % 6]);
    case 1:
      return f.set<cfg::THCON_SEC0_REG2_Out_data_format>(std::array{0u, 1u, 4u, 5u}[c.value % 4],
                                                         section);
    case 2:
      return f.set_word(tile + 1, (1 + c.value % 3) | (c.value / 4 % 5) << 16);
    case 3:
      return f.set_word(tile + 3, (c.value % 3) << 24);
    case 4:
      return f.set_word(cfg::THCON_SEC0_REG3_Base_address::kWord + section + c.value % 2,
                        0x100 + c.value / 2 % 64);
    case 5:
      return f.set<cfg::THCON_SEC0_REG7_Offset_address>(c.value % 16, section);
    case 6:
      return f.set_word(86, (c.value % 2 != 0 ? 256 : 128) | 256 << 16);
    case 7:
      return f.set<cfg::THCON_SEC0_REG2_Force_shared_exp>(c.value % 2, section);
    case 8:
      return f.set<cfg::UNP0_FORCED_SHARED_EXP_shared_exp>(c.value % 256);
    default:
      return;
  }
}

void change_place(Faces& f, const Change& c) {
  const u32 section = c.unpacker * kThconSection;
  const AdcUnit unit = c.unpacker == 0 ? AdcUnit::Unpacker0 : AdcUnit::Unpacker1;
  Adc& adc = f.adc(unit);
  switch (c.which) {
    case 9:
      adc.channel[0].x = c.value % 8 != 0 ? 0 : c.value % 64;
      return;
    case 10:
      adc.channel[1].x = std::array{255u, 15u, 1023u, 511u, c.value % 300}[c.value % 5];
      return;
    case 11:
      adc.channel[0].w = static_cast<u16>(c.value % 4);
      return;
    case 12:
      adc.channel[1].y = static_cast<u16>(c.value % 20);
      return;
    case 13:
      return f.set_word(84, (c.value % 4 == 0 ? c.value % 100 : 64 + c.value % 2 * 128) | 64 << 16);
    case 14:
      return f.set_word(c.unpacker == 0 ? 56 : 58, (c.value % 3) * 32 << 16);
    case 15:
      return f.set<cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr>(c.value % 2);
    case 16:
      return f.set_thread<thread_cfg::SRCA_SET_SetOvrdWithAddr>(c.value % 4 != 0);
    case 17:
      return f.set<cfg::THCON_SEC0_REG2_Unpack_limit_address>(
          c.value % 4 != 0 ? 0x1FFFF : 0x100 + c.value % 256, section);
    case 18:
      return f.set<cfg::THCON_SEC0_REG2_Unpack_fifo_size>(c.value % 3 * 0x40, section);
    case 19:
      return f.set<cfg::THCON_SEC0_REG2_Tileize_mode>(c.value % 8 == 0, section);
    case 20:
      return f.set<cfg::THCON_SEC0_REG2_Haloize_mode>(c.value % 8 == 0);
    case 21:
      return f.set<cfg::THCON_SEC0_REG2_Upsample_rate>(c.value % 8 == 0, section);
    case 22:
      return f.set<cfg::THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd>(c.value % 2, section);
    case 23:
      return f.set_thread<thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0>(c.value % 2);
    default:
      return;
  }
}

u32 random_word(std::mt19937& random, u32 unpacker) {
  const u32 pick = static_cast<u32>(random() % 12);
  return encode<op::UNPACR>({{"unpack_block_selection", unpacker},
                             {"ovrd_thread_id", pick != 1},
                             {"set_dat_valid", pick % 2},
                             {"addr_mode", pick < 8 ? 1u : 4u},
                             {"zero_write2", pick == 2},
                             {"last", 1}});
}

TEST(UnpackFaces, what_is_kept_follows_every_change_of_the_configuration) {
  Faces keeping;
  Faces forgetting;
  for (Faces* f : {&keeping, &forgetting}) {
    f->fill(7);
    TileSetup a;
    f->apply(a);
    a.unpacker = 1;
    f->apply(a);
  }
  std::mt19937 random(static_cast<u32>(bhemu::test::seed(19)));
  const u64 rounds = bhemu::test::rounds(300) * 100;
  for (u64 round = 0; round < rounds; ++round) {
    const Change c{static_cast<u32>(random() % 96), static_cast<u32>(random()),
                   static_cast<u32>(random() % 2)};
    const u32 word = random_word(random, static_cast<u32>(random() % 2));
    const unsigned thread = random() % 16 == 0;
    for (Faces* f : {&keeping, &forgetting}) {
      change_shape(*f, c);
      change_place(*f, c);
      f->execute_one(word, f == &keeping, thread);
    }
    State& a = keeping.state();
    State& b = forgetting.state();
    ASSERT_EQ(std::memcmp(&a.fpu.src_a, &b.fpu.src_a, sizeof(SrcFile)), 0) << round;
    ASSERT_EQ(std::memcmp(&a.fpu.src_b, &b.fpu.src_b, sizeof(SrcFile)), 0) << round;
    ASSERT_EQ(std::memcmp(&a.unpacker, &b.unpacker, sizeof a.unpacker), 0) << round;
    ASSERT_EQ(std::memcmp(&a.adc, &b.adc, sizeof a.adc), 0) << round;
    ASSERT_EQ(keeping.faults.faults().size(), forgetting.faults.faults().size()) << round;
  }
}

}  // namespace
}  // namespace bhemu::tensix
