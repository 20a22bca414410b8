// Drawn statements: BlackholeA0/TensixTile/BabyRISCV/AutoTTSync.md. All through a real tile.
#include "audit/on_cores.hpp"
#include "tensix/config.hpp"

namespace bhemu::test {
namespace {

u32 gpr_of(u32 index) {
  return kGpr + 4 * index;
}

// --- AutoTTSync.md

constexpr u32 kTrackAll = 0x1F;  // ThreadConfig word 56

TEST(AuditAutoTtSync, a_load_sees_the_value_from_before_a_later_instruction) {
  OnCores chip;
  chip.store(Trisc1, kInstrn,
             encode<op::SETC16>({{"setc16_reg", 56}, {"setc16_value", kTrackAll}}));
  chip.store(Trisc1, gpr_of(4), 5);
  chip.on(Trisc1).li(s0, gpr_of(4));
  chip.on(Trisc1).li(s1, kInstrn);
  chip.on(Trisc1).li(s2, encode<op::SETDMAREG>({{"reg_index_16b", 8}, {"payload_sig_sel", 9}}));
  chip.on(Trisc1).lw(a0, 0, s0);
  chip.on(Trisc1).sw(s2, 0, s1);
  chip.keep(Trisc1, 0, a0);
  chip.go();
  EXPECT_EQ(chip.result(0), 5u);
  EXPECT_EQ(chip.state().thcon.gpr[1][4], 9u);
}

/// Holds `instruction` at TRISC1's wait gate, with all tracking on, stores to `address`, and tells
/// whether the store happened before the gate let the instruction go.
bool store_overtakes(u32 instruction, u32 address, u32 sync = kTrackAll) {
  OnCores chip;
  chip.store(Trisc1, kInstrn, encode<op::SETC16>({{"setc16_reg", 56}, {"setc16_value", sync}}));
  chip.store(Trisc1, kInstrn, init(0));
  chip.load_result(Trisc1, 8, kTtSync);
  chip.store(Trisc1, kInstrn, hold_until_posted(0));
  chip.store(Trisc1, kInstrn, instruction);
  chip.store(Trisc1, address, 0xA5);
  chip.store(Trisc1, kResults, 1);
  chip.go(5'000);
  return chip.result(0) == 1;
}

TEST(AuditAutoTtSync, a_store_to_gprs_waits_for_an_instruction_that_uses_them) {
  EXPECT_FALSE(
      store_overtakes(encode<op::WRCFG>({{"gpr_address", 4}, {"cfg_reg", 100}}), gpr_of(4)));
}

TEST(AuditAutoTtSync, a_store_to_tdma_registers_waits_for_flushdma) {
  EXPECT_FALSE(store_overtakes(encode<op::FLUSHDMA>({{"flush_spec", 0}}), 0xFFB11000));
}

TEST(AuditAutoTtSync, a_store_to_configuration_waits_for_cfgshiftmask) {
  const u32 shift = encode<op::CFGSHIFTMASK>({{"cfg_reg", 100}, {"mask_width", 1}});
  EXPECT_FALSE(store_overtakes(shift, kConfig + 4 * 120));
  EXPECT_FALSE(store_overtakes(shift, kConfig + 4 * 190)) << "global words count as all parts";
}

TEST(AuditAutoTtSync, mop_configuration_is_not_tracked) {
  EXPECT_TRUE(
      store_overtakes(encode<op::WRCFG>({{"gpr_address", 4}, {"cfg_reg", 100}}), 0xFFB80000));
}

TEST(AuditAutoTtSync, configuration_fields_belong_to_one_unpacker) {  // the table of fields
  namespace cfg = tensix::cfg;
  struct Field {
    u32 word;
    u32 unpacker;
  };
  const Field fields[] = {
      {cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0::kWord, 0},
      {cfg::THCON_SEC0_REG3_Base_address::kWord, 0},
      {cfg::UNP0_ADDR_CTRL_XY_REG_0_Xstride::kWord, 0},
      {cfg::UNP0_ADDR_CTRL_XY_REG_0_Ystride::kWord, 0},
      {cfg::THCON_SEC1_REG2_Out_data_format::kWord, 1},
      {cfg::UNP1_ADDR_CTRL_XY_REG_0_Ystride::kWord, 1},
      {cfg::UNP1_ADDR_CTRL_ZW_REG_0_Wstride::kWord, 1},
  };
  for (const Field& field : fields) {
    for (const u32 unpacker : {0u, 1u}) {
      const u32 nop = encode<op::UNPACR_NOP>({{"unpacker_select", unpacker}, {"unpack_pop", 2}});
      EXPECT_EQ(store_overtakes(nop, kConfig + 4 * field.word), unpacker != field.unpacker)
          << field.word << " " << unpacker;
    }
  }
}

}  // namespace
}  // namespace bhemu::test
