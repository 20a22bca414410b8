// Scalar unit, mover and TDMA-RISC registers.
#include <cstring>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace bhemu::tensix::test {
namespace {

using Words = std::vector<u32>;

template <class Op>
u32 alu(u32 result, u32 a, u32 b, bool constant = false, u32 mode = 0) {
  u32 word = encode<Op>({{"op_a_reg_index", a},
                         {"op_b_reg_index", b},
                         {"result_reg_index", result},
                         {"op_b_is_const", constant ? 1u : 0u}});
  return word | mode << 18;
}

TEST(Gpr, setdmareg_writes_half_a_register_with_all_16_bits) {
  Harness harness;
  harness.wakeup.watched = mask_of(Resource::Gpr);
  harness.execute(1, set_gpr(33, 0xFEDC8001));
  EXPECT_EQ(harness.gpr(1, 33), 0xFEDC8001u);
  EXPECT_EQ(harness.gpr(0, 33), 0u);
  EXPECT_FALSE(harness.woken.empty());
}

TEST(Gpr, a_core_writes_bytes_of_a_register) {
  Harness harness;
  harness.coprocessor.write_gpr(2, 5, 0x11223344, harness.now);
  harness.coprocessor.write_gpr(2, 5, 0xAABBCCDD, harness.now, 0b0100);
  EXPECT_EQ(harness.coprocessor.read_gpr(2, 5), 0x11BB3344u);
}

TEST(Gpr, arithmetic_on_registers_and_constants) {
  Harness harness;
  harness.gpr(0, 1) = 0xFFFFFFF0;
  harness.gpr(0, 2) = 0x00012345;
  harness.execute(0, {alu<op::ADDDMAREG>(10, 1, 2), alu<op::ADDDMAREG>(11, 1, 63, true),
                      alu<op::SUBDMAREG>(12, 2, 1), alu<op::SUBDMAREG>(13, 2, 5, true),
                      alu<op::MULDMAREG>(14, 1, 2), alu<op::MULDMAREG>(15, 2, 3, true)});
  EXPECT_EQ(harness.gpr(0, 10), 0x00012335u);
  EXPECT_EQ(harness.gpr(0, 11), 0x0000002Fu);
  EXPECT_EQ(harness.gpr(0, 12), 0x00012355u);
  EXPECT_EQ(harness.gpr(0, 13), 0x00012340u);
  EXPECT_EQ(harness.gpr(0, 14), 0xFFF0u * 0x2345u) << "16-bit factors";
  EXPECT_EQ(harness.gpr(0, 15), 0x2345u * 3u);
}

TEST(Gpr, bit_operations_shifts_and_unsigned_comparisons) {
  Harness harness;
  harness.gpr(0, 1) = 0xF0F0F0F0;
  harness.gpr(0, 2) = 0x00000024;
  harness.execute(
      0, {alu<op::BITWOPDMAREG>(10, 1, 2, false, 0), alu<op::BITWOPDMAREG>(11, 1, 2, false, 1),
          alu<op::BITWOPDMAREG>(12, 1, 63, true, 2), alu<op::SHIFTDMAREG>(13, 1, 2, false, 0),
          alu<op::SHIFTDMAREG>(14, 1, 4, true, 1), alu<op::CMPDMAREG>(15, 1, 2, false, 0),
          alu<op::CMPDMAREG>(16, 1, 2, false, 1), alu<op::CMPDMAREG>(17, 2, 36, true, 2)});
  EXPECT_EQ(harness.gpr(0, 10), 0x20u);
  EXPECT_EQ(harness.gpr(0, 11), 0xF0F0F0F4u);
  EXPECT_EQ(harness.gpr(0, 12), 0xF0F0F0CFu);
  EXPECT_EQ(harness.gpr(0, 13), 0x0F0F0F00u) << "the amount is taken modulo 32";
  EXPECT_EQ(harness.gpr(0, 14), 0x0F0F0F0Fu);
  EXPECT_EQ(harness.gpr(0, 15), 1u);
  EXPECT_EQ(harness.gpr(0, 16), 0u);
  EXPECT_EQ(harness.gpr(0, 17), 1u);
}

TEST(Gpr, modes_that_do_not_exist_are_faults) {
  for (const u32 word :
       {alu<op::BITWOPDMAREG>(1, 1, 1, false, 3), alu<op::SHIFTDMAREG>(1, 1, 1, false, 2),
        alu<op::CMPDMAREG>(1, 1, 1, false, 7)}) {
    Harness harness;
    harness.push(0, word);
    harness.run(3);
    EXPECT_TRUE(harness.faulted(Rule::TensixUndefined));
  }
}

u32 loadind(u32 size, u32 half, u32 step, u32 data, u32 address) {
  return encode<op::LOADIND>({{"size_sel", size},
                              {"offset_index", half},
                              {"auto_inc_spec", step},
                              {"data_reg_index", data},
                              {"addr_reg_index", address}});
}
u32 storeind(u32 hierarchy, u32 size, u32 half, u32 step, u32 data, u32 address) {
  return encode<op::STOREIND>({{"mem_hier_sel", hierarchy},
                               {"size_sel", size >> 1},
                               {"reg_size_sel", size & 1},
                               {"offset_index", half},
                               {"auto_inc_spec", step},
                               {"data_reg_index", data},
                               {"addr_reg_index", address}});
}

TEST(ThconMemory, loadind_reads_each_size_and_steps_the_offset) {
  Harness harness;
  for (u32 i = 0; i < 8; ++i) harness.l1.write32(0x1000 + 4 * i, 0x11111111 * (i + 1), {});
  harness.gpr(0, 1) = 0x100;
  harness.gpr(0, 2) = 0x00070000;  // offset in the high half: half register 5
  for (u32 i = 10; i < 20; ++i) harness.gpr(0, i) = 0xAAAAAAAA;
  harness.execute(0, {loadind(1, 5, 2, 10, 1), loadind(2, 5, 1, 11, 1), loadind(3, 5, 3, 12, 1),
                      loadind(0, 5, 0, 18, 1)});
  EXPECT_EQ(harness.gpr(0, 10), 0x22222222u) << "7 is aligned down to 4";
  EXPECT_EQ(harness.gpr(0, 11), 0xAAAA3333u) << "11 down to 10";
  EXPECT_EQ(harness.gpr(0, 12), 0xAAAAAA44u) << "13";
  EXPECT_EQ(harness.gpr(0, 2), 0x001D0000u);
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(harness.gpr(0, 16 + i), 0x11111111 * (i + 5));
}

TEST(ThconMemory, storeind_to_l1_writes_each_size) {
  Harness harness;
  for (u32 i = 0; i < 4; ++i) harness.gpr(0, 8 + i) = 0xA0B0C0D0 + i;
  harness.gpr(0, 1) = 0x200;
  harness.execute(0, {storeind(1, 0, 4, 3, 9, 1), storeind(1, 1, 4, 2, 9, 1),
                      storeind(1, 2, 4, 1, 10, 1), storeind(1, 3, 4, 0, 11, 1)});
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(harness.l1.read32(0x2000 + 4 * i), 0xA0B0C0D0 + i);
  EXPECT_EQ(harness.l1.read32(0x2010), 0xA0B0C0D1u);
  EXPECT_EQ(harness.l1.read32(0x2014), 0x00D3C0D2u);
  EXPECT_EQ(harness.gpr(0, 2), 22u);
}

TEST(ThconMemory, addresses_beyond_l1_are_faults) {
  Harness harness;
  harness.gpr(0, 1) = kL1Size / 16;
  harness.push(0, loadind(1, 4, 0, 10, 1));
  harness.gpr(1, 1) = 0xFFFFFFFF;
  harness.push(1, storeind(1, 0, 4, 0, 8, 1));
  harness.run(5);
  EXPECT_EQ(harness.faults.faults().size(), 2u);
  EXPECT_TRUE(harness.faulted(Rule::TensixL1Range));
}

TEST(ThconMemory, loadreg_storereg_and_storeind_reach_registers) {
  Harness harness;
  harness.registers[0xFFB20148] = 0x77;
  harness.gpr(0, 3) = 0x88;
  harness.gpr(0, 1) = 0x00012000;
  harness.gpr(0, 2) = 0x0180;  // offset half 4: 0x180 >> 4 = 0x18
  harness.execute(0,
                  {encode<op::LOADREG>({{"reg_addr", 0x20148 >> 2}, {"tdma_data_reg_index", 5}}),
                   encode<op::STOREREG>({{"reg_addr", 0x12010 >> 2}, {"tdma_data_reg_index", 3}}),
                   storeind(0, 2, 4, 3, 3, 1)});
  EXPECT_EQ(harness.gpr(0, 5), 0x77u);
  EXPECT_EQ(harness.registers[0xFFB12010], 0x88u);
  EXPECT_EQ(harness.registers[0xFFB12018], 0x88u);
  EXPECT_EQ(harness.gpr(0, 2), 0x0190u);
  harness.registers[0xFFB11000] = 1;  // the first that there is
  harness.execute(0, {encode<op::LOADREG>({{"reg_addr", 0x11000 >> 2}})});
  EXPECT_FALSE(harness.faulted(Rule::TensixMmioRange));
  harness.push(0, encode<op::LOADREG>({{"reg_addr", 0x100}}));
  harness.run(3);
  EXPECT_TRUE(harness.faulted(Rule::TensixMmioRange));
}

TEST(ThconMemory, storeind_to_src_writes_four_bf16_of_which_the_low_ones_lie_shuffled) {
  Harness harness;
  // Low half: sign, 7 bits of mantissa, exponent. High half: BF16 as in memory. -1.5 and 2.0.
  harness.gpr(0, 8) = 0x40000000u | 0x8000u | 0x4000u | 0x7Fu;
  harness.gpr(0, 9) = 0x3F800000u | 0x007Fu;
  harness.gpr(0, 1) = (3 + 4) * 4 + 2;  // SrcA row 3, columns 8 to 11
  harness.execute(0, {storeind(0, 0, 4, 0, 8, 1)});
  const auto& row = harness.state().fpu.src_a.bank[0][3];
  EXPECT_EQ(row.datum[8], 0xBFC00000u);
  EXPECT_EQ(row.datum[9], 0x40000000u);
  EXPECT_EQ(row.datum[10], 0x3F800000u);
  EXPECT_EQ(row.datum[11], 0x3F800000u);
  harness.gpr(0, 1) = 2 * 4;
  harness.execute(0, {storeind(0, 1, 4, 0, 8, 1)});
  EXPECT_EQ(harness.state().fpu.src_b.bank[0][2].datum[0], 0xBFC00000u);
}

TEST(ThconMemory, storeind_to_src_waits_for_the_bank) {
  Harness harness;
  harness.state().fpu.src_a.owner[0] = SrcOwner::Matrix;
  harness.gpr(0, 1) = 16;
  harness.push(0, storeind(0, 0, 4, 0, 8, 1));
  harness.run(10);
  EXPECT_EQ(harness.coprocessor.instructions_executed(0), 0u);
  EXPECT_TRUE(harness.coprocessor.waiting(0).waiting);
  harness.state().fpu.src_a.owner[0] = SrcOwner::Unpacker;
  harness.coprocessor.rouse();
  harness.run(2);
  EXPECT_EQ(harness.coprocessor.instructions_executed(0), 1u);
}

TEST(Atomic, atincget_adds_within_its_width_and_returns_the_old_value) {
  Harness harness;
  harness.l1.write32(0x3008, 0xABCD00FF, {});
  harness.gpr(0, 1) = 0x300;
  harness.gpr(0, 4) = 2;
  harness.execute(
      0, {encode<op::ATINCGET>(
             {{"addr_reg_index", 1}, {"data_reg_index", 4}, {"sel32b", 2}, {"wrap_val", 7}})});
  EXPECT_EQ(harness.gpr(0, 4), 0xABCD00FFu);
  EXPECT_EQ(harness.l1.read32(0x3008), 0xABCD0001u);
  harness.gpr(0, 4) = 0x10;
  harness.execute(
      0, {encode<op::ATINCGET>(
             {{"addr_reg_index", 1}, {"data_reg_index", 4}, {"sel32b", 2}, {"wrap_val", 31}})});
  EXPECT_EQ(harness.l1.read32(0x3008), 0xABCD0011u);
}

TEST(Atomic, atswap_stores_the_masked_halfwords) {
  Harness harness;
  for (u32 i = 0; i < 4; ++i) harness.l1.write32(0x3000 + 4 * i, 0xEEEEEEEE, {});
  for (u32 i = 0; i < 4; ++i) harness.gpr(0, 8 + i) = 0x10002000 + i;
  harness.gpr(0, 1) = 0x300;
  harness.execute(0,
                  {encode<op::ATSWAP>(
                      {{"addr_reg_index", 1}, {"data_reg_index", 9}, {"swap_mask", 0b10000110}})});
  EXPECT_EQ(harness.l1.read32(0x3000), 0x1000EEEEu);
  EXPECT_EQ(harness.l1.read32(0x3004), 0xEEEE2001u);
  EXPECT_EQ(harness.l1.read32(0x3008), 0xEEEEEEEEu);
  EXPECT_EQ(harness.l1.read32(0x300C), 0x1000EEEEu);
  harness.execute(0, {encode<op::ATSWAP>({{"addr_reg_index", 1},
                                          {"data_reg_index", 9},
                                          {"swap_mask", 0xFF},
                                          {"single_data_reg", 1}})});
  EXPECT_EQ(harness.l1.read32(0x3000), 0u);
  EXPECT_EQ(harness.l1.read32(0x3004), 0x10002001u);
}

TEST(Atomic, atincgetptr_pushes_to_and_pops_from_a_fifo_and_waits_when_it_cannot) {
  Harness harness;
  harness.gpr(0, 1) = 0x400;  // capacity 4: counters of 3 bits
  const auto step = [](u32 which) {
    return encode<op::ATINCGETPTR>(
        {{"addr_reg_index", 1}, {"data_reg_index", 6}, {"sel32b", which}, {"wrap_val", 3}});
  };
  harness.l1.write32(0x4000, 6, {});  // Rd
  harness.l1.write32(0x4004, 6, {});  // Wr: empty
  harness.execute(0, {step(1), step(1)});
  EXPECT_EQ(harness.l1.read32(0x4004), 0u) << "wraps at 8";
  EXPECT_EQ(harness.gpr(0, 6), 7u);
  harness.l1.write32(0x4000, 0, {});
  harness.l1.write32(0x4004, 4, {});
  harness.push(0, step(1));
  harness.run(10);
  EXPECT_EQ(harness.l1.read32(0x4004), 4u) << "full";
  harness.push(1, set_half(0, 1));
  harness.run(3);
  EXPECT_EQ(harness.gpr(1, 0), 0u) << "the waiting instruction occupies the scalar unit";
  ASSERT_NE(harness.coprocessor.waiting(1).find(Awaited::ScalarUnit), nullptr);
  EXPECT_EQ(harness.coprocessor.waiting(1).find(Awaited::ScalarUnit)->index, 0u);
  harness.l1.write32(0x4000, 1, {});
  harness.coprocessor.rouse();
  harness.run(3);
  EXPECT_EQ(harness.l1.read32(0x4004), 5u);
  EXPECT_EQ(harness.gpr(1, 0), 1u);
}

TEST(Thcon, flushdma_waits_for_the_threads_units) {
  Harness harness;
  harness.state().busy_until[0][static_cast<unsigned>(BusyUnit::Pack)] = harness.now + 10;
  harness.push(0, {encode<op::FLUSHDMA>({{"flush_spec", 0}}), set_half(0, 1)});
  harness.push(1, set_half(0, 2));
  harness.run(9);
  EXPECT_EQ(harness.gpr(0, 0), 0u);
  EXPECT_EQ(harness.gpr(1, 0), 0u);
  harness.run(4);
  EXPECT_EQ(harness.gpr(0, 0), 1u);
  EXPECT_EQ(harness.gpr(1, 0), 2u);
}

TEST(Thcon, reg2flop_writes_thcon_configuration) {
  Harness harness;
  for (u32 i = 0; i < 4; ++i) harness.gpr(0, 12 + i) = 50 + i;
  harness.execute(0,
                  {encode<op::REG2FLOP>({{"reg_index", 13}, {"flop_index", 12}, {"size_sel", 1}}),
                   encode<op::REG2FLOP>({{"reg_index", 13}, {"flop_index", 62}, {"size_sel", 0}})});
  EXPECT_EQ(harness.state().cfg.bank[0][76], 51u);
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(harness.state().cfg.bank[0][64 + 60 + i], 50 + i);
  harness.push(0, encode<op::REG2FLOP>({{"flop_index", 116}, {"size_sel", 1}}));
  harness.run(3);
  EXPECT_TRUE(harness.faulted(Rule::TensixConfigIndex));
}

TEST(Thcon, reg2flop_moves_parts_of_a_register_to_an_address_counter) {
  Harness harness;
  harness.gpr(0, 7) = 0x00A1B2C3;
  // 16 bits from byte 2 to X of channel 1 of the packer; 8 bits from byte 1 to Z's copy, thread 2.
  harness.execute(0, {encode<op::REG2FLOP>({{"reg_index", 7},
                                            {"flop_index", 1u << 5 | 2u << 3},
                                            {"byte_offset", 2},
                                            {"target_sel", 2},
                                            {"size_sel", 2}}),
                      encode<op::REG2FLOP>({{"reg_index", 7},
                                            {"flop_index", 1u << 2 | 2u},
                                            {"byte_offset", 1},
                                            {"target_sel", 3},
                                            {"context_id_2", 2},
                                            {"size_sel", 3}})});
  EXPECT_EQ(harness.state().adc.of(0, AdcUnit::Packer).channel[1].x, 0xA1u);
  EXPECT_EQ(harness.state().adc.of(2, AdcUnit::Unpacker0).channel[0].z_cr, 0xB2);
  EXPECT_EQ(harness.state().adc.of(2, AdcUnit::Unpacker0).channel[0].z, 0);
}

u32 special(u32 source, u32 half, u32 which, u32 size, u32 result) {
  return encode<op::SETDMAREG>({{"reg_index_16b", result},
                                {"set_signals_mode", 1},
                                {"payload_sig_sel", which << 7 | source << 3 | half},
                                {"payload_sig_sel_size", size}});
}

TEST(Thcon, setdmareg_reads_the_packers_sizes_header_and_statistics) {
  Harness harness;
  PackerState& packer = harness.state().packer;
  packer.accumulated_size = {3, 4, 5};
  packer.last_tile_size = 0x41;
  packer.last_thread = 2;
  packer.exponent_histogram[17] = 9;
  packer.max_exponent = 0x85;
  cfg::THCON_SEC0_REG1_Out_data_format::set(harness.state().cfg.bank[0], 5);
  cfg::THCON_SEC0_REG1_Disable_zero_compress::set(harness.state().cfg.bank[0], 1);
  harness.gpr(2, 20) = 0xAAAAAAAA;
  harness.gpr(2, 21) = 0xAAAAAAAA;
  harness.gpr(2, 23) = 0xAAAAAAAA;
  harness.execute(2, {special(0, 0, 0, 1, 10), special(7, 0, 0, 0, 12), special(9, 0, 0, 1, 14),
                      special(2, 0, 0, 3, 40), special(8, 0, 1, 1, 16)});
  EXPECT_EQ(harness.gpr(2, 5), 0x00050041u);
  EXPECT_EQ(harness.gpr(2, 6), 0x0900u);
  EXPECT_EQ(harness.gpr(2, 7), 0x85u);
  EXPECT_EQ(harness.gpr(2, 20), 0xAAAA0042u) << "reserved bits stay";
  EXPECT_EQ(harness.gpr(2, 21), 0xAA15AAAAu);
  EXPECT_EQ(harness.gpr(2, 22), 0u);
  EXPECT_EQ(harness.gpr(2, 23), 0xAAAAAAAAu);
  EXPECT_EQ(packer.accumulated_size[1], 0) << "source 8 clears";
  harness.execute(1, {special(0, 0, 0, 1, 10)});
  EXPECT_EQ(harness.gpr(1, 5), 0u) << "another thread's tile";
}

TEST(Mover, xmov_copies_and_fills_l1) {
  Harness harness;
  for (u32 i = 0; i < 16; ++i) harness.l1.write32(0x5000 + 4 * i, i + 1, {});
  ConfigWords& words = harness.state().cfg.bank[0];
  words[88] = 0x500;
  words[89] = 0x600;
  words[90] = 4u | 3u << 30;
  harness.execute(0, {encode<op::XMOV>()});
  for (u32 i = 0; i < 16; ++i) EXPECT_EQ(harness.l1.read32(0x6000 + 4 * i), i + 1);
  words[90] = 1u;  // mode 0: zeros
  harness.execute(0, {encode<op::XMOV>()});
  EXPECT_EQ(harness.l1.read32(0x600C), 0u);
  EXPECT_EQ(harness.l1.read32(0x6010), 5u);
}

TEST(Mover, writes_configuration_through_its_window) {
  Harness harness;
  for (u32 i = 0; i < 4; ++i) harness.l1.write32(0x5000 + 4 * i, 70 + i, {});
  ConfigWords& words = harness.state().cfg.bank[0];
  words[88] = 0x500;
  words[89] = (224 + 100) / 4;  // bank 1, word 100
  words[90] = 1u | 1u << 30;
  harness.execute(0, {encode<op::XMOV>()});
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(harness.state().cfg.bank[1][100 + i], 70 + i);
  words[89] = 0x40000 >> 4;
  harness.execute(0, {encode<op::XMOV>()});
  EXPECT_TRUE(harness.faulted(Rule::TensixMoverTarget)) << "no instruction RAM on Blackhole";
}

TEST(Mover, outside_l1_is_a_fault_and_changes_nothing) {
  Harness harness;
  ConfigWords& words = harness.state().cfg.bank[0];
  words[88] = kL1Size / 16;
  words[89] = 0x600;
  words[90] = 1u | 3u << 30;
  harness.execute(0, {encode<op::XMOV>()});
  EXPECT_TRUE(harness.faulted(Rule::TensixL1Range));
}

TEST(Tdma, commands_move_and_write_l1) {
  Harness harness;
  harness.wakeup.watched = mask_of(Resource::Tdma);
  Coprocessor& coprocessor = harness.coprocessor;
  harness.l1.write32(0x5000, 0x1234, {});
  const auto write = [&](u32 offset, u32 value) {
    EXPECT_EQ(coprocessor.write_tdma(offset, value, harness.core()), RegisterAccess::Done)
        << offset;
  };
  const auto read = [&](u32 offset) {
    u32 value = 0xDEAD;
    EXPECT_EQ(coprocessor.read_tdma(offset, value, harness.core()), RegisterAccess::Done) << offset;
    return value;
  };
  write(0x00, 0x500);
  write(0x04, 0x700);
  write(0x08, 1);
  write(0x0C, 3);
  write(0x10, 0x40);
  EXPECT_EQ(harness.l1.read32(0x7000), 0x1234u);
  EXPECT_EQ(read(0x14), 0x0429u) << "busy, queue empty, credits free, four places";
  harness.run(2);
  EXPECT_EQ(read(0x14), 0x0428u);
  EXPECT_FALSE(harness.woken.empty());
  write(0x2C, 0x4F0);  // compact: base + 0x10, destination word 40 x 4 = 160, L1 to configuration
  write(0x10, 0x80000040u | 0x10u << 8 | 40u << 16 | 1u << 24);
  EXPECT_EQ(harness.state().cfg.bank[0][160], 0x1234u);
  write(0x00, 0x8000);
  write(0x08, 0xAAAA);
  write(0x0C, 0xBBBB);
  write(0x10, 0x766);
  EXPECT_EQ(harness.l1.read32(0x8000), 0xAAAAu);
  EXPECT_EQ(harness.l1.read32(0x8004), 0xBBBBu);
  write(0x10, 0x80000089u);
  EXPECT_TRUE(harness.faults.faults().empty());
  EXPECT_EQ(coprocessor.write_tdma(0x10, 0x12, harness.core()), RegisterAccess::Refused);
  EXPECT_TRUE(harness.faulted(Rule::TensixTdmaCommand));
  write(0x24, 0x3F);
  EXPECT_EQ(read(0x24), 0x3Fu);
  u32 value = 0;
  EXPECT_EQ(coprocessor.read_tdma(0x118, value, harness.core()), RegisterAccess::Absent)
      << "packer 1 does not exist";
  EXPECT_EQ(coprocessor.write_tdma(0xFFC, 0, harness.core()), RegisterAccess::Absent);
}

TEST(Tdma, shows_the_packers_sideband) {
  Harness harness;
  PackerState& packer = harness.state().packer;
  packer.last_tile_size = 0x20;
  packer.last_thread = 1;
  packer.accumulated_size = {1, 2, 3};
  packer.closed_sizes[0] = 11;
  packer.closed_sizes[1] = 12;
  packer.closed_tail = 2;
  const auto read = [&](u32 offset) {
    u32 value = 0xDEAD;
    EXPECT_EQ(harness.coprocessor.read_tdma(offset, value, harness.core()), RegisterAccess::Done)
        << offset;
    return value;
  };
  EXPECT_EQ(read(0x18), 0u);
  EXPECT_EQ(read(0x58), 0x20u);
  EXPECT_EQ(read(0x9C), 3u);
  EXPECT_EQ(read(0x38) & 0xFF, 0x54u);
  EXPECT_EQ(read(0x30), 11u);
  read(0x34);
  EXPECT_EQ(read(0x30), 12u);
  harness.coprocessor.write_tdma(0x34, 0, harness.core());
  EXPECT_EQ(read(0x38) & 0xFF, 0x55u);
  EXPECT_TRUE(harness.faults.faults().empty());
  read(0x30);
  EXPECT_TRUE(harness.faulted(Rule::TensixUnsupported));
  harness.coprocessor.write_tdma(0x1C, 1u << 16 | 0x99, harness.core());
  EXPECT_EQ(packer.accumulated_size[2], 0);
  EXPECT_EQ(packer.l1_address_offset, 0x99);
  harness.coprocessor.write_tdma(0x3C, 5u | 6u << 9 | 7u << 18, harness.core());
  EXPECT_EQ(packer.setreg_scaler[2], 7);
  EXPECT_EQ(read(0x3C), 5u | 6u << 9 | 7u << 18);
  harness.coprocessor.write_tdma(0x28, 8u << 16, harness.core());
  EXPECT_EQ(packer.setreg_scaler[3], 8);
  harness.coprocessor.write_tdma(0x38, 2u << 22 | 1u << 20 | 0x3u << 10 | 0x4u, harness.core());
  EXPECT_EQ(read(0x38) >> 8, (2u << 22 | 1u << 20 | 0x3u << 10 | 0x4u) & 0xFFFFFF);
}

TEST(Tdma, shows_zero_flags_and_counted_messages) {
  Harness harness;
  PackerState& packer = harness.state().packer;
  packer.compressor.zero_flags = 0x85;
  packer.closed_sizes[0] = 11;
  packer.closed_zero_flags[0] = 0x1234;
  packer.closed_tail = 1;
  packer.accumulated_size[0] = 7;
  harness.state().unpacker[0].message_count = 0x4321;
  const auto read = [&](u32 offset) {
    u32 value = 0xDEAD;
    EXPECT_EQ(harness.coprocessor.read_tdma(offset, value, harness.core()), RegisterAccess::Done)
        << offset;
    return value;
  };
  EXPECT_EQ(read(0x20), 0x85u);
  harness.execute(1, {special(1, 0, 0, 1, 10), special(2, 4, 0, 1, 12), special(8, 0, 0, 1, 14)});
  EXPECT_EQ(harness.gpr(1, 5), 0x85u);
  EXPECT_EQ(harness.gpr(1, 6), 0x85u) << "word 2 of the tile header";
  EXPECT_EQ(harness.gpr(1, 7), 1u);
  EXPECT_EQ(read(0x1C), 0x43210007u);
  EXPECT_EQ(read(0x34), 0x1234u);
  EXPECT_EQ(read(0x38) & 3, 1u) << "popped";
  EXPECT_EQ(read(0x3C) >> 31, 0u);
  harness.state().unpacker[0].message_count_high = 1;
  EXPECT_EQ(read(0x3C) >> 31, 1u);
}

TEST(Tdma, each_core_has_its_own_base_of_mover_commands) {
  Harness harness;
  const auto base = [&](Agent core) {
    u32 value = 0xDEAD;
    EXPECT_EQ(harness.coprocessor.read_tdma(0x2C, value, harness.core(core)), RegisterAccess::Done);
    return value;
  };
  const Agent cores[] = {Agent::Brisc, Agent::Trisc0, Agent::Trisc1, Agent::Trisc2};
  for (u32 i = 0; i < 4; ++i)
    harness.coprocessor.write_tdma(0x2C, 0x100 * i, harness.core(cores[i]));
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(base(cores[i]), 0x100 * i);
  EXPECT_EQ(base(Agent::Ncrisc), 0x100u) << "that of TRISC 0";
  const auto put = [&](u32 address, u32 value) {
    std::memcpy(harness.l1.data() + address, &value, 4);
  };
  // A compact command copies from the base of the core that gives it.
  put(0x2000 + 0x40, 0xAAAA);
  put(0x3000 + 0x40, 0xBBBB);
  const u32 copy = 1u << 31 | 1u << 30 | 1u << 24 | 0x20u << 16 | 4u << 8 | 0x40;
  harness.coprocessor.write_tdma(0x10, copy, harness.core(Agent::Trisc2));
  EXPECT_EQ(harness.l1.read32(0x200), 0xBBBBu);
  harness.coprocessor.write_tdma(0x10, copy, harness.core(Agent::Trisc1));
  EXPECT_EQ(harness.l1.read32(0x200), 0xAAAAu);
}

}  // namespace
}  // namespace bhemu::tensix::test
