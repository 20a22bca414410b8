// The newer tanh lives in another repository: here it is LLK's own, by lookup table.
#pragma once

namespace ckernel::sfpu {

template <bool approximate, bool fp32>
inline void tanh_init() {
  _init_tanh_<approximate>();
}

template <bool approximate, bool fp32, int iterations>
inline void calculate_tanh() {
  _calculate_tanh_<approximate, iterations>(iterations);
}

}  // namespace ckernel::sfpu
