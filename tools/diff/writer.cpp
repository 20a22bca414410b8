#include "diff/writer.hpp"

namespace bhemu::diff {

using namespace tensix;

u64 Writer::next() {
  state_ += 0x9E3779B97F4A7C15;
  u64 z = state_;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

u32 Writer::float_bits() {
  const u32 sign = below(2) << 31;
  switch (below(8)) {
    case 0:
      return sign | pick({0, 0x3F800000, 0x7F800000, 0x7FC00000, 0x00800000, 0x7F7FFFFF, 1,
                          0x007FFFFF, 0x7F800001, 0x3F000000, 0x40000000});
    case 1:
      return word();
    default:
      return sign | (107 + below(40)) << 23 | bits(word(), 0, 23);
  }
}

u32 Writer::any_word() {
  switch (below(6)) {
    case 0:
      return below(256);
    case 1:
      return ~below(256);
    case 2:
      return 1u << below(32);
    case 3:
      return float_bits();
    default:
      return word();
  }
}

void Writer::use_second_bank() {
  second_bank_ = true;
  thread_config(thread_cfg::CFG_STATE_ID_StateID::kWord, 1);
}

void Writer::config(u32 word, u32 value) {
  constexpr u32 kRegister = 60;
  if (!second_bank_) return store(0xFFEF0000 + word * 4, value);
  for (const u32 half : {0u, 1u}) {
    const u32 part = value >> (16 * half) & 0xFFFF;
    op<op::SETDMAREG>({{"reg_index_16b", 2 * kRegister + half},
                       {"payload_sig_sel", part & 0x3FFF},
                       {"payload_sig_sel_size", part >> 14}});
  }
  op<op::STALLWAIT>({{"stall_res", 0x1FF}, {"wait_res", 1}});
  op<op::WRCFG>({{"gpr_address", kRegister}, {"cfg_reg", word}});
}

void Writer::setup_pack_32(u32 rows_per_plane) {
  constexpr u32 kInt32 = 8;
  config(cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kWord,
         kInt32 << cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kLow |
             1u << cfg::ALU_ACC_CTRL_Fp32_enabled::kLow |
             1u << cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled::kLow);
  config(cfg::STACC_RELU_ApplyRelu::kWord, 0);
  config(cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride::kWord, 64u << 16);
  config(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride::kWord, 0x400u | 0x1000u << 16);
  config(cfg::PCK_DEST_RD_CTRL_Read_32b_data::kWord, 1);
  config(cfg::PACK_COUNTERS_SEC0_pack_per_xy_plane::kWord,
         rows_per_plane << cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane::kLow);
  config(cfg::PCK_EDGE_OFFSET_SEC0_mask::kWord, 0xFFFF);
  config(cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0::kWord, 0);
  config(cfg::THCON_SEC0_REG1_Row_start_section_size::kWord, 0);
  config(cfg::THCON_SEC0_REG1_L1_Dest_addr::kWord, kOut / 16 - 1);
  config(cfg::THCON_SEC0_REG1_Disable_zero_compress::kWord,
         1u | kInt32 << cfg::THCON_SEC0_REG1_Out_data_format::kLow |
             kInt32 << cfg::THCON_SEC0_REG1_In_data_format::kLow);
  config(cfg::THCON_SEC0_REG1_Downsample_mask::kWord, 0);
  thread_config(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord, 4);
  thread_config(thread_cfg::ADDR_MOD_PACK_SEC1_YsrcIncr::kWord,
                1u << thread_cfg::ADDR_MOD_PACK_SEC1_YsrcClear::kLow);
}

void Writer::pack_rows(u32 rows) {
  wait_all();
  op<op::SETADCXX>({{"cnt_set_mask", 4}, {"x_end2", 15}});
  op<op::SETADCXY>({{"cnt_set_mask", 4}, {"bit_mask", 0xB}});
  op<op::SETADCZW>({{"cnt_set_mask", 4}, {"bit_mask", 0xF}});
  for (u32 row = 4; row < rows; row += 4) op<op::PACR>();
  op<op::PACR>({{"addr_mode", 1}, {"last", 1}});
  wait_all();
  sync();
}

}  // namespace bhemu::diff
