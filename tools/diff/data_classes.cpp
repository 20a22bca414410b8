// Programs of one thread that unpack to the sources, compute and pack.
#include <array>

#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

constexpr u32 kUnpackBytes = 512;  // a face of 16 x 16 data of 16 bits

/// Both unpackers: one face of floats each, one after the other from kData on, to `format`.
void setup_unpack(Writer& w, u32 format, bool from_singles) {
  const u32 descriptor = (from_singles ? 0 : format) | 1 << 4;
  w.config(cfg::THCON_SEC0_REG0_TileDescriptor::kWord, descriptor);
  w.config(cfg::THCON_SEC0_REG0_TileDescriptor::kWord + 1, 1 | 4 << 16);
  w.config(cfg::THCON_SEC1_REG0_TileDescriptor::kWord, descriptor | 256u << 16);
  w.config(cfg::THCON_SEC1_REG0_TileDescriptor::kWord + 1, 1 | 4 << 16);
  for (u32 section : {0u, kThconSection}) {
    w.config(cfg::THCON_SEC0_REG2_Out_data_format::kWord + section, format | 2 << 4);
    w.config(cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0::kWord + section, 0xF000F);
    w.config(cfg::THCON_SEC0_REG3_Base_address::kWord + section,
             (kData + (section != 0 ? kUnpackBytes * (from_singles ? 2 : 1) : 0)) / 16 - 1);
  }
  w.config(cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride::kWord, kUnpackBytes);
  w.config(cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride::kWord, kUnpackBytes);
  w.config(cfg::THCON_SEC0_REG5_Dest_cntx0_address::kWord, 4 * 16 | 4 * 16 << 16);
  w.config(cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0::kWord, 256 | 256 << 16);
  w.config(cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr::kWord,
           1u << cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr::kLow);
  w.thread_config(thread_cfg::SRCA_SET_Base::kWord,
                  1u << thread_cfg::SRCA_SET_SetOvrdWithAddr::kLow);
  w.thread_config(thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0::kWord, 0);
  w.op<op::SETADCXY>({{"cnt_set_mask", 3}, {"bit_mask", 0xB}});
  w.op<op::SETADCZW>({{"cnt_set_mask", 3}, {"bit_mask", 0xF}});
  w.op<op::SETADCXX>({{"cnt_set_mask", 3}, {"x_end2", 255}});
}

u16 datum(Writer& w, u32 format) {
  const u32 value = w.float_bits();
  if (format == 5) return static_cast<u16>(value >> 16);
  if (w.one_in(16)) return static_cast<u16>(w.word());
  return static_cast<u16>(value >> 16 & 0x8000) | static_cast<u16>((8 + w.below(16)) << 10) |
         static_cast<u16>(w.below(1024));
}

/// `moves`: cards and ttsim 1.10.0 disagree on those with Fp32_enabled (DISAGREEMENTS.md).
void math_instruction(Writer& w, bool multiply, bool matrix, bool moves) {
  const u32 dst = w.pick({0, 8, 16, 24});
  const u32 broadcast = w.one_in(3) ? w.below(4) : 0;
  u32 kind = multiply ? 2 + w.below(4) : w.below(moves ? 8 : 6);
  if (!matrix && kind == 4) kind = 2;
  if (!matrix && kind == 5) kind = 3;
  switch (kind) {
    case 0:
      return w.op<op::ELWADD>({{"dst", dst},
                               {"addr_mode", w.below(4)},
                               {"instr_mod19", broadcast},
                               {"dest_accum_en", w.below(2)}});
    case 1:
      return w.op<op::ELWSUB>({{"dst", dst},
                               {"addr_mode", w.below(4)},
                               {"instr_mod19", broadcast},
                               {"dest_accum_en", w.below(2)}});
    case 2:
    case 3:
      return w.op<op::ELWMUL>(
          {{"dst", dst}, {"addr_mode", w.below(4)}, {"instr_mod19", broadcast}});
    case 4:
    case 5:
      return w.op<op::MVMUL>(
          {{"dst", dst}, {"addr_mode", 2 * w.below(2)}, {"instr_mod19", w.one_in(40) ? 1u : 0u}});
    case 6:
      return w.op<op::MOVA2D>({{"dst", dst}, {"addr_mode", w.below(4)}, {"instr_mod", 2}});
    default:
      return w.op<op::MOVB2D>(
          {{"dst", dst}, {"addr_mode", w.below(4)}, {"movb2d_instr_mod", 2 + w.below(4)}});
  }
}

}  // namespace

Program make_math(u64 seed) {
  Writer w(seed);
  const u32 format = w.pick({5, 5, 1});
  const bool dst32 = w.one_in(3);
  const bool fidelity = w.one_in(2);  // phases, which only products have
  const bool from_singles = w.one_in(3);
  for (u32 i = 0; from_singles && i < 512; ++i) w.program.data.push_back(w.float_bits());
  for (u32 i = 0; !from_singles && i < 256; ++i)
    w.program.data.push_back(datum(w, format) | u32{datum(w, format)} << 16);
  w.keep = true;
  w.setup_pack_32();
  const u32 packed = dst32 ? 0 : format;
  w.config(cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kWord,
           packed << cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kLow |
               format << cfg::ALU_FORMAT_SPEC_REG0_SrcA::kLow |
               format << cfg::ALU_FORMAT_SPEC_REG1_SrcB::kLow |
               (dst32 ? 1u << cfg::ALU_ACC_CTRL_Fp32_enabled::kLow : 0));
  w.config(cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride::kWord, (dst32 ? 64u : 32u) << 16);
  w.config(cfg::PCK_DEST_RD_CTRL_Read_32b_data::kWord, dst32 ? 1 : 0);
  w.config(cfg::THCON_SEC0_REG1_Disable_zero_compress::kWord,
           1u | packed << cfg::THCON_SEC0_REG1_Out_data_format::kLow |
               packed << cfg::THCON_SEC0_REG1_In_data_format::kLow);
  setup_unpack(w, format, from_singles);
  // MVMUL takes 16 rows of SrcA and 8 of SrcB.
  const u32 product_rows = w.one_in(2) ? 16 : 8;
  const bool matrix = product_rows == 16 || w.one_in(10);
  for (u32 mode = 0; mode < 4; ++mode) {
    const u32 by = mode == 0 ? 0 : product_rows;
    w.thread_config(thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord + mode,
                    (mode & 1 ? by : 0) | (mode & 2 ? 8u << 8 : 0));
    w.thread_config(thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + mode,
                    (mode == 3 ? 8u : 0u) | (fidelity ? 1u << 13 : 0));
  }
  w.sync();
  w.op<op::ZEROACC>({{"clear_mode", 3}, {"addr_mode", 0}});
  w.op<op::UNPACR>({{"ovrd_thread_id", 1}, {"set_dat_valid", 1}, {"last", 1}});
  w.op<op::UNPACR>(
      {{"unpack_block_selection", 1}, {"ovrd_thread_id", 1}, {"set_dat_valid", 1}, {"last", 1}});
  w.op<op::SETRWC>({{"bit_mask", 0xF}});
  w.keep = false;
  for (u32 steps = 1 + w.below(8); steps > 0; --steps)
    math_instruction(w, fidelity, matrix, !dst32);
  w.keep = true;
  w.pack_rows(64);
  return w.program;
}

}  // namespace bhemu::diff
