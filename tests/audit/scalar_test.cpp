// Drawn statements: scalar unit, sync unit, configuration unit, mover, frontend, packers and
// unpackers (WormholeB0/TensixTile/TensixCoprocessor and TDMA-RISC.md, Mover.md; BlackholeA0 where
// it has the page).
#include <gtest/gtest.h>

#include <cstring>

#include "numeric/format_codes.hpp"
#include "tensix/harness.hpp"
#include "tensix/pack_bench.hpp"
#include "tensix/unpack_bench.hpp"

namespace bhemu::tensix::test {
namespace {

u32 word_at(const Harness& h, u32 address) {
  return h.l1.read32(address);
}
void put_word(Harness& h, u32 address, u32 value) {
  std::memcpy(h.l1.data() + address, &value, 4);
}

// --- Scalar unit

TEST(AuditScalar, addrcrxy_applies_to_the_units_of_its_mask_and_thread) {  // ADDRCRXY.md
  Harness h;
  auto& packer = h.state().adc.of(2, AdcUnit::Packer);
  packer.channel[0].x_cr = 10;
  packer.channel[1].y_cr = 20;
  // The override names thread value - 1; 3 is thread 2.
  h.execute(0, {encode<op::ADDRCRXY>({{"cnt_set_mask", 4},
                                      {"thread_override", 3},
                                      {"ch0_x", 5},
                                      {"ch1_y", 7},
                                      {"bit_mask", 9}})});
  EXPECT_EQ(packer.channel[0].x, 15u);
  EXPECT_EQ(packer.channel[0].x_cr, 15u);
  EXPECT_EQ(packer.channel[1].y, 27u);
  EXPECT_EQ(h.state().adc.of(0, AdcUnit::Packer).channel[0].x, 0u);
}

TEST(AuditScalar, atcas_retries_until_the_comparison_holds) {  // ATCAS.md
  Harness h;
  h.gpr(0, 4) = 0x100;
  put_word(h, 0x1008, 3);
  h.push(
      0,
      {encode<op::ATCAS>({{"addr_reg_index", 4}, {"sel32b", 2}, {"cmp_val", 5}, {"swap_val", 9}}),
       set_half(20, 0x77)});
  h.run(40);
  EXPECT_EQ(h.gpr(0, 10) & 0xFFFF, 0u) << "the thread waits";
  put_word(h, 0x1008, 5);
  h.coprocessor.rouse();
  h.run(40);
  EXPECT_EQ(word_at(h, 0x1008), 9u);
  EXPECT_EQ(h.gpr(0, 10) & 0xFFFF, 0x77u) << "then goes on";
}

TEST(AuditScalar, atincgetptr_pushes_unless_full) {  // ATINCGETPTR.md
  Harness h;
  h.gpr(0, 4) = 0x100;
  put_word(h, 0x1000, 3);  // Rd
  put_word(h, 0x1004, 5);  // Wr
  h.execute(0, {encode<op::ATINCGETPTR>({{"addr_reg_index", 4},
                                         {"data_reg_index", 7},
                                         {"sel32b", 1},
                                         {"wrap_val", 8},
                                         {"incr_val", 2}})});
  EXPECT_EQ(word_at(h, 0x1004), 9u) << "2^M elements";
  EXPECT_EQ(h.gpr(0, 7), 5u);
  Harness full;  // capacity 2^(IntWidth - 1) = 8
  full.gpr(0, 4) = 0x100;
  put_word(full, 0x1000, 1);
  put_word(full, 0x1004, 9);
  full.push(0, {encode<op::ATINCGETPTR>(
                    {{"addr_reg_index", 4}, {"data_reg_index", 7}, {"sel32b", 1}, {"wrap_val", 4}}),
                set_half(20, 1)});
  full.run(40);
  EXPECT_EQ(word_at(full, 0x1004), 9u);
  EXPECT_EQ(full.gpr(0, 10), 0u);
}

TEST(AuditScalar, atswap_writes_the_halves_of_its_mask) {  // ATSWAP.md
  Harness h;
  h.gpr(0, 4) = 0x100;
  for (u32 i = 0; i < 4; ++i) h.gpr(0, 8 + i) = 0x2222'1111u * (i + 1);
  h.execute(0, {encode<op::ATSWAP>(
                    {{"addr_reg_index", 4}, {"data_reg_index", 8}, {"swap_mask", 0b1000'0110}}),
                encode<op::DMANOP>()});
  EXPECT_EQ(word_at(h, 0x1000), 0x22220000u);
  EXPECT_EQ(word_at(h, 0x1004), 0x00002222u);
  EXPECT_EQ(word_at(h, 0x1008), 0u);
  EXPECT_EQ(word_at(h, 0x100C), 0x88880000u);
}

TEST(AuditScalar, comparisons_give_one_bit) {  // CMPDMAREG.md
  Harness h;
  h.gpr(0, 1) = 0xFFFFFFFF;
  h.gpr(0, 2) = 1;
  const auto compare = [](u32 mode, u32 result) {
    return encode<op::CMPDMAREG>({{"op_a_reg_index", 1},
                                  {"op_b_reg_index", 2},
                                  {"result_reg_index", result},
                                  {"op_sel", mode}});
  };
  h.execute(0, {compare(0, 10), compare(1, 11), compare(2, 12)});
  EXPECT_EQ(h.gpr(0, 10), 1u);
  EXPECT_EQ(h.gpr(0, 11), 0u);
  EXPECT_EQ(h.gpr(0, 12), 0u);
}

TEST(AuditScalar, dmanop_does_nothing) {  // DMANOP.md
  Harness h;
  const auto before = h.state().thcon.gpr;
  h.execute(0, {encode<op::DMANOP>()});
  EXPECT_EQ(before, h.state().thcon.gpr);
  EXPECT_EQ(h.coprocessor.instructions_executed(0), 1u);
}

TEST(AuditScalar, loadind_and_storeind_move_and_step_their_offset) {  // LOADIND.md, STOREIND_L1.md
  constexpr u32 kStep[] = {0, 2, 4, 16};
  for (u32 step = 0; step < 4; ++step) {
    Harness h;
    h.gpr(0, 4) = 0x100;
    h.gpr(0, 5) = 0x0006'0000;  // halves 10 and 11; 11 holds the offset 6
    for (u32 i = 0; i < 4; ++i) {
      put_word(h, 0x1000 + 4 * i, 0x04030201 + 0x10101010 * i);
      h.gpr(0, 8 + i) = 0xAAAAAAAA;
    }
    h.execute(0, {encode<op::LOADIND>({{"size_sel", 2},
                                       {"offset_index", 11},
                                       {"auto_inc_spec", step},
                                       {"data_reg_index", 9},
                                       {"addr_reg_index", 4}}),
                  stallwait(0x1FF, 1), encode<op::DMANOP>()});
    EXPECT_EQ(h.gpr(0, 9), 0xAAAA1413u) << "low 16 bits";
    EXPECT_EQ(h.gpr(0, 5), (6 + kStep[step]) << 16);
    h.gpr(0, 5) = 0x0016'0000;
    h.gpr(0, 9) = 0xCAFEBABE;
    h.execute(0, {encode<op::STOREIND>({{"size_sel", 1},  // with reg_size_sel 0: 16 bits
                                        {"mem_hier_sel", 1},
                                        {"offset_index", 11},
                                        {"auto_inc_spec", step},
                                        {"data_reg_index", 9},
                                        {"addr_reg_index", 4}}),
                  stallwait(0x1FF, 1), encode<op::DMANOP>()});
    EXPECT_EQ(h.gpr(0, 5), (0x16 + kStep[step]) << 16);
    EXPECT_EQ(word_at(h, 0x1014), 0xBABE0000u);
  }
}

TEST(AuditScalar, addresses_outside_l1_are_no_silent_success) {  // ATINCGETPTR.md, LOADIND.md
  for (const u32 word : {encode<op::ATINCGETPTR>({{"addr_reg_index", 4}}),
                         encode<op::LOADIND>({{"addr_reg_index", 4}, {"offset_index", 12}})}) {
    Harness h;
    h.gpr(0, 4) = 0x0FFF0000 / 16;
    h.push(0, {word});
    h.run(30);
    EXPECT_FALSE(h.faults.faults().empty());
  }
}

TEST(AuditScalar, storeind_to_mmio_writes_32_bits) {  // STOREIND_MMIO.md
  Harness h;
  h.gpr(0, 4) = 0x00012054;
  h.gpr(0, 9) = 0xCAFEBABE;
  h.execute(
      0,
      {encode<op::STOREIND>(
           {{"size_sel", 1}, {"offset_index", 12}, {"data_reg_index", 9}, {"addr_reg_index", 4}}),
       encode<op::DMANOP>()});
  EXPECT_EQ(h.registers[0xFFB12054], 0xCAFEBABEu);
  h.execute(0, {encode<op::STOREREG>({{"tdma_data_reg_index", 9}, {"reg_addr", 0x12058 >> 2}})});
  EXPECT_EQ(h.registers[0xFFB12058], 0xCAFEBABEu);
}

TEST(AuditScalar, reg2flop_writes_thcon_words) {  // REG2FLOP_Configuration.md
  constexpr u32 kThcon = cfg::THCON_SEC0_REG0_TileDescriptor::kWord;
  Harness h;
  for (u32 i = 0; i < 4; ++i) h.gpr(0, 8 + i) = 0x100 + i;
  h.execute(0, {encode<op::REG2FLOP>({{"size_sel", 1}, {"flop_index", 5}, {"reg_index", 9}}),
                encode<op::REG2FLOP>({{"size_sel", 0}, {"flop_index", 9}, {"reg_index", 9}})});
  EXPECT_EQ(h.state().cfg.bank[0][kThcon + 5], 0x101u);
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(h.state().cfg.bank[0][kThcon + 8 + i], 0x100 + i);
}

TEST(AuditScalar, subtraction_takes_a_register_or_six_bits) {  // SUBDMAREG.md
  Harness h;
  h.gpr(0, 1) = 5;
  h.gpr(0, 2) = 7;
  h.execute(0, {encode<op::SUBDMAREG>(
                    {{"op_a_reg_index", 1}, {"op_b_reg_index", 2}, {"result_reg_index", 10}}),
                encode<op::SUBDMAREG>({{"op_a_reg_index", 1},
                                       {"op_b_reg_index", 63},
                                       {"result_reg_index", 11},
                                       {"op_b_is_const", 1}})});
  EXPECT_EQ(h.gpr(0, 10), 0xFFFFFFFEu);
  EXPECT_EQ(h.gpr(0, 11), static_cast<u32>(5 - 63));
}

TEST(AuditScalar, there_are_64_registers_per_thread) {  // ScalarUnit.md, GPRs
  Harness h;
  for (unsigned thread = 0; thread < 3; ++thread)
    h.execute(thread, {set_half(126, 0x1000 + thread), set_half(127, 0)});
  for (unsigned thread = 0; thread < 3; ++thread) EXPECT_EQ(h.gpr(thread, 63), 0x1000 + thread);
}

// --- Sync unit and wait gate

TEST(AuditSync, sempost_stops_at_15) {  // SEMPOST.md
  Harness h;
  h.execute(0, {seminit(0x81, 14, 15), sempost(0x81), sempost(0x81), sempost(0x01)});
  EXPECT_EQ(h.semaphore(0).value, 15u);
  EXPECT_EQ(h.semaphore(7).value, 15u);
  EXPECT_EQ(h.semaphore(1).value, 0u);
}

TEST(AuditSync, semwait_waits_while_any_selected_semaphore_is_zero) {  // SEMWAIT.md, C0
  Harness h;
  h.execute(1, {seminit(3, 0, 15), sempost(1)});
  h.push(0, {semwait(0x1FF, 3, 1), set_half(20, 1)});
  h.run(40);
  EXPECT_EQ(h.gpr(0, 10), 0u);
  h.execute(1, {sempost(2)});
  h.run(20);
  EXPECT_EQ(h.gpr(0, 10), 1u);
}

TEST(AuditSync, a_mutex_is_held_by_one_thread_until_it_releases_it) {  // ATGETM.md, ATRELM.md
  Harness h;
  h.execute(0, {atgetm(0)});
  h.push(1, {atgetm(0), set_half(20, 1)});
  h.run(40);
  EXPECT_EQ(h.gpr(1, 10), 0u) << "blocked";
  h.execute(0, {atrelm(0)});
  h.run(20);
  EXPECT_EQ(h.gpr(1, 10), 1u);
  Harness other;  // should have been acquired before
  other.execute(0, {atgetm(2)});
  other.push(1, {atrelm(2)});
  other.run(20);
  EXPECT_FALSE(other.faults.faults().empty());
}

/// Whether the block bit holds the instruction while STALLWAIT's condition (the bank of SrcA is not
/// the matrix unit's) lasts.
bool blocked(u32 bit, u32 word) {
  Harness h;
  h.state().fpu.src_b.owner.fill(SrcOwner::Matrix);  // so that nothing else holds MOVB2A
  h.push(0, {stallwait(1u << bit, 1u << 7), word});
  h.run(20);
  return h.coprocessor.instructions_executed(0) < 2;
}

TEST(AuditSync, block_bits_catch_the_instructions_of_the_table) {  // STALLWAIT.md, Block mask
  struct Row {
    u32 word, bit;
  };
  const Row rows[] = {
      {encode<op::CLEARDVALID>(), 6}, {encode<op::MOVB2A>(), 6},
      {encode<op::MOVD2A>(), 6},      {encode<op::SFPCONFIG>({{"config_dest", 9}}), 8},
      {encode<op::SFPLZ>(), 8},       {encode<op::SFPNOT>(), 8},
      {encode<op::SFPPUSHC>(), 8},    {encode<op::SFPSETCC>(), 8},
      {encode<op::SFPXOR>(), 8},      {encode<op::PACR>({{"flush", 1}}), 2}};
  for (const Row& row : rows) {
    for (u32 bit = 0; bit < 9; ++bit) {
      const bool also_tdma = bit == 0 && row.bit == 2;  // B0 holds packers, too
      EXPECT_EQ(blocked(bit, row.word), bit == row.bit || also_tdma) << std::hex << row.word << bit;
    }
  }
}

TEST(AuditSync, nop_is_caught_by_a_full_mask_only) {  // STALLWAIT.md, NOP
  for (u32 bit = 0; bit < 9; ++bit) EXPECT_FALSE(blocked(bit, nop()));
  Harness h;
  h.push(0, {stallwait(0x1FF, 1u << 7), nop()});
  h.run(20);
  EXPECT_LT(h.coprocessor.instructions_executed(0), 2u);
}

TEST(AuditSync, a_wait_is_forgotten_when_all_its_conditions_hold_at_once) {  // STALLWAIT.md
  Harness h;
  h.push(0, {stallwait(0x1FF, 1u << 7 | 1u << 8), set_half(20, 1)});
  h.run(20);
  h.state().fpu.src_a.owner.fill(SrcOwner::Matrix);
  h.coprocessor.rouse();
  h.run(20);
  EXPECT_EQ(h.gpr(0, 10), 0u) << "C8: SrcB is not the matrix unit's yet";
  h.state().fpu.src_b.owner.fill(SrcOwner::Matrix);
  h.coprocessor.rouse();
  h.run(20);
  EXPECT_EQ(h.gpr(0, 10), 1u);
}

// --- Configuration unit

TEST(AuditConfig, setc16_writes_the_threads_own_word) {  // SETC16.md
  Harness h;
  h.execute(1, {setc16(5, 0xBEEF)});
  EXPECT_EQ(h.state().cfg.thread[1][5], 0xBEEF);
  EXPECT_EQ(h.state().cfg.thread[0][5], 0);
}

TEST(AuditConfig, wrcfg_and_cfgshiftmask_use_the_threads_bank) {  // WRCFG.md
  Harness h;
  h.gpr(0, 4) = 0x1234;
  h.execute(0, {setc16(0, 1), encode<op::WRCFG>({{"gpr_address", 4}, {"cfg_reg", 100}}), nop()});
  EXPECT_EQ(h.state().cfg.bank[1][100], 0x1234u);
  EXPECT_EQ(h.state().cfg.bank[0][100], 0u);
}

TEST(AuditConfig, globals_have_one_value) {  // BackendConfiguration.md
  Harness h;
  h.gpr(0, 4) = 7;
  const u32 word = cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset::kWord;
  ASSERT_GE(word, 180u);
  h.execute(0, {encode<op::WRCFG>({{"gpr_address", 4}, {"cfg_reg", word}}), nop()});
  h.execute(0, {setc16(0, 1), encode<op::RDCFG>({{"gpr_address", 9}, {"cfg_reg", word}}), nop(),
                nop(), nop()});
  EXPECT_EQ(h.gpr(0, 9), 7u);
}

TEST(AuditConfig, writing_the_seed_starts_the_generators_anew) {  // BackendConfiguration.md
  const auto draw = [](u32 seed) {
    Harness h;
    h.coprocessor.write_config(cfg::PRNG_SEED_Seed_Val::kWord, seed, h.core());
    h.execute(0, {encode<op::SFPMOV>({{"lreg_c", 9}, {"lreg_dest", 3}, {"instr_mod1", 8}})});
    return h.state().sfpu.lreg[3][0];
  };
  EXPECT_EQ(draw(0x1234), draw(0x1234));
  EXPECT_NE(draw(0x1234), draw(0x4321));
}

// --- Frontend

TEST(AuditFrontend, words_leave_in_the_order_in_which_they_were_pushed) {  // README.md, Frontend
  Harness h;
  std::vector<u32> words;
  for (u32 i = 0; i < 20; ++i) words.push_back(set_half(i, i));
  for (const u32 word : words) h.push(0, word);
  EXPECT_EQ(h.trace(0, 40), words);
}

TEST(AuditFrontend, each_thread_has_its_own) {  // README.md: three copies
  Harness h;
  h.push(0, {stallwait(0x1FF, 1u << 7), nop()});
  h.push(1, {set_half(20, 1)});
  h.run(10);
  EXPECT_EQ(h.gpr(1, 10), 1u) << "a thread that waits holds no other";
}

TEST(AuditFrontend, a_full_fifo_takes_no_more) {  // README.md: FIFO capacities are the limit
  Harness h;
  h.push(0, {stallwait(0x1FF, 1u << 7)});
  h.run(5);
  u32 pushed = 0;
  while (h.coprocessor.can_push(0) && pushed < 100) {
    h.push(0, nop());
    h.run(2);
    ++pushed;
  }
  EXPECT_LT(pushed, 100u);
}

TEST(AuditFrontend, only_plain_nop_counts_as_nop_in_a_mop) {  // MOPExpander.md, IsNop
  const auto expansion = [](u32 end1) {
    Harness h;
    // Template 1: outer 1, inner 1, start, end 0, end 1, loop, loop 1, last words.
    const u32 config[9] = {1,
                           1,
                           nop(),
                           encode<op::SFPNOP>(),
                           end1,
                           set_half(1, 1),
                           nop(),
                           set_half(3, 3),
                           set_half(4, 4)};
    for (u32 i = 0; i < 9; ++i) h.coprocessor.write_mop_config(0, i, config[i], h.core());
    h.push(0, {encode<op::MOP>({{"mop_type", 1}})});
    return h.trace(0, 30).size();
  };
  EXPECT_EQ(expansion(nop()) + 1, expansion(encode<op::DMANOP>()));
}

// --- Mover, XMOV, TDMA

TEST(AuditMover, l1_to_l1_copies_and_l0_to_l1_clears) {  // Mover.md, XMOV.md
  for (const u32 mode : {3u, 0u}) {
    Harness h;
    for (u32 i = 0; i < 16; ++i) {
      put_word(h, 0x2000 + 4 * i, 0x100 + i);
      put_word(h, 0x3000 + 4 * i, 0xFFFFFFFF);
    }
    h.state().cfg.bank[0][cfg::THCON_SEC0_REG6_Source_address::kWord] = 0x200;
    h.state().cfg.bank[0][cfg::THCON_SEC0_REG6_Destination_address::kWord] = 0x300;
    h.state().cfg.bank[0][cfg::THCON_SEC0_REG6_Buffer_size::kWord] = 4;
    cfg::THCON_SEC0_REG6_Transfer_direction::set(h.state().cfg.bank[0], mode);
    h.execute(0, {encode<op::XMOV>({{"last", 0}})});
    h.run(200);
    for (u32 i = 0; i < 16; ++i)
      EXPECT_EQ(word_at(h, 0x3000 + 4 * i), mode == 3 ? 0x100 + i : 0) << mode;
  }
}

}  // namespace
}  // namespace bhemu::tensix::test

namespace bhemu::tensix {
namespace {

// --- Unpackers

using AuditUnpack = Unpack;

TEST_F(AuditUnpack, formats_are_configured_as_the_table_says) {  // Unpackers/FormatConversion.md
  struct Case {
    Format in, out;
    u32 stored;  // what lies in L1, at the datum's width
    u32 cell;    // sign, exponent, mantissa of the source cell
  };
  const u32 half = 15u << 23 | 1u << 13;
  for (const Case& c : {Case{Format::Fp32, Format::Tf32, 0x3F81FFFF, 0x3F81E000},
                        Case{Format::Fp32, Format::Bf16, 0x3F81FFFF, 0x3F810000},
                        Case{Format::Fp32, Format::Fp16, 0x3F802000, half},
                        Case{Format::Int16, Format::Int16, 0x8123, 0x8123}}) {
    apply({.in = c.in, .out = c.out});
    if (c.in == Format::Fp32)
      put32(data_address({}), c.stored);
    else
      put16(data_address({}), static_cast<u16>(c.stored));
    unpack();
    EXPECT_TRUE(c.in == Format::Int16 || src_a(0).datum[0] == c.cell) << name_of(c.in);
    EXPECT_FALSE(faulted());
  }
}

TEST_F(AuditUnpack, bfp8_becomes_bf16_with_normalised_mantissas) {  // UNPACR_Regular.md
  apply({.in = Format::Bfp8, .out = Format::Bfp8});
  const u32 base = data_address({});
  for (u32 i = 0; i < 64; ++i) l1.data()[base + i] = 130;  // exponents
  const u32 data = base + 64;
  const u8 bytes[] = {0x40, 0x01, 0x81, 0x80, 0x00, 0xFF};
  std::memcpy(l1.data() + data, bytes, sizeof(bytes));
  unpack();
  const auto model = [](u8 datum, u8 exponent) -> u32 {
    const u32 sign = datum >> 7;
    u32 magnitude = (datum << 1) & 0xFF;
    if (magnitude == 0) return sign != 0 ? 0xFF80u : 0u;
    while ((magnitude & 0x80) == 0) magnitude <<= 1, --exponent;
    return sign << 15 | u32{exponent} << 7 | (magnitude & 0x7E);
  };
  for (u32 i = 0; i < sizeof(bytes); ++i)
    EXPECT_EQ(src_a(0).datum[i], model(bytes[i], 130) << 16) << i;
}

TEST_F(AuditUnpack, bfp4_and_bfp2_have_the_documented_meaning) {  // FloatBitPatterns.md
  struct Case {
    Format format;
    u8 byte;
    u32 cell;
  };
  for (const Case& c : {Case{Format::Bfp4, 0x0F, 0xBFE00000},     // -7/4
                        Case{Format::Bfp2, 0x03, 0xBF800000}}) {  // -1
    apply({.in = c.format, .out = c.format});
    const u32 base = data_address({});
    for (u32 i = 0; i < 64; ++i) l1.data()[base + i] = 127;
    l1.data()[base + 64] = c.byte;
    unpack();
    EXPECT_EQ(src_a(0).datum[0], c.cell);
  }
}

TEST_F(AuditUnpack, addresses_wrap_at_the_limit) {  // UNPACR_Regular.md, WrapAddr
  const TileSetup s{.offset = 0};
  apply(s);
  const u32 base = data_address(s);
  set<cfg::THCON_SEC0_REG10_Unpack_limit_address>(base / 16 + 1);
  set<cfg::THCON_SEC0_REG10_Unpack_fifo_size>(2);
  fill_bf16(base, 16);
  unpack();
  EXPECT_EQ(src_a(0).datum[0], 0x3F80u << 16);
  EXPECT_EQ(src_a(2).datum[0], src_a(1).datum[0]) << "beyond the limit, back by the FIFO's size";
}

TEST_F(AuditUnpack, context_counters_wrap_at_their_count) {  // UNPACR_IncrementContextCounter.md
  apply({});
  set<cfg::THCON_SEC0_REG2_Context_count>(1);  // two contexts
  for (u32 i = 0; i < 3; ++i) run<op::UNPACR>({{"cfg_context_cnt_inc", 1}});
  EXPECT_EQ(state().unpacker[0].context[0], 1);
}

TEST_F(AuditUnpack, zerosrc_clears_one_bank_or_both_and_sets_infinity) {  // UNPACR_NOP_ZEROSRC.md
  for (const u32 both : {0u, 1u}) {
    for (auto& bank : state().fpu.src_a.bank)
      for (auto& row : bank) row.datum.fill(0x3F800000);
    state().fpu.src_a.unpack_bank = 1;
    run<op::UNPACR_NOP>({{"unpack_pop", 1}, {"bank_clr_ctrl", both}});
    EXPECT_EQ(state().fpu.src_a.bank[1][63].datum[15], 0u);
    EXPECT_EQ(state().fpu.src_a.bank[0][63].datum[15], both != 0 ? 0u : 0x3F800000u);
  }
}

TEST_F(AuditUnpack, setdvalid_in_sequence_hands_a_bank_over) {  // UNPACR_NOP_SETDVALID.md
  run<op::UNPACR_NOP>({{"unpack_pop", 2}, {"set_dvalid", 1}, {"unpacker_select", 1}});
  EXPECT_EQ(state().fpu.src_b.owner[0], SrcOwner::Matrix);
  EXPECT_EQ(state().fpu.src_b.unpack_bank, 1);
}

TEST_F(AuditUnpack, upsampling_skips_positions_when_interleaved) {  // Unpackers/README.md
  for (const u32 rate : {1u, 3u}) {
    // The page's table says four for a rate of 3; its formula 2^rate - 1 (docs/DISAGREEMENTS.md).
    const u32 skip = (1u << rate) - 1;
    for (auto& row : state().fpu.src_a.bank[state().fpu.src_a.unpack_bank])
      row.datum.fill(7u << 23);
    apply({.x_end = 3});
    set<cfg::THCON_SEC0_REG2_Upsample_rate>(rate);
    set<cfg::THCON_SEC0_REG2_Upsample_and_interleave>(1);
    fill_bf16(data_address({}), 16);
    unpack();
    for (u32 i = 0; i < 4 * (skip + 1) && i < 16; ++i)
      EXPECT_EQ(src_a(0).datum[i],
                i % (skip + 1) == 0 ? (0x3F80u + i / (skip + 1)) << 16 : 7u << 23)
          << rate << " " << i;
    set<cfg::THCON_SEC0_REG2_Upsample_rate>(0);
    set<cfg::THCON_SEC0_REG2_Upsample_and_interleave>(0);
  }
}

// --- Packers

using AuditPack = Pack;

TEST_F(AuditPack, early_rounding_and_truncation_follow_the_fields) {  // Packers/FormatConversion.md
  struct Case {
    Format in, out;
    u32 raw, read32, value, stored;
  };
  for (const Case& c : {
           Case{Format::Fp32, Format::Bf16, 0, 1, 0x3F80FFFF, 0x3F80},  // late: truncated
           Case{Format::Bf16, Format::Bf16, 0, 1, 0x3F808000, 0x3F81},  // rounded, ties away
           Case{Format::Bf16, Format::Bf16, 1, 1, 0x3F80FFFF, 0x3F80},  // bits 31:16
       }) {
    apply(c.in, c.out, c.read32 != 0);
    set<cfg::PCK_DEST_RD_CTRL_Read_int8>(c.raw);
    put_fp32(0, 0, c.value);
    pacr();
    close();
    EXPECT_EQ(get16(kData), c.stored) << code(c.in) << c.raw;
    packer().channel[0] = {};
    state().packer = {};
  }
}

TEST_F(AuditPack, masked_datums_become_zero_or_minus_infinity) {  // EdgeMasking.md
  for (const u32 mode : {0u, 1u}) {
    apply(Format::Bf16, Format::Bf16, false);
    fill_dst_bf16(4);
    set<cfg::PCK_EDGE_OFFSET_SEC0_mask>(0xFFFE);
    set<cfg::PCK_EDGE_MODE_mode>(mode);
    pacr();
    close();
    EXPECT_EQ(get16(kData), mode != 0 ? 0xFF80 : 0);
    EXPECT_EQ(get16(kData + 2), 0x4001);
    packer().channel[0] = {};
    state().packer = {};
  }
}

TEST_F(AuditPack, int16_is_sign_and_magnitude) {  // FormatConversion.md, final format
  apply(Format::Int16, Format::Int16, false);
  dst().write16(0, 0, 0x8123);
  pacr();
  close();
  EXPECT_EQ(get16(kData), 0x8123);
}

TEST_F(AuditPack, the_intermediate_format_can_be_overridden) {  // FormatConversion.md
  apply(Format::Bf16, Format::Bf16, true);
  set<cfg::ALU_FORMAT_SPEC_REG2_Dstacc>(code(Format::Fp32));
  set<cfg::ALU_FORMAT_SPEC_REG_Dstacc_override>(1);
  set<cfg::ALU_FORMAT_SPEC_REG_Dstacc_val>(code(Format::Bf16));
  put_fp32(0, 0, 0x3F808000);
  pacr();
  close();
  EXPECT_EQ(get16(kData), 0x3F81);
}

TEST_F(AuditPack, relu_thresholds_are_read_in_the_intermediate_format) {  // ReLU.md
  apply(Format::Bf16, Format::Bf16, false);
  set<cfg::STACC_RELU_ApplyRelu>(2);           // minimum threshold
  set<cfg::STACC_RELU_ReluThreshold>(0x4004);  // BF16 2.0625
  fill_dst_bf16(4);
  pacr();
  close();
  EXPECT_EQ(get16(kData + 2 * 4), 0);
  EXPECT_EQ(get16(kData + 2 * 5), 0x4005);
}

}  // namespace
}  // namespace bhemu::tensix
