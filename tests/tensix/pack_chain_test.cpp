// Unpacker, matrix unit and packer one after the other, as a tile copy runs them.
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/format_codes.hpp"
#include "tensix/data_bench.hpp"

namespace bhemu::tensix {
namespace {

using numeric::Format;

constexpr u32 code(Format format) {
  return static_cast<u32>(format);
}
constexpr u32 kSource = 0x8000;
constexpr u32 kTarget = 0x10000;

class TileCopy : public ::testing::Test, public DataBench {
 protected:
  void apply(Format in, Format register_format, Format out, bool fp32_dst) {
    set_word(64, code(in) | 1u << 4 | 256u << 16);
    set_word(65, 1 | 4u << 16);
    set<cfg::THCON_SEC0_REG2_Out_data_format>(code(register_format));
    set_word(73, 0x000F000F);
    set_word(76, kSource / 16 - 1);
    set_word(84, 64);
    set_word(86, 256);
    set_thread<thread_cfg::SRCA_SET_SetOvrdWithAddr>(1);
    adc(AdcUnit::Unpacker0).channel[1].x = 255;

    set<cfg::ALU_ACC_CTRL_Fp32_enabled>(fp32_dst);
    set<cfg::ALU_FORMAT_SPEC_REG2_Dstacc>(code(out));
    set<cfg::THCON_SEC0_REG1_In_data_format>(code(out));
    set<cfg::THCON_SEC0_REG1_Out_data_format>(code(out));
    set<cfg::THCON_SEC0_REG1_Disable_zero_compress>(1);
    set<cfg::THCON_SEC0_REG1_L1_Dest_addr>(kTarget / 16 - 1);
    set<cfg::PCK_DEST_RD_CTRL_Read_32b_data>(fp32_dst);
    set<cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride>(16 * numeric::address_bytes_of(out));
    set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(16);
    set<cfg::PCK_EDGE_OFFSET_SEC0_mask>(0xFFFF);
    adc(AdcUnit::Packer, 2).channel[1].x = 15;
    set_thread<thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr>(4, 2);
  }

  /// Thread 0 unpacks face by face, thread 1 moves eight rows at a time, thread 2 packs.
  void copy_tile() {
    for (u32 face = 0; face < 4; ++face) {
      EXPECT_EQ(run<op::UNPACR>(
                    {{"ovrd_thread_id", 1}, {"addr_mode", 1}, {"set_dat_valid", 1}, {"last", 1}}),
                Completion::Done);
      for (u32 rows = 0; rows < 16; rows += 8) {
        EXPECT_EQ(run<op::MOVA2D>({{"instr_mod", 2}, {"src", rows}, {"dst", face * 16 + rows}}, 1),
                  Completion::Done);
      }
      run<op::SETRWC>({{"clear_ab_vld", 1}}, 1);
    }
    for (u32 i = 0; i < 16; ++i) run<op::PACR>({{"last", i == 15}}, 2);
    for (const Fault& fault : faults.faults()) ADD_FAILURE() << fault.text;
  }
};

TEST_F(TileCopy, a_bf16_tile_comes_back_bit_for_bit) {
  apply(Format::Bf16, Format::Bf16, Format::Bf16, false);
  std::mt19937 random(31);
  for (u32 i = 0; i < 1024; ++i)
    put16(kSource + 2 * i, static_cast<u16>((random() & 0x807F) | (1 + random() % 254) << 7));
  copy_tile();
  for (u32 i = 0; i < 1024; ++i) EXPECT_EQ(get16(kTarget + 2 * i), get16(kSource + 2 * i)) << i;
}

TEST_F(TileCopy, a_bf16_tile_comes_back_through_fp32_dst) {
  apply(Format::Bf16, Format::Bf16, Format::Bf16, true);
  // With 32-bit Dst the matrix unit takes its sources as TF32, whatever the unpacker implied.
  set_thread<thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base>(1, 1);
  set<cfg::ALU_FORMAT_SPEC_REG0_SrcA>(code(Format::Tf32));
  std::mt19937 random(32);
  for (u32 i = 0; i < 1024; ++i)
    put16(kSource + 2 * i, static_cast<u16>((random() & 0x807F) | (1 + random() % 254) << 7));
  copy_tile();
  for (u32 i = 0; i < 1024; ++i) EXPECT_EQ(get16(kTarget + 2 * i), get16(kSource + 2 * i)) << i;
}

TEST_F(TileCopy, fp32_through_srca_keeps_ten_bits_of_mantissa) {
  apply(Format::Fp32, Format::Tf32, Format::Fp32, true);
  std::mt19937 random(33);
  for (u32 i = 0; i < 1024; ++i)
    put32(kSource + 4 * i, (random() & 0x807FFFFF) | (1 + random() % 254) << 23);
  copy_tile();
  for (u32 i = 0; i < 1024; ++i)
    EXPECT_EQ(get32(kTarget + 4 * i), get32(kSource + 4 * i) & 0xFFFFE000u) << i;
}

/// Counting exponents keeps the packer on its row-by-row way, without any effect on the datums.
TEST_F(TileCopy, whole_rows_and_single_rows_are_packed_alike) {
  struct Case {
    Format in, cells, out;
    bool fp32_dst;
  };
  constexpr Case kCases[] = {{Format::Bf16, Format::Bf16, Format::Bf16, false},
                             {Format::Bf16, Format::Bf16, Format::Bfp8, false},
                             {Format::Bfp8, Format::Bfp8, Format::Bfp8, false},
                             {Format::Fp32, Format::Tf32, Format::Fp32, true}};
  std::mt19937 random(34);
  for (const Case& c : kCases) {
    apply(c.in, c.cells, c.out, c.fp32_dst);
    if (!c.fp32_dst) {
      set<cfg::ALU_FORMAT_SPEC_REG2_Dstacc>(code(Format::Bf16));
      set<cfg::THCON_SEC0_REG1_In_data_format>(code(Format::Bf16));
      set<cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride>(32);
    }
    set<cfg::THCON_SEC0_REG1_Exp_section_size>(4);
    for (u32 i = 0; i < 1100; ++i) put32(kSource + 4 * i, random());
    for (const u32 relu : {0u, 1u}) {
      set<cfg::STACC_RELU_ApplyRelu>(relu);
      std::array<std::vector<u8>, 2> copy;
      std::array<u8, 2> greatest{};
      for (u32 counting = 0; counting < 2; ++counting) {
        set_thread<thread_cfg::ENABLE_ACC_STATS_Enable>(counting, 1);
        adc(AdcUnit::Unpacker0).channel[0].z = 0;
        adc(AdcUnit::Packer, 2).channel[0].y = 0;
        state().packer.max_exponent = 0;
        std::fill_n(l1.data() + kTarget, 0x1200, u8{0xEE});
        copy_tile();
        copy[counting].assign(l1.data() + kTarget, l1.data() + kTarget + 0x1200);
        greatest[counting] = state().packer.max_exponent;
      }
      EXPECT_EQ(copy[0], copy[1]) << name_of(c.in) << " to " << name_of(c.out) << " ReLU " << relu;
      EXPECT_EQ(greatest[0], greatest[1]);
      EXPECT_NE(copy[0][64], 0xEE);
    }
  }
}

}  // namespace
}  // namespace bhemu::tensix
