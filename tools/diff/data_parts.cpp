#include "diff/data_parts.hpp"

namespace bhemu::diff {

using namespace tensix;

u32 Alu::word() const {
  return u32{a_unsigned} << cfg::ALU_FORMAT_SPEC_REG0_SrcAUnsigned::kLow |
         u32{b_unsigned} << cfg::ALU_FORMAT_SPEC_REG0_SrcBUnsigned::kLow |
         src_a << cfg::ALU_FORMAT_SPEC_REG0_SrcA::kLow |
         src_b << cfg::ALU_FORMAT_SPEC_REG1_SrcB::kLow |
         dst << cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kLow |
         u32{fp32} << cfg::ALU_ACC_CTRL_Fp32_enabled::kLow |
         u32{sfpu_fp32} << cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled::kLow |
         u32{int8} << cfg::ALU_ACC_CTRL_INT8_math_enabled::kLow;
}

u32 datum_bits(u32 format) {
  switch (format) {
    case kFp32:
    case kTf32:
    case kInt32:
      return 32;
    case kBfp8:
    case kFp8:
    case kInt8:
      return 8;
    case kBfp4:
      return 4;
    case kBfp2:
      return 2;
    default:
      return 16;
  }
}

u32 random_datum(Writer& w, u32 format) {
  const u32 value = w.float_bits();
  switch (format) {
    case kFp32:
    case kTf32:
      return value;
    case kBf16:
      return value >> 16;
    case kFp16:
      if (w.one_in(16)) return w.word() & 0xFFFF;
      return (value >> 16 & 0x8000) | (8 + w.below(16)) << 10 | w.below(1024);
    case kInt32:
    case kInt16:
      return w.any_word() & bits(~0u, 0, datum_bits(format));
    default:
      return w.word() & bits(~0u, 0, datum_bits(format));
  }
}

std::vector<u32> random_data(Writer& w, u32 format, u32 count) {
  std::vector<u32> words;
  u32 filled = 0;
  const auto put = [&](u32 value, u32 width) {
    if (filled == 0) words.push_back(0);
    words.back() |= value << filled;
    filled = (filled + width) % 32;
  };
  if (is_block_format(format)) {
    const u32 groups = (count + 15) / 16;
    for (u32 i = 0; i < (groups + 15) / 16 * 16; ++i)
      put(w.one_in(12) ? w.below(256) : 110 + w.below(34), 8);
  }
  for (u32 i = 0; i < count; ++i) put(random_datum(w, format), datum_bits(format));
  while (words.size() % 4 != 0) words.push_back(0);
  return words;
}

void load_register(Writer& w, u32 lreg, u32 value) {
  w.op<op::SFPLOADI>({{"lreg_ind", lreg}, {"instr_mod0", 10}, {"imm16", value & 0xFFFF}});
  w.op<op::SFPLOADI>({{"lreg_ind", lreg}, {"instr_mod0", 8}, {"imm16", value >> 16}});
}

void setup_unpacker(Writer& w, const Unpack& u) {
  const u32 section = u.unpacker * kThconSection;
  w.config(cfg::THCON_SEC0_REG0_TileDescriptor::kWord + section, u.in | 1 << 4 | u.x_dim << 16);
  w.config(cfg::THCON_SEC0_REG0_TileDescriptor::kWord + section + 1, u.y_dim | u.z_dim << 16);
  w.config(cfg::THCON_SEC0_REG1_Downsample_mask::kWord + section,
           u32{u.four_bit_exponent} << cfg::THCON_SEC0_REG1_Unp_LF8_4b_exp::kLow);
  w.config(cfg::THCON_SEC0_REG2_Out_data_format::kWord + section,
           u.out | 2 << cfg::THCON_SEC0_REG2_Throttle_mode::kLow |
               u32{u.haloize} << cfg::THCON_SEC0_REG2_Haloize_mode::kLow |
               u32{u.tileize} << cfg::THCON_SEC0_REG2_Tileize_mode::kLow |
               (u.tileize ? u.row_stride << cfg::THCON_SEC0_REG2_Shift_amount_cntx0::kLow : 0));
  w.config(cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0::kWord + section,
           0xF000F | (u.to_dst ? 3u << cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0::kLow : 0) |
               u32{u.force_exponent} << cfg::THCON_SEC0_REG2_Force_shared_exp::kLow);
  w.config(cfg::THCON_SEC0_REG3_Base_address::kWord + section, u.address / 16 - 1);
  w.config(cfg::THCON_SEC0_REG3_Base_cntx1_address::kWord + section, u.address1 / 16 - 1);
  if (u.unpacker == 0) {
    // Four rows above the first are skipped; addresses count data.
    w.config(cfg::THCON_SEC0_REG5_Dest_cntx0_address::kWord,
             (u.first_row + 4) * 16 | (u.first_row1 + 4) * 16 << 16);
    w.config(cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0::kWord, u.x_dim | u.x_dim << 16);
  }
  w.thread_config(thread_cfg::SRCA_SET_Base::kWord,
                  u32{!u.to_dst} << thread_cfg::SRCA_SET_SetOvrdWithAddr::kLow);
}

void reset_unpack_counters(Writer& w, u32 mask, u32 last_x) {
  w.op<op::SETADCXY>({{"cnt_set_mask", mask}, {"bit_mask", 0xF}});
  w.op<op::SETADCZW>({{"cnt_set_mask", mask}, {"bit_mask", 0xF}});
  w.op<op::SETADCXX>({{"cnt_set_mask", mask}, {"x_end2", last_x}});
}

void unpack(Writer& w, u32 unpacker, bool dvalid, u32 addr_mode) {
  w.op<op::UNPACR>({{"unpack_block_selection", unpacker},
                    {"ovrd_thread_id", 1},
                    {"set_dat_valid", dvalid ? 1u : 0u},
                    {"addr_mode", addr_mode},
                    {"last", 1}});
}

void words_to_dst(Writer& w, u32 address, u32 first_row, u32 rows) {
  Unpack u;
  u.in = u.out = kInt32;
  u.address = u.address1 = address;
  u.first_row = u.first_row1 = first_row;
  u.to_dst = true;
  setup_unpacker(w, u);
  w.sync();
  reset_unpack_counters(w, 3, rows * 16 - 1);
  unpack(w, 0, false);
  w.wait_all();
  w.sync();
}

namespace {

void setup_dump(Writer& w, u32 format, u32 first_row, u32 address) {
  const bool wide = format == kInt32;
  w.setup_pack_32();
  w.config(kAluWord, Alu{.dst = format}.word());
  w.config(cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src::kWord, 0);
  w.config(cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset::kWord, first_row);
  w.config(cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride::kWord, (wide ? 64u : 32u) << 16);
  w.config(cfg::PCK_DEST_RD_CTRL_Read_32b_data::kWord, wide ? 1 : 0);
  w.config(cfg::THCON_SEC0_REG1_L1_Dest_addr::kWord, address / 16 - 1);
  w.config(cfg::THCON_SEC0_REG1_Disable_zero_compress::kWord,
           1u | format << cfg::THCON_SEC0_REG1_Out_data_format::kLow |
               format << cfg::THCON_SEC0_REG1_In_data_format::kLow);
  w.config(cfg::DEST_ACCESS_CFG_swizzle_32b::kWord, 0);
  w.sync();
}

/// More rows than a Y counter reaches: the base moves with every 64.
void dump(Writer& w, u32 format, u32 first_row, u32 rows, u32 address) {
  const u32 row_bytes = format == kInt32 ? 64 : 32;
  w.wait_all();
  w.sync();
  for (u32 done = 0; done < rows; done += 64) {
    setup_dump(w, format, first_row + done, address + done * row_bytes);
    w.pack_rows(std::min(64u, rows - done));
  }
}

}  // namespace

void dump_dst32(Writer& w, u32 first_row, u32 rows, u32 address) {
  dump(w, kInt32, first_row, rows, address);
}

void dump_dst16(Writer& w, u32 first_row, u32 rows, u32 address) {
  dump(w, kInt16, first_row, rows, address);
}

void sources_to_dst(Writer& w) {
  w.wait_all();
  w.sync();
  // As TF32 a move takes all 19 bits of a datum, whatever they mean.
  w.config(kAluWord, Alu{.src_a = kTf32, .src_b = kTf32, .dst = kFp32, .fp32 = true}.word());
  w.config(cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src::kWord, 1);
  w.thread_config(thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base::kWord, 1);
  w.thread_config(thread_cfg::DISABLE_IMPLIED_SRCB_FMT_Base::kWord, 1);
  w.thread_config(thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset::kWord, 0);
  w.thread_config(thread_cfg::ADDR_MOD_AB_SEC7_SrcAIncr::kWord, 0);
  w.thread_config(thread_cfg::ADDR_MOD_DST_SEC7_DestIncr::kWord, 0);
  w.sync();
  w.op<op::SETRWC>({{"bit_mask", 0xF}});
  for (u32 row = 0; row < 64; row += 8)
    w.op<op::MOVA2D>({{"dst", row}, {"src", row}, {"addr_mode", 7}, {"instr_mod", 2}});
  for (u32 row = 0; row < 64; row += 8)
    for (u32 four : {0u, 4u})
      w.op<op::MOVB2D>({{"dst", 64 + row + four},
                        {"src", row + four},
                        {"addr_mode", 7},
                        {"movb2d_instr_mod", 4}});
}

}  // namespace bhemu::diff
