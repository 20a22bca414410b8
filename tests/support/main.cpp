// main() of the test programs whose subjects use Highway: BHEMU_SIMD names the only kind of vectors
// that they may use (SCALAR, SSE2, SSSE3, SSE4, AVX2, AVX3 ...). Exit status 77: this processor, or
// this build, has no such vectors.
#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

#include "base/types.hpp"

namespace {

/// The bit of the target with this name among those that could be used; 0: none.
bhemu::i64 target_named(const char* name) {
  for (bhemu::i64 left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    const bhemu::i64 target = left & -left;
    if (std::strcmp(hwy::TargetName(target), name) == 0) return target;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (const char* name = std::getenv("BHEMU_SIMD"); name != nullptr) {
    const bhemu::i64 target = target_named(name);
    if (target == 0) {
      std::cout << "this processor or this build has no vectors of the kind " << name << '\n';
      return 77;
    }
    hwy::DisableTargets(~target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  return RUN_ALL_TESTS();
}
