// Sums of products of the vector unit one after the other, where what is known of registers is
// carried from step to step: against the scalar arithmetic, for every target that this host can
// run.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "numeric/sfpu_block.hpp"
#include "numeric/sfpu_float.hpp"
#include "support/rounds.hpp"

namespace bhemu::numeric {
namespace {

constexpr u32 kRegisters = 16;
constexpr u32 kWritable = 8;

class SfpuSums : public testing::TestWithParam<i64> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  u32 below(u32 limit) { return static_cast<u32>(random_() % limit); }

  /// Where a round's numbers lie: in the middle, or at the ends of what counts as a factor or term.
  enum class Range { Middle, Huge, Tiny };
  u32 exponent(Range range) {
    static constexpr u32 kTiny[] = {76, 77, 78, 1, 2, 27, 28, 50};
    if (range == Range::Middle) return 100 + below(50);
    if (range == Range::Tiny) return kTiny[below(std::size(kTiny))];
    return below(2) == 0 ? 189 + below(3) : 253 + below(2);
  }
  /// Numbers of few bits or many, and powers of two; `uniform`: the same in all lanes.
  void fill(Lanes& lanes, Range range, bool uniform) {
    const u32 kind = below(8);
    const u32 from = exponent(range);
    const u32 spread = below(3) == 0 && !uniform ? 12 : 1;
    const u32 odd_one = below(4) == 0 ? below(kLanes) : kLanes;
    for (u32 i = 0; i < kLanes; ++i) {
      const u32 field = std::min(from + below(spread), 255u) << 23;
      const u32 fraction = kind < 3    ? below(1u << 11) << 12
                           : kind == 3 ? 0
                           : kind == 4 ? below(1u << 7) << 16
                           : kind < 7  ? below(1u << 14) << 9
                                       : below(1u << 23);
      lanes[i] = below(2) << 31 | field | fraction;
      if (below(20) == 0) lanes[i] &= kFp32Sign;
      // One lane that is unlike the others.
      if (i == odd_one) lanes[i] = below(2) == 0 ? lanes[i] ^ 1u << below(32) : special();
      if (uniform) lanes[i] = lanes[0];
    }
  }
  u32 special() {
    static constexpr u32 kSpecial[] = {0,          1,          0x807FFFFF, 0x00800000, 0x7F800000,
                                       0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0xFF7FFFFF, 0x26800000,
                                       0x267FFFFF, 0x5F000000, 0x5EFFF000, 0x01000000, 0x00FFFFFF};
    return kSpecial[below(std::size(kSpecial))];
  }

  SfpuStep draw() {
    static constexpr SfpuStepKind kKinds[] = {
        SfpuStepKind::MulAdd, SfpuStepKind::MulAdd,       SfpuStepKind::MulAdd,
        SfpuStepKind::MulAdd, SfpuStepKind::MulImmediate, SfpuStepKind::MulAddImmediate,
        SfpuStepKind::Flip,   SfpuStepKind::Combine,      SfpuStepKind::Swap};
    SfpuStep step{};
    step.kind = kKinds[below(std::size(kKinds))];
    step.a = static_cast<u8>(below(kRegisters));
    step.b = static_cast<u8>(below(4) == 0 ? 10 : below(kRegisters));  // SFPADD: times one
    step.c = static_cast<u8>(below(4) == 0 ? 9 : below(kRegisters));   // SFPMUL: plus zero
    step.d = static_cast<u8>(below(kWritable));
    step.immediate = below(2) << 31 | (below(4) == 0 ? below(256) : 110 + below(30)) << 23 |
                     (below(2) == 0 ? 0 : below(128) << 16);
    switch (step.kind) {
      case SfpuStepKind::Flip:
        step.immediate = below(2) == 0 ? kFp32Sign : 1;
        break;
      case SfpuStepKind::Combine:
        step.keep = below(2) == 0 ? 0xFFFF0000 : 0xFFFFFFFF;
        step.immediate = below(2);
        break;
      case SfpuStepKind::Swap:
        step.immediate = kAllLanes;
        step.c = static_cast<u8>(below(kWritable));
        break;
      default:
        step.options = static_cast<u8>(below(3) == 0 ? below(4) : 0);
    }
    return step;
  }

  static void execute(const SfpuStep& step, std::array<Lanes, kRegisters>& lreg, u32 active) {
    for (u32 i = 0; i < kLanes; ++i) {
      if (((active >> i) & 1) == 0) continue;
      const u32 flip_x = (step.options & SfpuStep::kFlipX) != 0 ? kFp32Sign : 0;
      const u32 flip_z = (step.options & SfpuStep::kFlipZ) != 0 ? kFp32Sign : 0;
      const u32 a = lreg[step.a][i];
      const u32 b = lreg[step.b][i];
      const u32 c = lreg[step.c][i];
      u32& d = lreg[step.d][i];
      switch (step.kind) {
        case SfpuStepKind::MulAdd:
          d = sfpu_mul_add(a ^ flip_x, b, c ^ flip_z);
          break;
        case SfpuStepKind::MulAddImmediate:
          d = sfpu_mul_add(step.immediate, b, c ^ flip_z);
          break;
        case SfpuStepKind::MulImmediate:
          d = sfpu_mul_add(a ^ flip_x, step.immediate, c);
          break;
        case SfpuStepKind::Flip:
          d = c ^ step.immediate;
          break;
        case SfpuStepKind::Combine:
          d = (c & step.keep) | (b & step.take) | step.immediate;
          break;
        default:
          std::swap(d, lreg[step.c][i]);
      }
    }
  }

  std::mt19937_64 random_{test::seed(71)};
};

TEST_P(SfpuSums, give_in_any_order_what_the_scalar_ones_give) {
  const u64 rounds = test::rounds(4000);
  for (u64 round = 0; round < rounds; ++round) {
    alignas(64) std::array<Lanes, kRegisters> lreg;
    const Range range = static_cast<Range>(below(6) < 4 ? 0 : 1 + below(2));
    const bool uniform = below(3) == 0;
    for (Lanes& lanes : lreg) fill(lanes, range, uniform);
    for (u32 i = 0; i < kLanes; ++i) {
      lreg[9][i] = 0;
      lreg[10][i] = 0x3F800000;
    }
    std::array<Lanes, kRegisters> expected = lreg;
    const u32 active = below(3) == 0 ? static_cast<u32>(random_()) : kAllLanes;
    std::vector<SfpuStep> steps(1 + below(12));
    std::vector<const SfpuStep*> list;
    for (SfpuStep& step : steps) {
      step = draw();
      list.push_back(&step);
    }
    SfpuBlock block{lreg.data(), ~active, 0, kAllLanes};
    sfpu_run_block(block, list.data(), static_cast<u32>(list.size()));
    for (u32 k = 0; k < steps.size(); ++k) execute(steps[k], expected, active);
    for (u32 r = 0; r < kRegisters; ++r)
      for (u32 i = 0; i < kLanes; ++i)
        ASSERT_EQ(lreg[r][i], expected[r][i]) << "round " << round << ", register " << r
                                              << ", lane " << i << ", " << steps.size() << " steps";
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, SfpuSums, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& info) { return std::string(hwy::TargetName(info.param)); });

}  // namespace
}  // namespace bhemu::numeric
