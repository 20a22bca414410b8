// UNPACR, UNPACR_NOP and SETDVALID on their own: addresses, destinations, counters, banks, faults.
#include <gtest/gtest.h>

#include "tensix/dst/dst_access.hpp"
#include "tensix/handover.hpp"
#include "tensix/unpack_bench.hpp"

namespace bhemu::tensix {
namespace {

TEST_F(Unpack, a_bf16_face_fills_sixteen_rows_of_srca_in_order) {
  TileSetup s;
  apply(s);
  fill_bf16(data_address(s), 256);
  EXPECT_EQ(unpack(), Completion::Done);
  EXPECT_FALSE(faulted());
  for (u32 i = 0; i < 256; ++i) EXPECT_EQ(src_a(i / 16).datum[i % 16], (0x3F80 + i) << 16);
}

TEST_F(Unpack, z_and_w_counters_select_the_face_and_the_tile) {
  TileSetup s;
  s.w = 2;
  apply(s);
  fill_bf16(data_address(s), 2048, 0);
  adc(AdcUnit::Unpacker0).channel[0].z = 3;
  adc(AdcUnit::Unpacker0).channel[0].w = 1;
  unpack();
  EXPECT_EQ(src_a(0).datum[0], (1024u + 768u) << 16);
}

// ADCs.md of 2026: Blackhole's Z and W have 13 bits, of which L1 addresses see eight.
TEST_F(Unpack, z_and_w_of_the_source_arrive_without_their_high_bits) {
  TileSetup s;
  s.w = 2;
  apply(s);
  fill_bf16(data_address(s), 2048, 0);
  adc(AdcUnit::Unpacker0).channel[0].z = 0x1F03;
  adc(AdcUnit::Unpacker0).channel[0].w = 0x0101;
  unpack();
  EXPECT_FALSE(faulted());
  EXPECT_EQ(src_a(0).datum[0], (1024u + 768u) << 16);
}

TEST_F(Unpack, z_of_the_destination_counts_with_all_13_bits) {
  TileSetup s;
  s.in = s.out = Format::Fp32;
  s.by_address = false;
  s.destination = 64;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0>(1);
  set<cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride>(64);  // a row of FP32
  for (u32 i = 0; i < 256; ++i) put32(data_address(s) + 4 * i, 0xC0490000 + i);
  adc(AdcUnit::Unpacker0).channel[1].z = 0x105;
  unpack();
  EXPECT_FALSE(faulted());
  EXPECT_EQ(numeric::fp32_from_dst(dst().read32(0x105, 0)), 0xC0490000u);
}

TEST_F(Unpack, stalls_and_changes_nothing_while_the_bank_belongs_to_the_matrix_unit) {
  TileSetup s;
  apply(s);
  fill_bf16(data_address(s), 256);
  state().fpu.src_a.owner[0] = SrcOwner::Matrix;
  const FieldValue increments{"addr_mode", 0xFF};
  EXPECT_EQ(unpack(0, true, {increments}), Completion::Stall);
  EXPECT_EQ(src_a(0).datum[0], 0u);
  EXPECT_EQ(adc(AdcUnit::Unpacker0).channel[0].z, 0);
  EXPECT_EQ(state().fpu.src_a.unpack_bank, 0);
  state().fpu.src_a.owner[0] = SrcOwner::Unpacker;
  EXPECT_EQ(unpack(0, true, {increments}), Completion::Done);
  EXPECT_EQ(state().fpu.src_a.bank[0][0].datum[0], 0x3F800000u);
}

TEST_F(Unpack, an_unpack_to_dst_waits_for_the_srca_bank_too) {
  TileSetup s;
  s.by_address = false;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0>(1);
  state().fpu.src_a.owner[0] = SrcOwner::Matrix;
  EXPECT_EQ(unpack(), Completion::Stall);
}

TEST_F(Unpack, an_unpack_to_dst_places_rows_as_other_units_find_them) {
  TileSetup s;
  s.in = s.out = Format::Fp32;
  s.by_address = false;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0>(1);
  set<cfg::DEST_ACCESS_CFG_remap_addrs>(1);
  set<cfg::DEST_ACCESS_CFG_swizzle_32b>(1);
  const auto value = [](u32 i) { return 0x3F800000 + i; };
  for (u32 i = 0; i < 256; ++i) put32(data_address(s) + 4 * i, value(i));
  EXPECT_EQ(unpack(), Completion::Done);
  EXPECT_FALSE(faulted());
  const DstAccess dst(state());
  for (u32 row = 0; row < 16; ++row)
    EXPECT_EQ(numeric::fp32_from_dst(dst.read32(row, 0)), value(16 * row)) << row;
}

TEST_F(Unpack, data_valid_hands_the_bank_over_with_its_format_and_turns_to_the_other_bank) {
  TileSetup s;
  s.unpacker = 1;
  apply(s);
  set_thread<thread_cfg::SRCB_SET_Base>(2);
  EXPECT_EQ(unpack(1, true), Completion::Done);
  const SrcFile& file = state().fpu.src_b;
  EXPECT_EQ(file.owner[0], SrcOwner::Matrix);
  EXPECT_EQ(file.format[0], format_code(Format::Bf16));
  EXPECT_EQ(file.unpack_bank, 1);
  EXPECT_EQ(state().unpacker[1].src_row[0], 32);
  EXPECT_EQ(unpack(1, true), Completion::Done);
  EXPECT_EQ(unpack(1, true), Completion::Stall);  // both banks are the matrix unit's now
}

TEST_F(Unpack, counters_of_both_channels_advance_by_the_instruction_modulo_their_width) {
  TileSetup s;
  s.x_end = 15;
  apply(s);
  set_word(56, 0);  // no destination strides: only the counters are of interest
  Adc& own = adc(AdcUnit::Unpacker0);
  own.channel[0].z = 0x1FFF;
  own.channel[0].y = 0x1FFF;
  own.channel[0].y_cr = 7;
  unpack(0, false, {{"addr_mode", 1u << 6 | 2u << 4 | 3u << 2 | 1u}, {"zero_write2", 1}});
  EXPECT_FALSE(faulted());
  EXPECT_EQ(own.channel[0].z, 0);
  EXPECT_EQ(own.channel[0].y, 2);
  EXPECT_EQ(own.channel[0].y_cr, 7);
  EXPECT_EQ(own.channel[1].z, 2);
  EXPECT_EQ(own.channel[1].y, 1);
}

TEST_F(Unpack, counters_of_another_thread_give_x_and_y_and_advance_once) {
  TileSetup s;
  apply(s);
  fill_bf16(data_address(s), 1024, 0);
  Adc& other = adc(AdcUnit::Unpacker0, 2);
  other.channel[0].x = 32;
  other.channel[1].x = 47;
  adc(AdcUnit::Unpacker0, 0).channel[0].z = 1;
  unpack(0, false, {{"addr_cnt_context_id", 2}, {"addr_mode", 1}});
  EXPECT_EQ(src_a(0).datum[0], (256u + 32u) << 16);
  EXPECT_EQ(src_a(1).datum[0], 0u);
  EXPECT_EQ(other.channel[0].z, 1);
  EXPECT_EQ(adc(AdcUnit::Unpacker0, 0).channel[0].z, 2);
  EXPECT_EQ(adc(AdcUnit::Unpacker0, 1).channel[0].z, 0);
}

TEST_F(Unpack, the_context_offset_of_the_thread_selects_base_offset_and_destination) {
  TileSetup s;
  apply(s);
  set_word(77, 0x200);
  set<cfg::THCON_SEC0_REG7_Offset_cntx1_address>(3);
  set<cfg::THCON_SEC0_REG5_Dest_cntx1_address>(64 + 64);
  set_thread<thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0>(1);
  fill_bf16((0x200 + 3 + 1) * 16, 256);
  unpack();
  EXPECT_EQ(src_a(4).datum[0], 0x3F800000u);
  EXPECT_EQ(src_a(0).datum[0], 0u);
}

TEST_F(Unpack, the_context_counter_runs_to_the_configured_count_and_starts_over) {
  TileSetup s;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Context_count>(1);  // two contexts
  const FieldValue counted{"auto_inc_context_id", 1};
  unpack(0, false, {counted});
  EXPECT_EQ(state().unpacker[0].context[0], 1);
  unpack(0, false, {counted});
  EXPECT_EQ(state().unpacker[0].context[0], 0);
  run<op::UNPACR>({{"cfg_context_cnt_inc", 1}});
  EXPECT_EQ(state().unpacker[0].context[0], 1);
  unpack::context_counter_written(context(), 1u << 4);
  EXPECT_EQ(state().unpacker[0].context[0], 0);
  unpack::context_counter_written(context(), 1u << 5);
  EXPECT_EQ(state().unpacker[0].context[0], 1);
}

TEST_F(Unpack, per_context_formats_override_the_descriptor) {
  TileSetup s;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Ovrd_data_format>(1);
  set<cfg::THCON_SEC0_REG7_Unpack_data_format_cntx0>(format_code(Format::Fp32));
  set<cfg::THCON_SEC0_REG7_Unpack_out_data_format_cntx0>(format_code(Format::Tf32));
  put32(data_address(s), 0x3F801FFF);
  unpack(0, true);
  EXPECT_EQ(state().fpu.src_a.bank[0][0].datum[0], 0x3F800000u);
  EXPECT_EQ(state().fpu.src_a.format[0], format_code(Format::Tf32));
}

TEST_F(Unpack, haloize_transposes_each_block_of_srca) {
  TileSetup s;
  s.x = 512;
  s.x_end = 511;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Haloize_mode>(1);
  fill_bf16(data_address(s), 512, 0);
  unpack();
  for (u32 i = 0; i < 512; ++i) EXPECT_EQ(src_a(i / 256 * 16 + i % 16).datum[i / 16 % 16], i << 16);
}

TEST_F(Unpack, tileize_steps_after_32_datums_of_16_bits_and_after_16_of_8_bits) {
  TileSetup s;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Tileize_mode>(1);
  set_word(72, words()[72] | 0x2u << 16 | 0x1u << 20);  // 0x12 units of 16 bytes
  for (u32 row = 0; row < 8; ++row) fill_bf16(data_address(s) + row * 0x120, 32, row * 64);
  unpack();
  EXPECT_FALSE(faulted());
  for (u32 i = 0; i < 256; ++i)
    EXPECT_EQ(src_a(i / 16).datum[i % 16], (i / 32 * 64 + i % 32) << 16);

  s.in = s.out = Format::Int8;
  apply(s);
  for (u32 row = 0; row < 16; ++row)
    for (u32 i = 0; i < 16; ++i) l1.data()[data_address(s) + row * 0x120 + i] = row * 4 + 1;
  unpack();
  for (u32 row = 0; row < 16; ++row)
    EXPECT_EQ(numeric::ieee19_from_cell(src_a(row).datum[5]) & 0x3FF, row * 4 + 1);
}

TEST_F(Unpack, tileize_goes_back_when_its_step_is_shorter_than_its_rows) {
  TileSetup s;
  s.x_end = 99;  // no whole rows, so datum after datum
  apply(s);
  set<cfg::THCON_SEC0_REG2_Tileize_mode>(1);
  set_word(72, words()[72] | 0x2u << 16);  // 32 bytes; a row has 64
  fill_bf16(data_address(s), 256, 0);
  unpack();
  EXPECT_FALSE(faulted());
  for (u32 i = 0; i < 100; ++i)
    EXPECT_EQ(src_a(i / 16).datum[i % 16], (i / 32 * 16 + i % 32) << 16) << i;
}

TEST_F(Unpack, exponents_precede_block_float_datums_one_for_sixteen) {
  TileSetup s;
  s.unpacker = 1;
  s.in = s.out = Format::Bfp4;
  apply(s);
  const u32 exponents = data_address(s);
  const u32 datums = exponents + 64;  // 1024 datums, 64 exponents
  adc(AdcUnit::Unpacker1).channel[0].z = 2;
  for (u32 i = 0; i < 64; ++i) l1.data()[exponents + i] = static_cast<u8>(100 + i);
  std::memset(l1.data() + datums, 0x44, 512);  // nibble 4: magnitude 1.0
  unpack(1);
  for (u32 row = 0; row < 16; ++row) EXPECT_EQ(src_b(row).datum[7] >> 23, 100 + 32 + row);
}

TEST_F(Unpack, a_forced_exponent_replaces_the_exponent_section) {
  TileSetup s;
  s.unpacker = 1;
  s.in = s.out = Format::Bfp8;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Force_shared_exp>(1, kThconSection);
  set<cfg::UNP1_FORCED_SHARED_EXP_shared_exp>(133);
  l1.data()[data_address(s)] = 0x40;
  l1.data()[data_address(s) + 1] = 0xC5;
  unpack(1);
  EXPECT_EQ(std::bit_cast<float>(src_b(0).datum[0]), 64.0F);
  EXPECT_EQ(std::bit_cast<float>(src_b(0).datum[1]), -69.0F);  // INT8 5 + 64, as BF16
}

TEST_F(Unpack, zero_write_clears_and_reads_nothing) {
  TileSetup s;
  s.base = 0x30000;  // beyond L1
  apply(s);
  src_a(3).datum.fill(1);
  EXPECT_EQ(unpack(0, false, {{"zero_write2", 1}}), Completion::Done);
  EXPECT_FALSE(faulted());
  EXPECT_EQ(src_a(3).datum[9], 0u);
}

TEST_F(Unpack, column_shift_drops_the_first_columns) {
  TileSetup s;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Shift_amount_cntx0>(3);
  fill_bf16(data_address(s), 256, 0);
  unpack();
  EXPECT_EQ(src_a(1).datum[0], (16u + 3) << 16);
  EXPECT_EQ(src_a(1).datum[12], (16u + 15) << 16);
  EXPECT_EQ(src_a(1).datum[13], 0u);
}

TEST_F(Unpack, upsampling_inserts_zeros_or_skips_positions) {
  TileSetup s;
  s.x_end = 15;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Upsample_rate>(2);  // three extra positions
  fill_bf16(data_address(s), 16, 1);
  for (u32 row = 0; row < 4; ++row) src_a(row).datum.fill(0xAAAA0000);
  unpack();
  EXPECT_EQ(src_a(0).datum[4], 2u << 16);
  EXPECT_EQ(src_a(0).datum[5], 0u);
  EXPECT_EQ(src_a(3).datum[12], 16u << 16);
  for (u32 row = 0; row < 4; ++row) src_a(row).datum.fill(0xAAAA0000);
  set<cfg::THCON_SEC0_REG2_Upsample_and_interleave>(1);
  unpack();
  EXPECT_EQ(src_a(0).datum[4], 2u << 16);
  EXPECT_EQ(src_a(0).datum[5], 0xAAAA0000u);
}

TEST_F(Unpack, addresses_beyond_the_limit_step_back_by_the_fifo_size) {
  TileSetup s;
  apply(s);
  const u32 limit = data_address(s) / 16 + 8;  // 64 datums below it
  set<cfg::THCON_SEC0_REG2_Unpack_limit_address>(limit);
  set<cfg::THCON_SEC0_REG2_Unpack_fifo_size>(0x40);
  fill_bf16(data_address(s), 256, 0);
  fill_bf16(data_address(s) + 128 + 32 - 0x400, 256, 0x4000);
  unpack();
  EXPECT_EQ(src_a(3).datum[0], 48u << 16);
  EXPECT_EQ(src_a(4).datum[0], 64u << 16);  // at the limit is not beyond it
  EXPECT_EQ(src_a(5).datum[0], 0x4000u << 16);
  EXPECT_EQ(src_a(6).datum[0], 0x4010u << 16);
}

TEST_F(Unpack, row_search_of_a_plain_tile_takes_blob_bounds) {
  TileSetup s;
  apply(s);
  set_word(64, words()[64] | 2u << 8);  // two blobs
  set_word(51, 0x30);                   // they start at rows 0 and 3
  fill_bf16(data_address(s), 1024, 0);
  unpack(0, false, {{"row_search", 1}});
  EXPECT_EQ(src_a(2).datum[15], 47u << 16);
  EXPECT_EQ(src_a(3).datum[0], 0u);
  adc(AdcUnit::Unpacker0).channel[0].x = 1;
  adc(AdcUnit::Unpacker0).channel[0].y = 1;
  unpack(0, false, {{"row_search", 1}});
  EXPECT_EQ(src_a(0).datum[0], 48u << 16);
  EXPECT_EQ(src_a(12).datum[15], 255u << 16);  // to XDim & 0x1F0
}

TEST_F(Unpack, fp32_reaches_dst_as_it_is_and_marks_its_rows_valid) {
  TileSetup s;
  s.in = s.out = Format::Fp32;
  s.by_address = false;
  s.destination = 64 + 16 * 5;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0>(1);
  state().fpu.dst.valid.fill(0);
  for (u32 i = 0; i < 256; ++i) put32(data_address(s) + 4 * i, 0xC0490000 + i);
  unpack();
  EXPECT_FALSE(faulted());
  EXPECT_EQ(numeric::fp32_from_dst(dst().read32(5, 0)), 0xC0490000u);
  EXPECT_EQ(numeric::fp32_from_dst(dst().read32(20, 15)), 0xC04900FFu);
  EXPECT_TRUE(dst().valid32(5));
  EXPECT_TRUE(dst().valid32(20));
  EXPECT_FALSE(dst().valid32(21));
}

TEST_F(Unpack, every_16_bit_format_reaches_dst_in_its_own_order) {
  TileSetup s;
  s.by_address = false;
  s.x_end = 15;
  const struct {
    Format in, out;
    u32 datum;
    u16 stored;
  } cases[] = {
      {Format::Bf16, Format::Bf16, 0xBF81, 0x817F},
      {Format::Fp16, Format::Fp16, 0x3C01, 0x002F},
      {Format::Int16, Format::Int16, 0x8001, 0x8001},
      {Format::Fp8, Format::Fp8, 0x3C, 0x000F},
      {Format::Int8, Format::Int8, 0x85, 0x80B0},
      {Format::Fp32, Format::Bf16, 0x3F81FFFF, 0x017F},
      {Format::Fp32, Format::Fp16, 0x3F802000, 0x002F},
  };
  for (const auto& c : cases) {
    s.in = c.in;
    s.out = c.out;
    apply(s);
    set<cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0>(1);
    put32(data_address(s), c.datum);
    unpack();
    EXPECT_EQ(dst().read16(0, 0), c.stored) << name_of(c.in) << " to " << name_of(c.out);
  }
  EXPECT_FALSE(faulted());
}

TEST_F(Unpack, an_advancing_row_set_puts_the_next_unpack_sixteen_rows_on) {
  TileSetup s;
  s.by_address = false;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd>(1);
  fill_bf16(data_address(s), 256);
  unpack();
  EXPECT_EQ(state().unpacker[0].src_row[0], 16);
  unpack();
  EXPECT_EQ(src_a(16).datum[0], 0x3F800000u);
}

TEST_F(Unpack, an_address_in_another_set_without_override_faults) {
  TileSetup s;
  s.by_address = false;
  s.destination = 64 + 256;
  apply(s);
  unpack();
  EXPECT_TRUE(faulted(Rule::UnpackSrcARow));
}

TEST_F(Unpack, what_the_documents_leave_open_faults_by_name) {
  const auto expect = [&](Rule rule, const TileSetup& s, std::initializer_list<FieldValue> fields,
                          auto change) {
    faults.clear();
    for (auto& bank : state().cfg.bank) bank.fill(0);
    apply(s);
    change();
    unpack(s.unpacker, false, fields);
    EXPECT_TRUE(faulted(rule)) << info_of(rule).name;
  };
  const auto nothing = [] {};
  TileSetup plain;
  TileSetup pair;
  pair.out = Format::Fp16;
  expect(Rule::UnpackFormatPair, pair, {}, nothing);
  TileSetup beyond;
  beyond.base = kL1Size / 16 + 4096 / 16;
  expect(Rule::UnpackL1Range, beyond, {}, nothing);
  TileSetup negative;
  negative.x_start = 20;
  negative.x_end = 5;
  expect(Rule::UnpackDatumCount, negative, {}, nothing);
  TileSetup second;
  second.unpacker = 1;
  expect(Rule::UnpackContext, second, {{"cfg_context_id", 2}}, nothing);
  expect(Rule::UnpackContext, plain, {{"addr_cnt_context_id", 3}}, nothing);
  expect(Rule::UnpackUndocumented, plain, {{"srcb_bcast", 1}}, nothing);
  TileSetup odd;
  odd.x_start = 1;
  expect(Rule::UnpackMisaligned, odd, {}, [&] { set<cfg::THCON_SEC0_REG2_Haloize_mode>(1); });
  TileSetup nibbles;
  nibbles.in = nibbles.out = Format::Bfp4;
  expect(Rule::UnpackModeClash, nibbles, {}, [&] { set<cfg::THCON_SEC0_REG2_Tileize_mode>(1); });
  TileSetup dst;
  dst.by_address = false;
  expect(Rule::UnpackModeClash, dst, {}, [&] {
    set<cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0>(1);
    set<cfg::THCON_SEC0_REG2_Haloize_mode>(1);
  });
  expect(Rule::UnpackModeClash, plain, {},
         [&] { set<cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0>(1); });
  TileSetup burst;
  burst.destination = 64 + 16;
  expect(Rule::UnpackSrcABurst, burst, {}, nothing);
  TileSetup narrow;
  narrow.in = narrow.out = Format::Bfp8a;
  expect(Rule::UnpackExponentRange, narrow, {}, [&] {
    l1.data()[data_address(narrow)] = 0xFF;
    std::memset(l1.data() + data_address(narrow) + 64, 0x40, 256);
  });
}

TEST_F(Unpack, what_lies_next_to_what_faults_is_unpacked_in_silence) {
  const auto expect = [&](const char* what, const TileSetup& s,
                          std::initializer_list<FieldValue> fields, auto change) {
    faults.clear();
    for (auto& bank : state().cfg.bank) bank.fill(0);
    apply(s);
    change();
    unpack(s.unpacker, false, fields);
    EXPECT_FALSE(faulted()) << what;
  };
  const auto nothing = [] {};
  TileSetup plain;
  expect("as kernels unpack", plain, {}, nothing);
  TileSetup pair;
  pair.out = Format::Tf32;
  pair.in = Format::Fp32;
  expect("formats that go together", pair, {}, nothing);
  TileSetup last;
  last.base = (kL1Size - 512) / 16 - 1;
  expect("the last bytes of L1", last, {}, nothing);
  TileSetup one;
  one.x_start = one.x_end = 5;
  expect("one datum", one, {}, nothing);
  TileSetup second;
  second.unpacker = 1;
  expect("context 1 of unpacker 1", second, {{"cfg_context_id", 1}}, nothing);
  expect("counters of context 2", plain, {{"addr_cnt_context_id", 2}}, nothing);
  TileSetup whole;
  whole.x_start = 8;
  expect("haloize from 16 bytes on", whole, {}, [&] { set<cfg::THCON_SEC0_REG2_Haloize_mode>(1); });
  TileSetup tiles;
  expect("tileize of a format of whole bytes", tiles, {},
         [&] { set<cfg::THCON_SEC0_REG2_Tileize_mode>(1); });
  TileSetup burst;
  burst.destination = 64 + 64;
  expect("a first row that bursts begin at", burst, {}, nothing);
  TileSetup narrow;
  narrow.in = narrow.out = Format::Bfp8a;
  expect("an exponent in range", narrow, {}, [&] {
    std::memset(l1.data() + data_address(narrow), 0x10, 16);
    std::memset(l1.data() + data_address(narrow) + 64, 0x40, 256);
  });
}

TEST_F(Unpack, an_address_in_the_set_without_override_is_silent) {
  TileSetup s;
  s.by_address = false;
  s.x_end = 127;
  for (const u32 destination : {64u, 64u + 128}) {
    s.destination = destination;
    apply(s);
    unpack();
    EXPECT_FALSE(faulted()) << destination;
  }
}

TEST_F(Unpack, nop_clears_the_unpack_bank_and_hands_it_over) {
  for (SrcRow& row : state().fpu.src_a.bank[0]) row.datum.fill(5);
  run<op::UNPACR_NOP>({{"unpack_pop", 1}, {"src_clr_val_ctrl", 1}});
  EXPECT_EQ(state().fpu.src_a.bank[0][63].datum[15], 0xFFFFE000u);
  set<cfg::THCON_SEC0_REG2_Out_data_format>(format_code(Format::Fp16));
  run<op::UNPACR_NOP>({{"unpack_pop", 1}, {"set_dvalid", 1}});
  EXPECT_EQ(state().fpu.src_a.bank[0][0].datum[0], 0u);
  EXPECT_EQ(state().fpu.src_a.owner[0], SrcOwner::Matrix);
  EXPECT_EQ(state().fpu.src_a.format[0], format_code(Format::Fp16));
  EXPECT_EQ(state().fpu.src_a.unpack_bank, 1);
}

TEST_F(Unpack, nop_waits_for_the_bank_that_the_matrix_unit_reads) {
  SrcFile& file = state().fpu.src_b;
  file.owner[0] = SrcOwner::Matrix;
  file.unpack_bank = 1;
  EXPECT_EQ(run<op::UNPACR_NOP>({{"unpack_pop", 1}, {"unpacker_select", 1}}), Completion::Stall);
  const auto like_unpacr =
      run<op::UNPACR_NOP>({{"unpack_pop", 1}, {"unpacker_select", 1}, {"stall_clr_cntrl", 1}});
  EXPECT_EQ(like_unpacr, Completion::Done);
}

TEST_F(Unpack, nop_and_setdvalid_fault_when_the_bank_is_already_handed_over) {
  run<op::UNPACR_NOP>({{"unpack_pop", 2}, {"set_dvalid", 1}});
  run<op::UNPACR_NOP>({{"unpack_pop", 2}, {"set_dvalid", 1}});
  EXPECT_FALSE(faulted());
  run<op::UNPACR_NOP>({{"unpack_pop", 2}, {"set_dvalid", 1}});
  EXPECT_TRUE(faulted(Rule::UnpackBankTaken));
  run<op::SETDVALID>({{"setvalid", 2}});
  EXPECT_TRUE(faulted(Rule::UnpackImpliedFormat));
  EXPECT_EQ(state().fpu.src_b.owner[0], SrcOwner::Matrix);
}

TEST_F(Unpack, nop_pops_a_message_of_the_named_stream_or_of_the_threads_stream) {
  set_thread<thread_cfg::NOC_OVERLAY_MSG_CLEAR_StreamId_0>(5);
  set_thread<thread_cfg::NOC_OVERLAY_MSG_CLEAR_StreamId_1>(6);
  const auto message_clear = [](u32 stream) { return 0xFFB40000 + stream * 0x1000 + 266 * 4; };
  run<op::UNPACR_NOP>({{"unpack_pop", 0}});
  run<op::UNPACR_NOP>({{"unpack_pop", 3}, {"unpacker_select", 1}, {"stream_id", 9}});
  run<op::UNPACR_NOP>({{"unpack_pop", 3}, {"msg_clr_cnt", 1}, {"stream_id", 9}});
  const std::map<u32, u32> written = {
      {message_clear(5), 1}, {message_clear(6), 1}, {message_clear(9), 1}};
  EXPECT_EQ(registers, written);
  EXPECT_TRUE(faulted(Rule::UnpackStreamClear));
  EXPECT_FALSE(faulted(Rule::UnpackUndocumented));
  EXPECT_EQ(state().fpu.src_a.owner[0], SrcOwner::Unpacker);
}

}  // namespace
}  // namespace bhemu::tensix
