// Every row of edges.def that puts two accesses in order: with it silent, without it found.
#include "race/litmus.hpp"

#include <gtest/gtest.h>

#include <set>

namespace bhemu::race::test {
namespace {

std::vector<Litmus> all_litmus() {
  std::vector<Litmus> all = core_litmus();
  for (const auto& more : {thread_litmus(), network_litmus()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(RaceLitmus, programs_that_are_in_order_are_silent) {
  for (const Litmus& one : all_litmus()) {
    Bench bench;
    one.run(bench, true);
    EXPECT_TRUE(bench.silent()) << one.name << "\n" << bench.text();
  }
}

TEST(RaceLitmus, programs_without_the_edge_are_found_and_the_row_is_named) {
  for (const Litmus& one : all_litmus()) {
    Bench bench;
    one.run(bench, false);
    EXPECT_NE(bench.count(one.kind), 0u) << one.name << "\n" << bench.text();
    if (one.names_the_edge) {
      EXPECT_EQ(bench.row(), static_cast<unsigned>(one.edge)) << one.name << "\n" << bench.text();
    }
  }
}

TEST(RaceLitmus, every_row_has_a_pair_or_belongs_to_the_window_checker) {
  // Rows that are no pair of accesses: what they state is in the words of others, or is a rule of
  // the NoC (src/base/rules/noc.def), or has no order to test.
  const std::set<EdgeId> without = {
      EdgeId::GateOrder,        EdgeId::RawSetDvalid,     EdgeId::ConfigStarvation,
      EdgeId::InlineToL1,       EdgeId::MoveHoldsFpu,     EdgeId::SwapHoldsSfpu,
      EdgeId::CommandToCounter, EdgeId::DataThenRegister, EdgeId::OtherAccess};
  const std::set<EdgeId> windows = {
      EdgeId::ReplayGathering,    EdgeId::FpuToSfpLoad,  EdgeId::MoveToDst,
      EdgeId::MacroStoreToLoad,   EdgeId::MadToReader,   EdgeId::MacroSchedule,
      EdgeId::WrcfgToNext,        EdgeId::Setc16ToNext,  EdgeId::SetdmaregToWrcfg,
      EdgeId::CfgshiftmaskToNext, EdgeId::BackdoorSwitch};
  std::set<EdgeId> covered;
  for (const Litmus& one : all_litmus()) covered.insert(one.edge);
  for (const Edge& edge : all_edges()) {
    const auto id = static_cast<EdgeId>(edge.number);
    EXPECT_EQ(covered.contains(id) + without.contains(id) + windows.contains(id), 1u) << edge.name;
  }
}

struct ConditionCase {
  unsigned bit;
  u32 word;  // whose unit the condition drains
  Location where;
};

/// C0 to C4, C9, C11, C12: the condition's unit and no other.
std::vector<ConditionCase> drains() {
  return {{0, words::loadind, gpr(0, 4)}, {1, words::unpacr(0), dst(0)},
          {2, words::unpacr(1), dst(0)},  {3, words::pacr, l1(0x100)},
          {4, words::mvmul, src_a(0)},    {9, words::xmov, l1(0x100)},
          {11, words::sfpstore, dst(0)},  {12, words::streamwrcfg, field(3)}};
}

TEST(RaceLitmus, each_condition_of_stallwait_drains_its_unit_and_no_other) {
  for (const ConditionCase& one : drains()) {
    for (unsigned bit = 0; bit <= 12; ++bit) {
      Bench bench;
      bench.run(0, one.word, one.where, Mode::Write);
      bench.issue(0, words::stallwait(0x1FF, 1u << bit));
      bench.run(0, words::adddmareg, one.where, Mode::Write);  // at the gate itself
      EXPECT_EQ(bench.silent(), bit == one.bit) << one.bit << " by " << bit << bench.text();
    }
  }
}

TEST(RaceLitmus, conditions_see_their_own_thread_except_mover_and_configuration_unit) {
  for (const ConditionCase& one : drains()) {
    Bench bench;
    bench.run(0, one.word, one.where, Mode::Write);
    bench.issue(0, words::sempost(1));
    bench.issue(1, words::semwait(0x1FF, 1, 1));
    bench.issue(1, words::stallwait(0x1FF, 1u << one.bit));
    bench.run(1, words::adddmareg, one.where, Mode::Write);
    EXPECT_EQ(bench.silent(), one.bit == 9 || one.bit == 12) << one.bit << bench.text();
  }
}

TEST(RaceLitmus, each_block_of_stallwait_holds_the_instructions_that_the_document_lists) {
  struct Held {
    u32 word;
    u32 blocks;
  };
  const Held held[] = {
      {words::unpacr(), 0x009},  {words::pacr, 0x005},       {words::xmov, 0x011},
      {words::adddmareg, 0x021}, {words::mvmul, 0x040},      {words::wrcfg, 0x080},
      {words::sfpstore, 0x100},  {words::sempost(1), 0x002}, {words::stallwait(1, 1), 0x1FF}};
  for (const Held& one : held) {
    for (unsigned bit = 0; bit < 9; ++bit) {
      Bench bench;
      bench.run(0, words::loadind, gpr(0, 4), Mode::Write);
      bench.issue(0, words::stallwait(1u << bit, wait::kThcon));
      bench.run(0, one.word, gpr(0, 4), Mode::Read);
      EXPECT_EQ(bench.silent(), (one.blocks >> bit & 1) != 0)
          << tensix::info_of_word(one.word).name << " B" << bit;
    }
  }
}

TEST(RaceLitmus, a_condition_mask_of_0_is_the_low_four_bits_and_a_block_mask_of_0_the_matrix_unit) {
  for (const ConditionCase& one : drains()) {
    Bench bench;
    bench.run(0, one.word, one.where, Mode::Write);
    bench.issue(0, words::stallwait(0, 0));
    bench.run(0, words::mvmul, one.where, Mode::Write);
    const bool same_unit = one.bit == 4;  // the matrix unit is in order with itself
    EXPECT_EQ(bench.silent(), one.bit < 4 || same_unit) << one.bit << bench.text();
  }
}

/// Thread 0 fills both banks of a source; the matrix unit uses bank 0 for thread 2 and gives it
/// back, if asked to. Thread 1 hears of the unpacks at most, and then waits with one condition.
Bench with_banks(u8 src, bool given_back, bool unpacks_are_known) {
  Bench bench;
  for (const u8 bank : {u8{0}, u8{1}}) {
    const u32 op = bench.run(0, words::unpacr(src), src_bank(src, bank), Mode::Write);
    bench.detector.on(
        event::SrcGive{bench.thread_site(0, words::unpacr(src)), 0, op, src, bank, false});
  }
  if (unpacks_are_known) {
    bench.issue(0, words::stallwait(block::kSync, wait::kUnpack0 | wait::kUnpack1));
    bench.issue(0, words::sempost(1));
  }
  if (given_back) {
    const u32 op = bench.issue(2, words::mvmul);
    bench.detector.on(event::SrcTake{bench.thread_site(2, words::mvmul), 2, op, src, 0, true});
    bench.access(2, op, words::mvmul, src_bank(src, 0), Mode::Read);
    bench.detector.on(event::SrcGive{bench.thread_site(2, words::mvmul), 2, op, src, 0, true});
  }
  if (unpacks_are_known) bench.issue(1, words::semwait(0x1FF, 1, 1));
  return bench;
}

TEST(RaceLitmus, the_conditions_of_the_banks_acquire_what_the_giver_of_the_bank_knew) {
  for (const u8 src : {u8{0}, u8{1}}) {
    for (const bool given_back : {false, true}) {
      for (unsigned bit = 5; bit <= 8; ++bit) {
        Bench bench = with_banks(src, given_back, given_back);
        // Both unpacks have turned the unpacker's pointer, back to bank 0; the matrix unit's is at
        // the bank that it has not given back.
        const u8 matrix = given_back ? 1 : 0;
        bench.detector.on(event::SrcPointers{0, 0, matrix, matrix});
        bench.issue(1, words::stallwait(0x1FF, 1u << bit));
        bench.run(1, words::adddmareg, src_bank(src, 0), Mode::Write);
        EXPECT_EQ(bench.silent(), bit == (given_back ? 5u : 7u) + src) << bit << bench.text();
      }
    }
  }
}

TEST(RaceLitmus, a_bank_that_is_there_when_the_wait_is_latched_is_the_one_that_lifts_it) {
  Bench bench = with_banks(0, true, true);
  bench.detector.on(event::SrcPointers{0, 0, 1, 1});
  bench.issue(1, words::stallwait(0x1FF, wait::kSrcAClr));
  // Bank 0 is filled and given back once more before thread 1 goes on.
  const u32 unpack = bench.issue(0, words::unpacr());
  bench.detector.on(event::SrcGive{bench.thread_site(0, words::unpacr()), 0, unpack, 0, 0, false});
  const u32 op = bench.issue(2, words::mvmul);
  bench.detector.on(event::SrcTake{bench.thread_site(2, words::mvmul), 2, op, 0, 0, true});
  bench.access(2, op, words::mvmul, src_a(0), Mode::Read);
  bench.detector.on(event::SrcGive{bench.thread_site(2, words::mvmul), 2, op, 0, 0, true});
  bench.run(1, words::adddmareg, src_a(0), Mode::Write);
  EXPECT_FALSE(bench.silent());
}

TEST(RaceLitmus,
     an_unpack_that_may_not_have_turned_the_pointer_yet_leaves_open_which_bank_is_tested) {
  Bench bench = with_banks(0, true, false);
  bench.detector.on(event::SrcPointers{0, 0, 1, 1});
  bench.issue(1, words::stallwait(0x1FF, wait::kSrcAClr));
  bench.run(1, words::adddmareg, src_a(0), Mode::Write);
  EXPECT_FALSE(bench.silent());
}

TEST(RaceLitmus, a_semaphore_says_what_is_certain_and_not_what_others_have_done_by_now) {
  for (const bool known : {false, true}) {
    Bench bench;
    bench.issue(0, words::sempost(1));
    if (known) {  // that the first post is taken
      bench.issue(2, words::semwait(block::kSync, 1, 1));
      bench.issue(2, words::semget(1));
      bench.issue(2, words::sempost(2));
      bench.issue(1, words::semwait(0x1FF, 2, 1));
      bench.issue(1, words::nop);
    }
    bench.run(0, words::pacr, l1(0x1000), Mode::Write);
    bench.issue(0, words::stallwait(block::kSync, wait::kPack));
    bench.issue(0, words::sempost(1));
    if (!known) {  // it happens to be early
      bench.issue(2, words::semwait(block::kSync, 1, 1));
      bench.issue(2, words::semget(1));
    }
    bench.issue(1, words::semwait(0x1FF, 1, 1));
    bench.run(1, words::unpacr(), l1(0x1000), Mode::Read);
    EXPECT_EQ(bench.silent(), known) << bench.text();
  }
}

}  // namespace
}  // namespace bhemu::race::test
