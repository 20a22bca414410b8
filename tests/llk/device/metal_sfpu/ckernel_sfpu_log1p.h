// This kernel is tt-metal's. Without it the test's other operations compile; run_llk.py skips this.
#pragma once

namespace ckernel::sfpu {

template <bool approximate, bool fast, bool fp32>
inline void log1p_init() {}

template <bool approximate, bool fast, bool fp32, int iterations>
inline void calculate_log1p() {
  asm volatile("ebreak");
}

}  // namespace ckernel::sfpu
