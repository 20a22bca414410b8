// Row counters and address modifiers, the placement of Dst rows, and the RISC-V window onto Dst.
#include <gtest/gtest.h>

#include <set>

#include "tensix/dst/rwc.hpp"
#include "tensix/hash.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kCr = 1u << 6;
constexpr u32 kClear = 1u << 7;
constexpr u32 kDstCr = 1u << 10;
constexpr u32 kDstClear = 1u << 11;
constexpr u32 kDstCToCr = 1u << 12;

/// An instruction that does nothing but apply its address modifier.
void step(UnitBench& bench, u32 section) {
  bench.run<op::ZEROACC>({{"clear_mode", 1}, {"where", 0xFF}, {"addr_mode", section}});
}

TEST(FpuRwc, address_modifiers_step_return_and_clear_each_counter) {
  UnitBench bench;
  for (u32 section = 0; section < 8; ++section)
    bench.set_addr_mod(section, (section + 1) | (section + 2) << 8, section + 3);
  for (u32 section = 0; section < 8; ++section) {
    bench.rwc() = Rwc{};
    step(bench, section);
    EXPECT_EQ(bench.rwc().src_a, section + 1);
    EXPECT_EQ(bench.rwc().src_b, section + 2);
    EXPECT_EQ(bench.rwc().dst, section + 3);
    EXPECT_EQ(bench.rwc().src_a_cr, 0);
  }
  bench.set_addr_mod(0, (8 | kCr) | (16u | kCr) << 8, 32 | kDstCr);
  bench.rwc() =
      Rwc{.dst = 5, .dst_cr = 1000, .src_a = 3, .src_a_cr = 60, .src_b = 3, .src_b_cr = 1};
  step(bench, 0);
  EXPECT_EQ(bench.rwc().src_a, 4);
  EXPECT_EQ(bench.rwc().src_a_cr, 4);
  EXPECT_EQ(bench.rwc().src_b, 17);
  EXPECT_EQ(bench.rwc().dst, 8);
  EXPECT_EQ(bench.rwc().dst_cr, 8);
  bench.set_addr_mod(0, 0, 7 | kDstCToCr | kDstCr);
  step(bench, 0);
  EXPECT_EQ(bench.rwc().dst, 15);
  EXPECT_EQ(bench.rwc().dst_cr, 15);
  bench.set_addr_mod(0, (8 | kClear | kCr) | (16u | kClear) << 8, 7 | kDstClear | kDstCToCr);
  step(bench, 0);
  EXPECT_EQ(bench.rwc().src_a, 0);
  EXPECT_EQ(bench.rwc().src_b_cr, 0);
  EXPECT_EQ(bench.rwc().dst, 0);
  EXPECT_EQ(bench.rwc().dst_cr, 0);
}

TEST(FpuRwc, fidelity_phase_steps_modulo_4_and_clears) {
  UnitBench bench;
  bench.set_addr_mod(0, 0, 3u << 13);
  step(bench, 0);
  step(bench, 0);
  EXPECT_EQ(bench.rwc().fidelity, 2);
  bench.set_addr_mod(0, 0, 3u << 13 | 1u << 15);
  step(bench, 0);
  EXPECT_EQ(bench.rwc().fidelity, 0);
}

TEST(FpuRwc, bias_bit_is_diagnosed) {
  UnitBench bench;
  bench.set_addr_mod(0, 0, 0, 1);
  step(bench, 0);
  EXPECT_TRUE(bench.faulted(Rule::FpuAddrModBias));
  EXPECT_EQ(bench.rwc().bias, 1);
  UnitBench without;
  without.set_addr_mod(0, 0x3F, 0x3F, 0);
  step(without, 0);
  EXPECT_FALSE(without.faulted(Rule::FpuAddrModBias));
}

TEST(FpuRwc, setrwc_sets_what_its_mask_names) {
  UnitBench bench;
  bench.rwc() = Rwc{.dst = 100,
                    .dst_cr = 200,
                    .src_a = 1,
                    .src_a_cr = 10,
                    .src_b = 2,
                    .src_b_cr = 20,
                    .fidelity = 3};
  bench.run<op::SETRWC>({{"bit_mask", 1}, {"rwc_a", 5}, {"rwc_b", 5}, {"rwc_d", 5}});
  EXPECT_EQ(bench.rwc().src_a, 5);
  EXPECT_EQ(bench.rwc().src_a_cr, 5);
  EXPECT_EQ(bench.rwc().src_b, 2);
  EXPECT_EQ(bench.rwc().dst, 100);
  EXPECT_EQ(bench.rwc().fidelity, 3);
  bench.run<op::SETRWC>({{"bit_mask", 2 | 8}, {"rwc_b", 5}, {"rwc_cr", 2}});
  EXPECT_EQ(bench.rwc().src_b, 25);
  EXPECT_EQ(bench.rwc().fidelity, 0);
  bench.run<op::SETRWC>({{"bit_mask", 4}, {"rwc_d", 8}, {"rwc_cr", 4}});
  EXPECT_EQ(bench.rwc().dst, 208);
  bench.rwc().dst = 300;
  bench.run<op::SETRWC>({{"rwc_d", 8}, {"rwc_cr", 8}});
  EXPECT_EQ(bench.rwc().dst, 308);
  EXPECT_EQ(bench.rwc().dst_cr, 308);
}

