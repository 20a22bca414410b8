// The list of a tile's parts (src/tile/parts.cpp): saving, loading and resetting reach whatever the
// hash sees.
#include <gtest/gtest.h>

#include "base/archive.hpp"
#include "tensix/isa.hpp"
#include "tile/debug_registers.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {
namespace {

using namespace tile::debug_reg;

constexpr u32 kDebug = 0xFFB12000;
constexpr u32 kPic = 0xFFB13000;
constexpr u32 kNiu1 = 0xFFB30000;
constexpr u32 kReceivedOfStream3 = 0xFFB43028;
constexpr u32 kMailboxToTrisc0 = 0xFFEC1000;
constexpr u32 kLdmOfTrisc2 = 0xFFB1C000;

/// Something is in every part.
void disturb(OneTile& chip) {
  Assembler a;
  a.li(t0, kMailboxToTrisc0);
  a.sw(t0, 0, t0);
  a.li(t1, 0xFFE50000);  // a Tensix instruction for thread 1
  a.li(t2, tensix::encode<tensix::op::SETDMAREG>({{"reg_index_16b", 7}, {"payload_sig_sel", 9}}));
  a.sw(t2, 0, t1);
  a.li(t1, kDebug + WALL_CLOCK_0);
  a.lw(t2, 0, t1);
  a.halt();
  chip.load(0, a.finish());
  chip.start({CoreId::Brisc});
  chip.write(kDebug + DBG_BUS_CTRL, 0x21);
  chip.write(kDebug + DBG_L1_MEM_REG2, 0xF);
  chip.write(kDebug + TIMESTAMP_DUMP_CNTL, 1);
  chip.write(kDebug + RISC_DBG_CNTL_0, 0x80000000);
  chip.write(kPic, 1);
  chip.write(kNiu1, 0x1234);
  chip.write(kReceivedOfStream3, 0x55);
  chip.write(kLdmOfTrisc2, 0x77);
  chip.run(1000);
}

TEST(PartsOfATile, reset_leaves_a_tile_that_looks_like_a_new_one) {
  OneTile chip;
  const u64 fresh = chip.tile->hash(0);
  disturb(chip);
  ASSERT_NE(chip.tile->hash(0), fresh);
  chip.tile->reset(chip.engine->now());
  EXPECT_EQ(chip.tile->hash(0), fresh);
}

TEST(PartsOfATile, what_was_saved_looks_the_same_in_another_tile_and_goes_on_the_same) {
  OneTile chip;
  disturb(chip);
  chip.tile->settle(chip.engine->now());
  Archive saved = Archive::saving();
  chip.tile->archive(saved);
  const std::vector<u8> bytes = saved.take();

  OneTile other;
  other.run(1000);
  Archive loaded = Archive::loading(bytes);
  other.tile->archive(loaded);
  EXPECT_TRUE(loaded.at_end());
  EXPECT_EQ(other.tile->hash(0), chip.tile->hash(0));
  Archive again = Archive::saving();
  other.tile->archive(again);
  EXPECT_EQ(again.take(), bytes);
}

}  // namespace
}  // namespace bhemu::test
