// Programs for the packer: Dst full of values, random settings, a few tiles of a few instructions
// each, and what they leave in L1. Some of it goes over data that lies there already, so that
// accumulation, alignment and edges show.
#include "diff/classes.hpp"
#include "diff/data_parts.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

constexpr u32 kBfp8a = 2;
constexpr u32 kRows = 64;              // of Dst, filled
constexpr u32 kSpareRow = 256;         // 32-bit rows that 16-bit ones 0..511 have no part in
constexpr u32 kTarget = kData + 4096;  // where tiles go
constexpr u32 kFixedMode = 7;

struct PackMode {
  u8 in;
  u8 out;
  bool dst32;
  bool round = false;  // to ten bits of mantissa
};

// clang-format off
constexpr std::array kPackModes{
    PackMode{kFp16, kFp32, false}, PackMode{kFp16, kFp16, false}, PackMode{kFp16, kBf16, false},
    PackMode{kBf16, kFp32, false}, PackMode{kBf16, kBf16, false}, PackMode{kBf16, kBfp8, false},
    PackMode{kBf16, kBfp4, false}, PackMode{kBf16, kBfp2, false}, PackMode{kBfp8, kFp32, false},
    PackMode{kBfp8, kBf16, false}, PackMode{kBfp8, kBfp8, false}, PackMode{kBfp8, kBfp4, false},
    PackMode{kInt16, kInt16, false}, PackMode{kFp32, kFp32, true}, PackMode{kFp32, kFp16, true},
    PackMode{kFp16, kFp16, true, true}, PackMode{kFp16, kFp8, true, true},
    PackMode{kFp16, kFp8, false}, PackMode{kFp16, kFp8, false, true},
    PackMode{kFp32, kBfp8, true}, PackMode{kFp32, kBfp4, true}, PackMode{kFp32, kBfp2, true},
    PackMode{kBf16, kBf16, true}, PackMode{kBfp8, kBfp8, true}, PackMode{kBfp8, kBfp4, true},
    PackMode{kInt32, kInt32, true}, PackMode{kInt16, kInt16, true}, PackMode{kInt8, kInt8, true},
    PackMode{kBfp8a, kBfp8, false},
};
// What other simulators do not have.
constexpr std::array kStrangeModes{
    PackMode{kFp32, kBf16, true}, PackMode{kFp32, kTf32, true}, PackMode{kBf16, kFp16, false},
    PackMode{kBf16, kFp8, false}, PackMode{kInt8, kInt8, false}, PackMode{kTf32, kTf32, true},
    PackMode{kBfp8a, kBfp8a, false}, PackMode{kFp16, 3, false}, PackMode{kFp16, 11, false},
    PackMode{kInt32, kInt8, true}, PackMode{kFp32, kFp8, true}, PackMode{kFp16, kBfp8, false},
};
// clang-format on

class PackProgram {
 public:
  explicit PackProgram(u64 seed) : w_(seed) {}
  Program make();

 private:
  void fill_dst();
  void formats();
  void addresses();
  void edges();
  void relu();
  void tile();
  void place();

  Writer w_;
  PackMode mode_{};
  bool strange_ = false;
  bool accumulate_ = false;
  bool strided_ = false;
  bool half_rows_ = false;  // eight data an instruction
};

/// 32 lanes at a time: words from L1 to 32-bit rows, from there to 16-bit rows.
void PackProgram::fill_dst() {
  for (u32 i = 0; i < kRows * 16; ++i)
    w_.program.data.push_back(w_.one_in(8) ? w_.any_word() : w_.float_bits());
  if (mode_.dst32) return words_to_dst(w_, kData, 0, kRows);
  words_to_dst(w_, kData, kSpareRow, kRows);
  w_.config(kAluWord, Alu{.src_b = mode_.in == kFp16 ? kFp16 : kBf16}.word());
  w_.thread_config(thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + kFixedMode, 0);
  w_.op<op::SETRWC>({{"bit_mask", 0xF}});
  w_.op<op::SFPENCC>({{"imm12_math", 3}, {"instr_mod1", 10}});
  const bool raw = mode_.in == kInt16 || w_.one_in(3);
  const u32 store = raw ? 6 : mode_.in == kFp16 || mode_.in == kBfp8a ? 0 : 2;
  for (u32 row = 0; row < kRows; row += 2) {
    if (w_.one_in(16)) continue;
    w_.op<op::SFPLOAD>(
        {{"instr_mod0", 4}, {"sfpu_addr_mode", kFixedMode}, {"dest_reg_addr", kSpareRow + row}});
    w_.op<op::SFPSTORE>(
        {{"instr_mod0", store}, {"sfpu_addr_mode", kFixedMode}, {"dest_reg_addr", row}});
  }
  w_.wait_all();
  w_.sync();
}

