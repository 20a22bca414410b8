// Random programs of the instructions on lane flags and their stack, against a model of one lane
// (SFPENCC.md, SFPSETCC.md, SFPPUSHC.md, SFPPOPC.md, SFPCOMPC.md, SFPGT.md, SFPLE.md).
#include <gtest/gtest.h>

#include <random>

#include "sfpu_lane_model.hpp"
#include "support/rounds.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

using test::LaneModel;
using test::LaneState;

struct Flags {
  bool flag = false;
  bool use = false;
  friend bool operator==(const Flags&, const Flags&) = default;
};

/// A lane with its stack. Instructions that only enabled lanes execute are those of LaneModel.
class ConditionModel {
 public:
  LaneState lane;
  std::vector<Flags> stack;

  void execute(u32 word) {
    const u32 m = word % 16;
    const u32 immediate = word >> 12 & 0xFFF;
    Flags now{lane.flag, lane.use_flag};
    switch (word >> 24) {
      case op::SFPENCC::kOpcode:
        if (m & 2)
          now.use = immediate & 1;
        else if (m & 1)
          now.use = !now.use;
        now.flag = (m & 8) == 0 || (immediate & 2) != 0;
        break;
      case op::SFPPUSHC::kOpcode:
        push(m, now);
        break;
      case op::SFPPOPC::kOpcode:
        pop(m, now);
        break;
      case op::SFPCOMPC::kOpcode: {
        const Flags top = stack.empty() ? Flags{true, true} : stack.back();
        now.flag = top.use && now.use && top.flag && !now.flag;
        break;
      }
      default:
        compare_with_stack(word, m);
        execute_if_enabled(word, now);
        return;
    }
    lane.flag = now.flag;
    lane.use_flag = now.use;
  }

 private:
  static bool combined(u32 m, bool a, bool b) {
    switch (m) {
      case 1:
        return b;
      case 2:
        return !b;
      case 3:
        return a && b;
      case 4:
        return a || b;
      case 5:
        return a && !b;
      case 6:
        return a || !b;
      case 7:
        return !a && b;
      case 8:
        return !a || b;
      case 9:
        return !a && !b;
      case 10:
        return !a || !b;
      case 11:
        return a != b;
      default:
        return a == b;
    }
  }
  void push(u32 m, Flags& now) {
    if (m == 0) return stack.push_back(now);
    Flags& top = stack.back();
    if (m <= 12) {
      top = {combined(m, top.flag, now.flag), now.use};
    } else if (m == 13) {
      now.flag = !now.flag;
      top = now;
    } else {
      top = {m == 14, true};
    }
  }
  void pop(u32 m, Flags& now) {
    const Flags top = stack.empty() ? Flags{} : stack.back();
    if (m == 0) {
      now = top;
      stack.pop_back();
    } else if (m <= 12) {
      now = {combined(m, now.flag, top.flag), top.use};
    } else if (m == 13) {
      now.flag = !now.flag;
    } else {
      now = {m == 14, true};
    }
  }
  /// SFPGT and SFPLE change the top of the stack in every lane.
  void compare_with_stack(u32 word, u32 m) {
    const u32 opcode = word >> 24;
    const bool greater = opcode == op::SFPGT::kOpcode;
    if ((!greater && opcode != op::SFPLE::kOpcode) || (m & 2) == 0 || stack.empty()) return;
    const auto key = [](u32 v) { return (v >> 31) == 0 ? i64{v} : -1 - i64{v & 0x7FFFFFFF}; };
    const i64 d = key(lane.reg[word >> 4 & 15]), c = key(lane.reg[word >> 8 & 15]);
    const bool holds = greater ? d > c : d <= c;
    stack.back().flag = (m & 4) != 0 ? stack.back().flag || holds : stack.back().flag && holds;
  }
  void execute_if_enabled(u32 word, const Flags& now) {
    if (now.use && !now.flag) return;
    LaneModel model(lane);
    ASSERT_TRUE(model.execute(word));
    lane = model.state();
  }
};

