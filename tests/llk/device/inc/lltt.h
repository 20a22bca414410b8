// Recording and replaying, under the names that LLK's kernels use.
#pragma once

#include <cstdint>

#include "ckernel_ops.h"

extern volatile std::uint32_t __instrn_buffer[];

namespace lltt {

enum ExecBool : bool { NoExec, Exec };

template <ExecBool execute = NoExec>
__attribute__((always_inline)) inline void record(std::uint32_t start, std::uint32_t length) {
  __instrn_buffer[0] = TT_OP_REPLAY(start, length, std::uint32_t(execute), 1u);
}

__attribute__((always_inline)) inline void replay(std::uint32_t start, std::uint32_t length) {
  __instrn_buffer[0] = TT_OP_REPLAY(start, length, 0u, 0u);
}

constexpr std::uint32_t replay_insn(std::uint32_t start, std::uint32_t length) {
  return TT_OP_REPLAY(start, length, 0u, 0u);
}

}  // namespace lltt