void PackProgram::formats() {
  const u32 in = mode_.in;
  const bool lf8 = mode_.out == kFp8 && (!strange_ || w_.one_in(2));
  w_.config(kAluWord, Alu{.src_b = in == kFp16 ? kFp16 : kBf16,
                          .dst = in,
                          .fp32 = mode_.dst32,
                          .sfpu_fp32 = mode_.dst32}
                          .word());
  w_.config(cfg::PCK_DEST_RD_CTRL_Read_32b_data::kWord,
            u32{mode_.dst32} | (in == kInt8 ? w_.below(2) << 1 : 0) | u32{mode_.round} << 3);
  accumulate_ = w_.one_in(3) && (mode_.out == kFp32 || mode_.out == kFp16 || mode_.out == kBf16);
  w_.config(cfg::THCON_SEC0_REG1_Disable_zero_compress::kWord,
            1u | (accumulate_ ? 4u : 0) |
                u32{mode_.out} << cfg::THCON_SEC0_REG1_Out_data_format::kLow |
                in << cfg::THCON_SEC0_REG1_In_data_format::kLow);
  const bool threshold = strange_ && w_.one_in(4);
  w_.config(cfg::THCON_SEC0_REG1_Downsample_mask::kWord,
            u32{accumulate_} << cfg::THCON_SEC0_REG1_Pack_L1_Acc::kLow |
                u32{lf8} << cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp::kLow |
                (threshold ? 1u << cfg::THCON_SEC0_REG1_Exp_threshold_en::kLow |
                                 w_.below(256) << cfg::THCON_SEC0_REG1_Exp_threshold::kLow
                           : 0) |
                (strange_ && w_.one_in(6) ? w_.word() & 0xFFFF : 0));
  w_.config(cfg::THCON_SEC0_REG1_Row_start_section_size::kWord,
            (1 + w_.below(4)) << cfg::THCON_SEC0_REG1_Exp_section_size::kLow);
}

void PackProgram::addresses() {
  const u32 bytes = mode_.dst32 ? 4 : mode_.in == kBfp8 || mode_.in == kBfp8a ? 1 : 2;
  // Whole rows, in bytes of the input format.
  const u32 row = 16 * (mode_.in == kInt8                                              ? 1
                        : mode_.in == kFp16 || mode_.in == kBf16 || mode_.in == kInt16 ? 2
                                                                                       : bytes);
  w_.config(cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride::kWord, (row * (1 + w_.below(2))) << 16);
  w_.config(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride::kWord,
            row * w_.pick({8, 16}) | row * w_.pick({4, 16, 32}) << 16);
  w_.config(cfg::PCK0_ADDR_CTRL_XY_REG_1_Xstride::kWord, (16 * w_.below(64)) << 16);
  w_.config(cfg::THCON_SEC0_REG1_L1_Dest_addr::kWord, kTarget / 16 - 1 + w_.below(16));
  w_.config(cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset::kWord, 4 * w_.below(4));
  for (u32 i = 0; i < 4; ++i)
    w_.thread_config(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord + i,
                     w_.pick({0, 1, 2, 4, 4, 4, 8}) | (w_.one_in(6) ? 1u << 4 : 0) |
                         (w_.one_in(8) ? 1u << 5 : 0) | w_.below(2) << 6 |
                         (w_.one_in(4) ? 1u << 11 : 0) | (w_.one_in(6) ? 1u << 12 : 0) |
                         (w_.one_in(8) ? 1u << 13 : 0));
}

