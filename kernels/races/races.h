// What the programs of the gallery share. Each is built twice: with MENDED 0 it lacks one thing
// that puts two accesses in order (docs/ORDERING.md), with MENDED 1 it has it. When done, a program
// leaves a word for the host.
#pragma once
#include "launch.h"
#include "mmio.h"

#ifndef MENDED
#error "MENDED is not set"
#endif

// The first argument is where the word goes; programs use the L1 behind it.
GUEST_INLINE u32 ResultAddress(void) {
  return Arg(0);
}
GUEST_INLINE u32 ScratchAddress(u32 offset) {
  return ResultAddress() + 0x100 + offset;
}
GUEST_INLINE void Report(u32 value) {
  Write32(ResultAddress(), value);
}
