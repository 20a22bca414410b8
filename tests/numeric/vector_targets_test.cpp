// Which vectors are found, against what the compiler's runtime says of this processor.
#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdlib>
#include <iterator>

#include "base/types.hpp"

namespace bhemu::numeric {
namespace {

#if HWY_ARCH_X86_64

bool has(i64 target) {
  return (hwy::SupportedTargets() & target) != 0;
}

/// The programs of tests can be told to use one kind of vectors alone (BHEMU_SIMD); then nothing is
/// found out.
class VectorTargets : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("BHEMU_SIMD") != nullptr) GTEST_SKIP() << "BHEMU_SIMD names the vectors";
  }
};

TEST_F(VectorTargets, are_those_that_the_compiler_finds) {
  __builtin_cpu_init();
  const bool ssse3 = __builtin_cpu_supports("ssse3") != 0;
  const bool sse4 = ssse3 && __builtin_cpu_supports("sse4.2") != 0 &&
                    __builtin_cpu_supports("aes") != 0 && __builtin_cpu_supports("pclmul") != 0;
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") != 0 &&
                    __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
  const bool avx3 =
      avx2 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0;
  EXPECT_EQ(has(HWY_SSSE3), ssse3);
  EXPECT_EQ(has(HWY_SSE4), sse4);
  EXPECT_EQ(has(HWY_AVX2), avx2);
  EXPECT_EQ(has(HWY_AVX3), avx3);
}

TEST_F(VectorTargets, need_those_below_them) {
  constexpr i64 kUpwards[] = {HWY_SSSE3, HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_AVX3_DL};
  for (std::size_t i = 1; i < std::size(kUpwards); ++i)
    EXPECT_TRUE(!has(kUpwards[i]) || has(kUpwards[i - 1])) << i;
}

TEST_F(VectorTargets, can_be_replaced_and_disabled) {
  const i64 before = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(HWY_SSE4);
  EXPECT_EQ(hwy::SupportedTargets(), i64{HWY_SSE4});
  EXPECT_FALSE(hwy::GetChosenTarget().IsInitialized());
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_EQ(hwy::SupportedTargets(), before);
  hwy::DisableTargets(before);
  EXPECT_EQ(hwy::SupportedTargets(), i64{HWY_STATIC_TARGET});
  hwy::DisableTargets(0);
  EXPECT_EQ(hwy::SupportedTargets(), before);
}

#endif

}  // namespace
}  // namespace bhemu::numeric
