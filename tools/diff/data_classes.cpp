// Programs that move data: unpackers, FPU, packer.
#include <array>

#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

struct PackMode {
  u8 in;
  u8 out;
  bool dst32;
};

// Formats: 0 FP32, 1 FP16, 5 BF16, 6 BFP8, 7 BFP4, 8 INT32, 9 UINT16, 14 INT8, 15 BFP2.
constexpr std::array kPackModes{
    PackMode{1, 0, false}, PackMode{1, 1, false}, PackMode{1, 5, false}, PackMode{5, 0, false},
    PackMode{5, 5, false}, PackMode{5, 6, false}, PackMode{5, 7, false}, PackMode{5, 15, false},
    PackMode{6, 0, false}, PackMode{6, 5, false}, PackMode{6, 6, false}, PackMode{6, 7, false},
    PackMode{9, 9, false}, PackMode{0, 0, true},  PackMode{0, 1, true},  PackMode{0, 6, true},
    PackMode{0, 7, true},  PackMode{0, 15, true}, PackMode{5, 5, true},  PackMode{6, 6, true},
    PackMode{6, 7, true},  PackMode{8, 8, true},  PackMode{9, 9, true},  PackMode{14, 14, true},
};

void load_register(Writer& w, u32 lreg, u32 value) {
  w.op<op::SFPLOADI>({{"lreg_ind", lreg}, {"instr_mod0", 10}, {"imm16", value & 0xFFFF}});
  w.op<op::SFPLOADI>({{"lreg_ind", lreg}, {"instr_mod0", 8}, {"imm16", value >> 16}});
}

/// Lane-dependent words in `rows` rows of Dst; 16-bit rows take the upper half (or the lower one
/// of integers).
void fill_dst(Writer& w, u32 rows, u32 store_mode) {
  for (u32 row = 0; row < rows; row += 2) {
    if ((row & 3) != 0 && w.one_in(2)) continue;  // columns left as ZEROACC made them
    load_register(w, 1, w.float_bits());
    w.op<op::SFPMOV>({{"lreg_dest", 0}, {"lreg_c", 15}});
    w.op<op::SFPSHFT>(
        {{"lreg_dest", 0}, {"lreg_c", 0}, {"imm12_math", w.below(27)}, {"instr_mod1", 1}});
    w.op<op::SFPXOR>({{"lreg_dest", 0}, {"lreg_c", 1}});
    w.op<op::SFPSTORE>({{"lreg_ind", 0},
                        {"instr_mod0", store_mode},
                        {"sfpu_addr_mode", 7},
                        {"dest_reg_addr", row}});
  }
}

u32 store_mode_of(const PackMode& mode) {
  if (mode.dst32) return 4;
  if (mode.in == 9) return 6;
  return mode.in == 1 ? 0 : 2;
}

void set_relu(Writer& w, const PackMode& mode) {
  if (!w.one_in(3)) return;
  if (mode.in >= 9) return;  // ReLU of other integers
  const u32 kind = mode.in == 8 ? 1 : 1 + w.below(3);
  const u32 threshold = kind == 1 ? 0 : w.float_bits() >> 16 & 0x7FFF;
  w.config(cfg::STACC_RELU_ApplyRelu::kWord, kind << cfg::STACC_RELU_ApplyRelu::kLow |
                                                 threshold << cfg::STACC_RELU_ReluThreshold::kLow);
}

}  // namespace

Program make_pack(u64 seed) {
  Writer w(seed);
  const PackMode mode = kPackModes[w.below(kPackModes.size())];
  const u32 bytes = mode.dst32 ? 4 : 2;
  w.keep = true;
  w.setup_pack_32();
  w.config(cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kWord,
           u32{mode.in} << cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kLow |
               (mode.in == 1 ? 1u : 5u) << cfg::ALU_FORMAT_SPEC_REG1_SrcB::kLow |
               (mode.dst32 ? 3u << cfg::ALU_ACC_CTRL_Fp32_enabled::kLow : 0));
  w.config(cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride::kWord, (16 * bytes) << 16);
  const u32 round = mode.in == 0 && mode.out == 1 ? 8 : 0;
  w.config(cfg::PCK_DEST_RD_CTRL_Read_32b_data::kWord, (mode.dst32 ? 1 : 0) | round);
  const u32 in = round != 0 ? 1 : mode.in;
  if (round != 0)
    w.config(
        cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kWord,
        1u << cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kLow | 3u << cfg::ALU_ACC_CTRL_Fp32_enabled::kLow);
  const bool accumulate = w.one_in(4) && (mode.out <= 1 || mode.out == 5);
  w.config(cfg::THCON_SEC0_REG1_Disable_zero_compress::kWord,
           1u | (accumulate ? 4u : 0) |
               u32{mode.out} << cfg::THCON_SEC0_REG1_Out_data_format::kLow |
               in << cfg::THCON_SEC0_REG1_In_data_format::kLow);
  w.config(cfg::THCON_SEC0_REG1_Downsample_mask::kWord,
           accumulate ? 1u << cfg::THCON_SEC0_REG1_Pack_L1_Acc::kLow : 0);
  w.config(cfg::THCON_SEC0_REG1_Row_start_section_size::kWord,
           1u << cfg::THCON_SEC0_REG1_Exp_section_size::kLow);
  if (accumulate)
    for (u32 i = 0; i < 256; ++i) w.store(kOut + i * 4, w.float_bits());
  w.sync();
  w.op<op::ZEROACC>({{"clear_mode", 3}, {"addr_mode", 7}});
  w.op<op::SFPENCC>({{"imm12_math", 3}, {"instr_mod1", 10}});
  fill_dst(w, 16, store_mode_of(mode));
  w.keep = false;
  set_relu(w, mode);
  w.keep = true;
  w.sync();
  w.pack_rows(16);
  return w.program;
}

namespace {

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

void math_instruction(Writer& w, bool multiply) {
  const u32 dst = w.pick({0, 8, 16, 24});
  const u32 broadcast = w.one_in(3) ? w.below(4) : 0;
  switch (multiply ? 2 + w.below(4) : w.below(8)) {
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
  for (u32 steps = 1 + w.below(8); steps > 0; --steps) math_instruction(w, fidelity);
  w.keep = true;
  w.pack_rows(64);
  return w.program;
}

}  // namespace bhemu::diff
