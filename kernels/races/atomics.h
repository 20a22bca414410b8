// Atomics of cores on words of L1; each returns what the word held before.
#pragma once
#include "guest_types.h"

#define CORE_ATOMIC(name, word)                                       \
  GUEST_INLINE u32 name(u32 address, u32 value) {                     \
    register u32 a0 __asm__("a0") = address;                          \
    register u32 a1 __asm__("a1") = value;                            \
    __asm__ volatile(".word " #word : "+r"(a0) : "r"(a1) : "memory"); \
    return a0;                                                        \
  }
CORE_ATOMIC(AtomicAdd, 0x00B5252F)   // amoadd.w a0, a1, (a0)
CORE_ATOMIC(AtomicSwap, 0x08B5252F)  // amoswap.w
CORE_ATOMIC(AtomicOr, 0x40B5252F)    // amoor.w
CORE_ATOMIC(AtomicAnd, 0x60B5252F)   // amoand.w