/// Rows chosen by position in the tile, each with all, one or none of its columns.
void PackProgram::edges() {
  w_.config(cfg::PACK_COUNTERS_SEC0_pack_per_xy_plane::kWord,
            (1 + w_.below(16)) << cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane::kLow);
  // Half rows count as rows of the tile: docs/DISAGREEMENTS.md, tile position of half rows.
  const bool cut = !half_rows_ && w_.one_in(3);
  const u32 any = strange_ && w_.one_in(3) ? w_.word() & 0xFFFF : 0xFFFF;
  const u32 select = cut ? w_.below(2) : 0;
  w_.config(cfg::PCK_EDGE_OFFSET_SEC0_mask::kWord,
            (cut ? w_.pick({0, 1, any, any}) : any) |
                select << cfg::PCK_EDGE_TILE_ROW_SET_SELECT_select::kLow);
  w_.config(cfg::PCK_EDGE_OFFSET_SEC1_mask::kWord, w_.pick({0, 1, 0xFFFF}));
  w_.config(cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0::kWord, cut ? w_.word() & 0x55555555 : 0);
  w_.config(cfg::TILE_ROW_SET_MAPPING_1_row_set_mapping_0::kWord, cut ? w_.word() & 0x55555555 : 0);
}

void PackProgram::relu() {
  w_.config(cfg::STACC_RELU_ApplyRelu::kWord, 0);
  if (!w_.one_in(3)) return;
  const u32 in = mode_.in;
  if (in == kInt8 || in == kInt16) return;  // ReLU of other integers
  const u32 kind = in == kInt32 ? 1 : 1 + w_.below(3);
  const u32 threshold = kind == 1 ? 0 : w_.float_bits() >> 16 & 0x7FFF;
  w_.config(cfg::STACC_RELU_ApplyRelu::kWord, kind << cfg::STACC_RELU_ApplyRelu::kLow |
                                                  threshold << cfg::STACC_RELU_ReluThreshold::kLow);
}

void PackProgram::place() {
  w_.op<op::SETADCXY>({{"cnt_set_mask", 4},
                       {"ch0_y", w_.below(8)},
                       {"ch1_y", w_.below(8)},
                       {"bit_mask", 2 | w_.below(2) << 3}});
  w_.op<op::SETADCZW>(
      {{"cnt_set_mask", 4}, {"ch0_z", w_.below(2)}, {"ch0_w", w_.below(2)}, {"bit_mask", 3}});
}

void PackProgram::tile() {
  place();
  // Eight data at a time only from the first interface; a block format needs sixteen.
  const u32 interfaces = half_rows_ ? 1
                         : strided_ ? w_.pick({0, 1, 3})
                                    : w_.pick({0, 0, 1, 3, 5, 10});
  for (u32 left = 1 + w_.below(6); left > 0; --left) {
    const bool odd = strange_ && w_.one_in(8);
    w_.op<op::PACR>({{"addr_mode", w_.below(4)},
                     {"read_intf_sel", odd ? w_.below(16) : interfaces},
                     {"dst_access_mode", strided_ ? 1u : 0u},
                     {"zero_write", odd ? w_.below(2) : 0},
                     {"flush", odd && w_.one_in(4) ? 1u : 0u},
                     {"last", left == 1 ? 1u : 0u}});
  }
}

Program PackProgram::make() {
  strange_ = w_.one_in(10);
  mode_ = strange_ && w_.one_in(2) ? kStrangeModes[w_.below(kStrangeModes.size())]
                                   : kPackModes[w_.below(kPackModes.size())];
  strided_ = w_.one_in(6);
  half_rows_ = !strided_ && datum_bits(mode_.out) >= 16 && w_.one_in(8);
  w_.keep = true;
  if (w_.one_in(8)) w_.use_second_bank();
  // Before anything is in Dst: it says where rows lie.
  w_.config(cfg::DEST_ACCESS_CFG_swizzle_32b::kWord, strided_ ? 3 : 0);
  fill_dst();
  const std::vector<u32> under = random_data(w_, mode_.out, kDataBytes / 2 * 8 / 32);
  w_.program.data.insert(w_.program.data.end(), under.begin(), under.end());
  w_.setup_pack_32();
  formats();
  addresses();
  w_.keep = false;
  edges();
  relu();
  w_.keep = true;
  w_.sync();
  w_.op<op::SETADCXX>({{"cnt_set_mask", 4}, {"x_end2", half_rows_ ? 7u : 15u}});
  w_.op<op::SETADCXY>({{"cnt_set_mask", 4}, {"bit_mask", 0xB}});
  w_.op<op::SETADCZW>({{"cnt_set_mask", 4}, {"bit_mask", 0xF}});
  w_.keep = false;
  for (u32 tiles = 1 + w_.below(3); tiles > 0; --tiles) tile();
  w_.keep = true;
  w_.wait_all();
  w_.sync();
  return w_.program;
}

}  // namespace

Program make_pack(u64 seed) {
  return PackProgram(seed).make();
}

}  // namespace bhemu::diff