class RandomConditions {
 public:
  explicit RandomConditions(u64 seed) : random_(seed) {
    for (u32 r = 0; r < 8; ++r)
      for (u32& value : bench_.sfpu().lreg[r].lane) value = any() % 3 == 0 ? any() : any() % 5 - 2;
    bench_.sfpu().condition = {any(), any()};
    for (u32 lane = 0; lane < kLanes; ++lane) {
      for (u32 r = 0; r < 16; ++r) models_[lane].lane.reg[r] = bench_.sfpu().lreg[r][lane];
      models_[lane].lane.use_flag = bit(bench_.sfpu().condition.use_lane_flags, lane);
      models_[lane].lane.flag = bit(bench_.sfpu().condition.lane_flags, lane);
    }
  }

  void run(u32 instructions) {
    for (u32 i = 0; i < instructions && !testing::Test::HasFailure(); ++i) {
      const u32 word = next_word();
      bench_.run(word);
      for (ConditionModel& model : models_) model.execute(word);
      compare(word);
    }
    EXPECT_TRUE(bench_.faults().faults().empty());
  }

 private:
  u32 any() { return static_cast<u32>(random_()); }

  /// Only what is defined: no ninth push, no pop or change of an empty stack.
  u32 next_word() {
    constexpr u8 kOpcodes[] = {op::SFPENCC::kOpcode,  op::SFPPUSHC::kOpcode, op::SFPPUSHC::kOpcode,
                               op::SFPPOPC::kOpcode,  op::SFPPOPC::kOpcode,  op::SFPCOMPC::kOpcode,
                               op::SFPSETCC::kOpcode, op::SFPSETCC::kOpcode, op::SFPGT::kOpcode,
                               op::SFPLE::kOpcode,    op::SFPIADD::kOpcode,  op::SFPLZ::kOpcode,
                               op::SFPEXEXP::kOpcode};
    const std::size_t depth = models_[0].stack.size();
    while (true) {
      const u8 opcode = kOpcodes[any() % std::size(kOpcodes)];
      const u32 mode = any() % 3 == 0 ? 0 : any() % 16;
      if (opcode == op::SFPPUSHC::kOpcode && (mode == 0 ? depth == 8 : depth == 0)) continue;
      if (opcode == op::SFPPOPC::kOpcode && mode == 0 && depth == 0) continue;
      return u32{opcode} << 24 | (any() % 4096) << 12 | (any() % 8) << 8 | (any() % 8) << 4 | mode;
    }
  }

  void compare(u32 word) {
    const SfpuState& sfpu = bench_.sfpu();
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const ConditionModel& model = models_[lane];
      ASSERT_EQ(sfpu.stack_size, model.stack.size());
      ASSERT_EQ(bit(sfpu.condition.lane_flags, lane), model.lane.flag)
          << std::hex << word << " lane " << lane;
      ASSERT_EQ(bit(sfpu.condition.use_lane_flags, lane), model.lane.use_flag)
          << std::hex << word << " lane " << lane;
      for (u32 i = 0; i < sfpu.stack_size; ++i) {
        const Flags entry{bit(sfpu.stack[i].lane_flags, lane),
                          bit(sfpu.stack[i].use_lane_flags, lane)};
        ASSERT_EQ(entry, model.stack[i]) << std::hex << word << " lane " << lane << " entry " << i;
      }
      for (u32 r = 0; r < 8; ++r)
        ASSERT_EQ(sfpu.lreg[r][lane], model.lane.reg[r]) << std::hex << word << " lane " << lane;
    }
  }

  std::mt19937_64 random_;
  UnitBench bench_;
  std::array<ConditionModel, kLanes> models_;
};

TEST(SfpuConditionModel, random_programs_on_flags_and_stack_do_what_the_model_of_a_lane_does) {
  const u64 programs = 1 + bhemu::test::rounds(64'000) / 320;
  for (u64 i = 0; i < programs && !HasFailure(); ++i)
    RandomConditions(bhemu::test::seed(81) + i).run(200);
}

}  // namespace
}  // namespace bhemu::tensix