TEST(FpuRwc, setrwc_sets_the_stack_pointer_from_the_three_nibbles) {
  UnitBench bench;
  bench.run<op::SETRWC>({{"bit_mask", 0x10}, {"rwc_a", 5}, {"rwc_b", 10}, {"rwc_d", 3}});
  EXPECT_EQ(bench.rwc().sp, 0x3A5);
  EXPECT_EQ(bench.rwc().src_a, 0);
  EXPECT_EQ(bench.rwc().src_b, 0);
  EXPECT_EQ(bench.rwc().dst, 0);
  bench.run<op::SETRWC>({{"bit_mask", 0x1F}, {"rwc_a", 1}, {"rwc_b", 2}, {"rwc_d", 4}});
  EXPECT_EQ(bench.rwc().sp, 0x021 | (4 << 8 & 0x3FF));
  EXPECT_EQ(bench.rwc().src_a, 1);
  EXPECT_EQ(bench.rwc().src_b, 2);
  EXPECT_EQ(bench.rwc().dst, 4);
}

TEST(FpuRwc, setibrwc_clears_the_bias_and_refuses_values_without_a_meaning) {
  UnitBench bench;
  bench.rwc().bias = 1;
  bench.run<op::SETIBRWC>({{"set_inc_ctrl", 1}});
  EXPECT_EQ(bench.rwc().bias, 1);
  bench.run<op::SETIBRWC>();
  EXPECT_EQ(bench.rwc().bias, 0);
  EXPECT_TRUE(bench.faults().faults().empty());
  for (const u32 increment : {0u, 1u}) {
    UnitBench other;
    other.run<op::SETIBRWC>({{"set_inc_ctrl", increment}, {"rwc_bias", 4}});
    EXPECT_TRUE(other.faulted(Rule::FpuBiasValue));
    EXPECT_EQ(other.rwc().bias, 0);
  }
}

TEST(FpuRwc, incrwc_adds_to_counter_or_to_its_copy) {
  UnitBench bench;
  bench.rwc() = Rwc{.dst = 1, .dst_cr = 100, .src_a = 1, .src_a_cr = 10, .src_b = 60};
  bench.run<op::INCRWC>({{"rwc_a", 2}, {"rwc_b", 8}, {"rwc_d", 4}});
  EXPECT_EQ(bench.rwc().src_a, 3);
  EXPECT_EQ(bench.rwc().src_a_cr, 10);
  EXPECT_EQ(bench.rwc().src_b, 4);
  EXPECT_EQ(bench.rwc().dst, 5);
  bench.run<op::INCRWC>({{"rwc_a", 2}, {"rwc_d", 4}, {"rwc_cr", 5}});
  EXPECT_EQ(bench.rwc().src_a, 12);
  EXPECT_EQ(bench.rwc().dst, 104);
  EXPECT_EQ(bench.rwc().dst_cr, 104);
}

TEST(FpuDst, mappings_are_permutations_and_32_bit_rows_take_pairs_of_rows) {
  for (u32 options = 0; options < 4; ++options) {
    const DstMapping mapping{bit(options, 0), bit(options, 1), false};
    std::set<u32> rows16;
    std::set<u32> rows32;
    for (u32 row = 0; row < kDstRows; ++row) {
      rows16.insert(mapping.adj16(row));
      rows32.insert(mapping.adj32(row));
    }
    EXPECT_EQ(rows16.size(), 1024u);
    EXPECT_EQ(rows32.size(), 512u);
    for (const u32 row : rows32) EXPECT_EQ(row & 8, 0u);
  }
  const DstMapping plain;
  EXPECT_EQ(plain.adj32(7), 7u);
  EXPECT_EQ(plain.adj32(8), 16u);
  EXPECT_EQ(plain.adj32(511), 1015u);
  EXPECT_EQ(plain.adj32(512), plain.adj32(256));
  const DstMapping remap{true, false, false};
  EXPECT_EQ(remap.adj16(0x008), 0x020u);
  EXPECT_EQ(remap.adj16(0x010), 0x008u);
  EXPECT_EQ(remap.adj16(0x020), 0x010u);
  EXPECT_EQ(remap.adj16(0x3C7), 0x3C7u);
}

