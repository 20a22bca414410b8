// Every condition and every block bit of STALLWAIT, as whole programs on a device: an instruction
// that ends by itself, a STALLWAIT, and an instruction that must come behind the first. Only the
// right condition with a block that holds the second makes the pair silent.
#include <gtest/gtest.h>

#include "host/report/races.hpp"
#include "support/assembler.hpp"
#include "tensix/config.hpp"
#include "tensix/isa.hpp"

namespace bhemu::host {
namespace {

using test::Assembler;
using enum test::Reg;
namespace op = tensix::op;
namespace cfg = tensix::cfg;

constexpr u32 kSoftReset = 0xFFB121B0;
constexpr u32 kOnlyTrisc0 = 0x46800;  // held: all but TRISC0
constexpr u32 kStart = 0x6000;        // of TRISC0
constexpr u32 kGprs = 0xFFE00000;
constexpr u32 kGpr = 8;
constexpr u32 kAllBlocks = 0x1FF;

template <class Op>
u32 word(std::initializer_list<tensix::FieldValue> values = {}) {
  return tensix::encode<Op>(values);
}

u32 stallwait(u32 block, u32 condition) {
  return word<op::STALLWAIT>({{"stall_res", block}, {"wait_res", condition}});
}

struct Pair {
  const char* name;
  unsigned condition;  // that drains the first
  u32 first;           // 0: a store of the core to a GPR
  u32 second;
  u32 blocks;  // that hold the second (STALLWAIT.md, "Block mask")
  unsigned row;
};

std::vector<Pair> pairs() {
  const u32 fp32 = word<op::RMWCIB3>({{"cfg_reg_addr", cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled::kWord},
                                      {"mask", 0x40},
                                      {"data", 0x40}});
  const u32 use_gpr = word<op::ADDDMAREG>(
      {{"op_a_reg_index", kGpr}, {"op_b_reg_index", kGpr}, {"result_reg_index", 9}});
  const u32 load = word<op::LOADIND>(
      {{"addr_reg_index", 4}, {"data_reg_index", kGpr}, {"offset_index", 12}, {"size_sel", 1}});
  const u32 move_a = word<op::MOVD2A>({{"instr_mod", 2}});
  const u32 move_b = word<op::MOVD2B>({{"instr_mod", 2}});
  const u32 clear_a = word<op::UNPACR_NOP>({{"unpack_pop", 1}, {"stall_clr_cntrl", 1}});
  const u32 clear_b =
      word<op::UNPACR_NOP>({{"unpacker_select", 1}, {"unpack_pop", 1}, {"stall_clr_cntrl", 1}});
  const u32 store = word<op::SFPSTORE>({{"sfpu_addr_mode", 7}});
  return {
      {"load_to_gpr", 0, load, use_gpr, 0x021, 37},
      {"clear_of_srca", 1, clear_a, move_a, 0x040, 20},
      {"clear_of_srcb", 2, clear_b, move_b, 0x040, 20},
      {"move_from_dst", 4, move_a, store, 0x100, 15},
      {"move_into_srca", 4, move_a, clear_a, 0x009, 15},
      {"store_to_gpr", 10, 0, use_gpr, 0x021, 8},
      {"load_from_dst", 11, word<op::SFPLOAD>({{"sfpu_addr_mode", 7}}), fp32, 0x080, 38},
      {"configuration_to_gpr", 12,
       word<op::RDCFG>({{"gpr_address", kGpr}, {"cfg_reg", cfg::SCRATCH_SEC0_val::kWord}}),
       word<op::WRCFG>({{"gpr_address", kGpr}, {"cfg_reg", cfg::SCRATCH_SEC1_val::kWord}}), 0x080,
       34},
  };
}

struct Watched {
  unsigned findings = 0;
  unsigned row = 0;
  std::string text;
};

Watched watch(const Pair& pair, u32 block, u32 condition) {
  Device device{DeviceOptions{}};
  const Coord tile = device.board().tensix()[0];
  RaceOptions options;
  options.on = true;
  RaceWatch watch(device, options, nullptr, std::span(&tile, 1));
  Assembler a(kStart);
  if (pair.first == 0) {
    a.li(s0, kGprs + 4 * kGpr);
    a.li(t0, 7);
    a.sw(t0, 0, s0);
  } else {
    a.ttinsn(pair.first);
  }
  a.ttinsn(stallwait(block, condition));
  a.ttinsn(pair.second);
  a.halt();
  const std::vector<u32> words = a.finish();
  device.write(tile, kStart, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
  device.write32(tile, kSoftReset, kOnlyTrisc0);
  device.run(2000);
  for (const Fault& fault : device.faults()) ADD_FAILURE() << pair.name << ": " << fault.text;
  const RaceReport report = watch.report(CodeMap());
  Watched seen;
  for (const RaceFinding& one : report.findings) {
    if (one.finding.kind != race::FindingKind::Race) continue;
    ++seen.findings;
    seen.row = static_cast<unsigned>(one.finding.edge);
  }
  seen.text = report.text();
  return seen;
}

class Stallwait : public testing::TestWithParam<Pair> {};

TEST_P(Stallwait, only_the_condition_of_the_first_unit_is_enough) {
  const Pair& pair = GetParam();
  for (const unsigned bit : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 9u, 10u, 11u, 12u}) {
    const Watched seen = watch(pair, kAllBlocks, 1u << bit);
    EXPECT_EQ(seen.findings == 0, bit == pair.condition) << "C" << bit << "\n" << seen.text;
    if (bit != pair.condition) {
      EXPECT_EQ(seen.row, pair.row) << seen.text;
    }
  }
}

TEST_P(Stallwait, only_a_block_that_holds_the_second_is_enough) {
  const Pair& pair = GetParam();
  for (unsigned bit = 0; bit < 9; ++bit) {
    const Watched seen = watch(pair, 1u << bit, 1u << pair.condition);
    EXPECT_EQ(seen.findings == 0, (pair.blocks >> bit & 1) != 0) << "B" << bit << "\n" << seen.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Races, Stallwait, testing::ValuesIn(pairs()),
                         [](const auto& pair) { return std::string(pair.param.name); });

}  // namespace
}  // namespace bhemu::host
