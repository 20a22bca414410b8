// Names that another repository gives to LLK's own sorting steps, for the test of them.
#pragma once

#include "ckernel_sfpu_topk.h"
#include "llk_math_eltwise_unary_sfpu_params.h"

namespace ckernel::sfpu {

template <bool approximate, bool fp32, bool stable>
inline void calculate_bitonic_topk_phases_steps(int direction, int end_phase, int start_phase,
                                                int end_step, int start_step) {
  _bitonic_topk_phases_steps<approximate, fp32, stable>(direction, end_phase, start_phase,
                                                        end_step, start_step);
}

template <bool approximate, bool fp32, bool smallest, bool stable>
inline void calculate_bitonic_topk_merge(int iteration, int k) {
  _bitonic_topk_merge<approximate, fp32, smallest, stable>(iteration, k);
}

template <bool approximate, bool fp32, bool stable>
inline void calculate_bitonic_topk_rebuild(int direction, int iteration, int k, int log_k,
                                           int skip_second) {
  _bitonic_topk_rebuild<approximate, fp32, stable>(direction, iteration, k, log_k, skip_second);
}

}  // namespace ckernel::sfpu