TEST(FpuDst, feature_bit_11_puts_16_bit_datums_into_high_halves) {
  UnitBench bench;
  bench.state().cfg.debug_feature_disable = 1u << 11;
  bench.dst().write32(9, 4, 0xAAAABBBB);
  EXPECT_EQ(bench.dst().read16(9, 4), 0xAAAA);
  bench.dst().write16(9, 4, 0x1234);
  EXPECT_EQ(bench.dst().read32(9, 4) >> 16, 0x1234u);
}

void set_window(UnitBench& bench, u32 thread, u32 format, bool no_swizzle, bool is_unsigned) {
  const u32 section =
      static_cast<u32>(no_swizzle) | static_cast<u32>(is_unsigned) << 1 | format << 2;
  ConfigWords& words = bench.state().cfg.bank[0];
  u32& word = words[cfg::RISC_DEST_ACCESS_CTRL_SEC0_fmt::kWord];
  word = with_bits(word, cfg::RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle::kLow + 5 * thread, 5, section);
}

TEST(FpuDst, window_converts_what_it_reads_and_writes) {
  struct {
    u32 format;
    bool no_swizzle, is_unsigned;
    u32 size, value, stored, read_back;
  } const kCases[] = {
      {0, false, false, 4, 0x3F81E000, 0x017FE000, 0x3F81E000},
      {0, true, false, 4, 0x3F81E000, 0x3F81E000, 0x3F81E000},
      {1, false, false, 4, 0xFFFFFFFB, 0x80000005, 0xFFFFFFFB},
      {1, false, false, 4, 0x80000000, 0xFFFFFFFF, 0x80000001},
      {2, false, false, 2, 0x3C01, 0x002F, 0x3C01},
      {3, false, false, 2, 0xBF81, 0x817F, 0xBF81},
      {4, false, false, 2, 0xFFFB, 0x8005, 0xFFFB},
      {4, false, false, 2, 0x8000, 0xFFFF, 0x8001},
      {4, false, true, 2, 0xFFFB, 0xFFFB, 0xFFFB},
      {5, false, false, 1, 0x05, 0x00B0, 0x05},
      {5, false, true, 1, 0xFB, 0x1F70, 0xFB},
      {5, false, false, 1, 0x00, 0x0000, 0x00},
      // The conversion of negative bytes is wrong in silicon: -5 is stored as -0x85.
      {5, false, false, 1, 0xFB, 0x90B0, 0xFB},
      {5, false, false, 1, 0x80, 0x8000 | 0xFF << 5 | 16, 0x81},
  };
  for (const auto& c : kCases) {
    UnitBench bench;
    set_window(bench, 1, c.format, c.no_swizzle, c.is_unsigned);
    const u32 offset = (5 * 16 + 3) * c.size;
    ASSERT_TRUE(write_dst_window(bench.state(), 1, offset, c.size, c.value));
    const u32 stored = c.size == 4 ? bench.dst().read32(5, 3) : bench.dst().read16(5, 3);
    EXPECT_EQ(stored, c.stored) << "fmt " << c.format << " value " << c.value;
    const DstWindowResult result = read_dst_window(bench.state(), 1, offset, c.size);
    EXPECT_TRUE(result.defined);
    EXPECT_EQ(result.value, c.read_back) << "fmt " << c.format << " value " << c.value;
  }
}

TEST(FpuDst, window_of_t2_takes_several_elements_at_once_and_others_do_not) {
  UnitBench bench;
  for (u32 thread = 0; thread < 3; ++thread) set_window(bench, thread, 3, false, false);
  EXPECT_TRUE(write_dst_window(bench.state(), 2, 8, 4, 0x40003F80));
  EXPECT_EQ(bench.dst().read16(0, 4), 0x007F);
  EXPECT_EQ(bench.dst().read16(0, 5), 0x0080);
  EXPECT_EQ(read_dst_window(bench.state(), 2, 8, 4).value, 0x40003F80u);
  EXPECT_FALSE(write_dst_window(bench.state(), 1, 8, 4, 0));
  EXPECT_FALSE(read_dst_window(bench.state(), 0, 8, 1).defined);
  set_window(bench, 0, 6, false, false);
  EXPECT_FALSE(read_dst_window(bench.state(), 0, 8, 2).defined);
}

TEST(FpuRwc, the_row_of_srca_that_was_used_last_is_part_of_the_hash) {
  UnitBench bench;
  const u64 before = hash_of(bench.state(), 1);
  bench.state().fpu.last_src_a_row = 16;
  EXPECT_NE(hash_of(bench.state(), 1), before) << "SHIFTXA works on it";
}

}  // namespace
}  // namespace bhemu::tensix
