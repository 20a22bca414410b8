// Fields and instructions of which the documents say that nothing can observe them: whatever they
// hold, the rest of the word does the same.
#include <gtest/gtest.h>

#include "numeric/format_codes.hpp"
#include "tensix/data_bench.hpp"
#include "tensix/hash.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

using numeric::Format;

constexpr u32 kTarget = 0x10000;
constexpr u32 kBf16 = static_cast<u32>(Format::Bf16);

TEST(InertFields, gatesrcrst_changes_nothing) {
  for (u32 word = 0; word < 4; ++word) {
    UnitBench bench;
    for (u32 row = 0; row < 64; ++row)
      for (u32 i = 0; i < 16; ++i)
        bench.fpu().src_b.bank[row % 2][row].datum[i] = (row + 1) << 23 | i << 13;
    const u64 before = hash_of(bench.state(), 1);
    EXPECT_EQ(bench.run(0x35000000u | word), Completion::Done);
    EXPECT_EQ(hash_of(bench.state(), 1), before);
    EXPECT_TRUE(bench.faults().faults().empty());
  }
}

/// One PACR of sixteen BF16 datums of Dst row 0.
std::array<u16, 16> packed(u32 concat) {
  DataBench bench;
  bench.set<cfg::ALU_FORMAT_SPEC_REG2_Dstacc>(kBf16);
  bench.set<cfg::THCON_SEC0_REG1_In_data_format>(kBf16);
  bench.set<cfg::THCON_SEC0_REG1_Out_data_format>(kBf16);
  bench.set<cfg::THCON_SEC0_REG1_Disable_zero_compress>(1);
  bench.set<cfg::THCON_SEC0_REG1_L1_Dest_addr>(kTarget / 16 - 1);
  bench.set<cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride>(32);
  bench.set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(16);
  bench.set<cfg::PCK_EDGE_OFFSET_SEC0_mask>(0xFFFF);
  bench.adc(AdcUnit::Packer).channel[1].x = 15;
  for (u32 i = 0; i < 16; ++i) bench.dst().write16(0, i, static_cast<u16>(i << 8 | 0x7F));
  bench.run<op::PACR>({{"read_intf_sel", 1}, {"concat", concat}, {"last", 1}});
  EXPECT_FALSE(bench.faulted());
  std::array<u16, 16> result{};
  for (u32 i = 0; i < 16; ++i) result[i] = bench.get16(kTarget + 2 * i);
  return result;
}

TEST(InertFields, concat_of_pacr_changes_nothing) {
  EXPECT_EQ(packed(1), packed(0));
  EXPECT_EQ(packed(1)[3], 0x3F83);
}

TEST(InertFields, flushing_the_row_search_cache_moves_no_datum_and_no_counter) {
  for (const u32 unpacker : {0u, 1u}) {
    DataBench bench;
    for (AdcChannel& channel :
         bench.adc(unpacker == 0 ? AdcUnit::Unpacker0 : AdcUnit::Unpacker1).channel)
      channel = {1, 2, 3, 4, 5, 6, 7, 8};
    const u64 before = hash_of(bench.state(), 1);
    bench.run<op::UNPACR>({{"search_cache_flush", 1}, {"unpack_block_selection", unpacker}});
    EXPECT_EQ(hash_of(bench.state(), 1), before);
    EXPECT_FALSE(bench.faulted());
  }
}

// --- And modes that the documents do not define, which are refused.

TEST(UndefinedModes, of_the_matrix_unit_raise_their_rules_and_change_nothing) {
  struct {
    u32 word;
    Rule rule;
  } const kCases[] = {
      {encode<op::GMPOOL>({{"instr_mod19", 0}}), Rule::TensixUndefined},
      {encode<op::SHIFTXA>({{"shift_mode", 0}}), Rule::TensixUndefined},
      {encode<op::SHIFTXA>({{"shift_mode", 1}}), Rule::TensixUndefined},
  };
  for (const auto& c : kCases) {
    UnitBench bench;
    bench.set_source_formats(kBf16, kBf16);
    bench.fpu().dst.row[0].datum[0] = 0x7F;
    const auto before = bench.fpu().dst.row;
    bench.run(c.word);
    EXPECT_TRUE(bench.faulted(c.rule)) << info_of_word(c.word).name;
    for (u32 row = 0; row < 16; ++row)
      EXPECT_EQ(bench.fpu().dst.row[row].datum, before[row].datum) << info_of_word(c.word).name;
  }
}

}  // namespace
}  // namespace bhemu::tensix
