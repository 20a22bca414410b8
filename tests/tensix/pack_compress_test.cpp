// Compressed output of the packer: against a decoder written from Compression.md alone, and through
// the unpacker.
#include <random>

#include "tensix/pack_bench.hpp"

namespace bhemu::tensix {
namespace {

class Compress : public Pack {
 protected:
  static constexpr u32 kRowStartUnits = 8;

  void apply_compressed(Format in, Format out, bool read_32b) {
    apply(in, out, read_32b);
    set<cfg::THCON_SEC0_REG1_Disable_zero_compress>(0);
    set<cfg::THCON_SEC0_REG1_Row_start_section_size>(kRowStartUnits);
    set_thread<thread_cfg::ADDR_MOD_PACK_SEC3_YsrcIncr>(1);
  }
  u32 row_start(u32 row) const { return get16(kData + 2 * row); }
  /// Address of the datums, behind row starts and exponents.
  u32 stream(u32 exponent_units = 0) const {
    return kData + (kRowStartUnits + exponent_units) * 16;
  }

  struct Stored {
    u32 datum;
    u32 zeros;
  };
  Stored stored(u32 base, u32 index, u32 bits) const {
    const u32 group = base + index / 32 * (4 * bits + 16);
    const u32 at = index % 32 * bits;
    u32 word = 0;
    for (u32 i = 0; i < 4; ++i) word |= u32{get8(group + at / 8 + i)} << (8 * i);
    const u32 counts = get8(group + 4 * bits + index % 32 / 2);
    return {bits == 32 ? word : word >> (at % 8) & ((1u << bits) - 1),
            counts >> (index % 2 * 4) & 0xF};
  }
  /// Row `row` as a reader of the document gets it back.
  std::vector<u32> decode(u32 row, u32 bits) const {
    std::vector<u32> result;
    for (u32 i = row_start(row); i < row_start(row + 1); ++i) {
      const Stored s = stored(stream(), i, bits);
      result.push_back(s.datum);
      result.insert(result.end(), s.zeros, 0);
    }
    return result;
  }
};

TEST_F(Compress, zeros_inside_a_row_are_counted_and_its_ends_are_kept) {
  apply_compressed(Format::Bf16, Format::Bf16, false);
  dst().write_row16(0, DstRow{});
  put_bf16(0, 3, 0x4000);
  put_bf16(0, 5, 0x4100);
  pacr({{"read_intf_sel", 1}, {"last", 1}});
  EXPECT_TRUE(faulted(Rule::PackCompression));
  EXPECT_EQ(row_start(0), 0u);
  EXPECT_EQ(row_start(1), 4u);
  const Stored expected[4] = {{0, 2}, {0x4000, 1}, {0x4100, 9}, {0, 0}};
  for (u32 i = 0; i < 4; ++i) {
    EXPECT_EQ(stored(stream(), i, 16).datum, expected[i].datum) << i;
    EXPECT_EQ(stored(stream(), i, 16).zeros, expected[i].zeros) << i;
  }
  // One group of 32 datums and their counts behind the row starts.
  EXPECT_EQ(state().packer.last_tile_size, kRowStartUnits + 4 + 1);
}

TEST_F(Compress, a_run_is_at_most_fifteen_zeros_long) {
  apply_compressed(Format::Bf16, Format::Bf16, false);
  for (u32 row = 0; row < 4; ++row) dst().write_row16(row, DstRow{});
  put_bf16(0, 0, 0x4000);
  pacr({{"last", 1}});
  // 0x4000, 15 zeros, a zero with 15, one with 15, one with 14, the last zero.
  ASSERT_EQ(row_start(1), 5u);
  EXPECT_EQ(stored(stream(), 0, 16).zeros, 15u);
  EXPECT_EQ(stored(stream(), 3, 16).zeros, 14u);
  EXPECT_EQ(decode(0, 16).size(), 64u);
}

TEST_F(Compress, concat_makes_one_row_of_several_instructions) {
  apply_compressed(Format::Bf16, Format::Bf16, false);
  for (u32 row = 0; row < 8; ++row) dst().write_row16(row, DstRow{});
  put_bf16(0, 0, 0x4000);
  pacr({{"read_intf_sel", 3}, {"concat", 1}});
  pacr({{"read_intf_sel", 3}});
  pacr({{"read_intf_sel", 1}, {"addr_mode", 1}, {"last", 1}});
  EXPECT_EQ(decode(0, 16).size(), 64u);
  EXPECT_EQ(row_start(1), 5u);
  EXPECT_EQ(decode(1, 16).size(), 16u);
  EXPECT_EQ(row_start(2), 5u + 2u);
}

TEST_F(Compress, rows_of_zeros_are_flagged_for_tdma_unless_flags_are_off) {
  apply_compressed(Format::Bf16, Format::Bf16, false);
  set<cfg::THCON_SEC0_REG1_Enable_out_fifo>(1);
  for (u32 row = 0; row < 16; ++row) dst().write_row16(row, DstRow{});
  put_bf16(4, 7, 0x4000);
  for (u32 i = 0; i < 4; ++i) pacr({{"last", i == 3}});
  EXPECT_EQ(state().packer.compressor.zero_flags, 0xDu);
  EXPECT_EQ(state().packer.closed_zero_flags[0], 0xDu);
  packer().channel[0].y = 0;
  set<cfg::THCON_SEC0_REG1_Disable_pack_zero_flags>(1);
  pacr({{"last", 1}});
  EXPECT_EQ(state().packer.compressor.zero_flags, 0u);
}

TEST_F(Compress, random_tiles_decode_to_what_went_in) {
  std::mt19937 random(17);
  const struct {
    Format format;
    bool read_32b;
    u32 bits;
  } cases[] = {{Format::Bf16, false, 16}, {Format::Fp32, true, 32}, {Format::Int8, true, 8}};
  for (const auto& c : cases) {
    for (u32 trial = 0; trial < 40; ++trial) {
      apply_compressed(c.format, c.format, c.read_32b);
      faults.clear();
      const u32 density = 1 + trial % 8;
      std::vector<u32> values(1024);
      for (u32 i = 0; i < 1024; ++i) {
        values[i] = random() % density != 0 ? 0
                    : c.bits == 8           ? 1 + random() % 126
                                            : 0x4000 + random() % 64;
        if (c.read_32b) {
          put_fp32(i / 16, i % 16, c.bits == 32 ? values[i] << 16 : values[i]);
        } else {
          put_bf16(i / 16, i % 16, values[i]);
        }
      }
      packer().channel[0].y = 0;
      for (u32 i = 0; i < 16; ++i) pacr({{"last", i == 15}});
      for (u32 row = 0; row < 16; ++row) {
        const std::vector<u32> got = decode(row, c.bits);
        ASSERT_EQ(got.size(), 64u) << name_of(c.format) << ' ' << trial;
        for (u32 i = 0; i < 64; ++i)
          ASSERT_EQ(c.bits == 32 ? got[i] >> 16 : got[i], values[64 * row + i]);
      }
      EXPECT_FALSE(state().packer.open);
    }
  }
}

TEST_F(Compress, block_floats_share_an_exponent_among_stored_datums) {
  apply_compressed(Format::Bf16, Format::Bfp8, false);
  for (u32 row = 0; row < 8; ++row) dst().write_row16(row, DstRow{});
  // 24 stored datums: each row keeps its first and last, and column 5.
  for (u32 row = 0; row < 8; ++row) put_bf16(row, 5, (100 + row) << 7);
  for (u32 row = 0; row < 8; ++row)
    pacr({{"read_intf_sel", 1}, {"addr_mode", 3}, {"last", row == 7}});
  EXPECT_EQ(row_start(8), 24u);
  // Stored 0..15 come from rows 0..5 (row 5 without its last), 16..23 from the rest.
  const u32 exponents = kData + kRowStartUnits * 16;
  EXPECT_EQ(get8(exponents), 104u);
  EXPECT_EQ(get8(exponents + 1), 107u);
  EXPECT_EQ(get8(exponents + 2), 0u);
  EXPECT_EQ(stored(stream(4), 13, 8).datum, 0x40u);  // row 4, the greatest of its sixteen
}

TEST_F(Compress, the_unpacker_reads_what_the_packer_compressed) {
  apply_compressed(Format::Bf16, Format::Bf16, false);
  std::mt19937 random(23);
  std::vector<u16> values(256);
  for (u32 i = 0; i < 256; ++i) {
    values[i] = random() % 4 != 0 ? 0 : static_cast<u16>(0x3F80 + i);
    put_bf16(i / 16, i % 16, values[i]);
  }
  // Sixteen rows of sixteen datums: 17 row starts fit into the three units of the descriptor.
  set<cfg::THCON_SEC0_REG1_Row_start_section_size>(3);
  for (u32 row = 0; row < 16; ++row)
    pacr({{"read_intf_sel", 1}, {"addr_mode", 3}, {"last", row == 15}});
  set_word(64, code(Format::Bf16) | 16u << 16);  // compressed, x dim 16
  set_word(65, 16 | 1u << 16);
  set<cfg::THCON_SEC0_REG2_Out_data_format>(code(Format::Bf16));
  set_word(73, 0);
  set_word(76, kTarget);
  set_word(84, 64);
  set_word(86, 16);
  set_thread<thread_cfg::SRCA_SET_SetOvrdWithAddr>(1);
  set<cfg::UNP0_ADDR_CTRL_XY_REG_1_Ystride>(32);
  set<cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr>(1);
  adc(AdcUnit::Unpacker0).channel[1].x = 15;
  for (u32 row = 0; row < 16; ++row)
    run<op::UNPACR>({{"ovrd_thread_id", 1}, {"addr_mode", 1u << 6 | 1u << 2}, {"last", 1}});
  for (const Fault& fault : faults.faults()) EXPECT_EQ(fault.rule, Rule::PackCompression);
  const auto& bank = state().fpu.src_a.bank[state().fpu.src_a.unpack_bank];
  for (u32 i = 0; i < 256; ++i) EXPECT_EQ(bank[i / 16].datum[i % 16], u32{values[i]} << 16) << i;
}

TEST_F(Compress, a_flush_ends_the_open_row_and_the_tile) {
  apply_compressed(Format::Bf16, Format::Bf16, false);
  dst().write_row16(0, DstRow{});
  pacr({{"read_intf_sel", 1}, {"concat", 1}});
  close();
  EXPECT_EQ(decode(0, 16).size(), 16u);
  EXPECT_FALSE(state().packer.open);
}

TEST_F(Compress, what_is_not_described_faults) {
  apply_compressed(Format::Bf16, Format::Bfp2, false);
  pacr({{"last", 1}});
  EXPECT_TRUE(faulted(Rule::PackUndocumented));
  faults.clear();
  apply_compressed(Format::Bf16, Format::Bf16, false);
  set<cfg::THCON_SEC0_REG1_Pack_L1_Acc>(1);
  set<cfg::THCON_SEC0_REG1_Disable_pack_zero_flags>(1);
  pacr({{"last", 1}});
  EXPECT_TRUE(faulted(Rule::PackUndocumented));
}

}  // namespace
}  // namespace bhemu::tensix
