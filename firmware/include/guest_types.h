// Integer types and attributes shared by firmware and kernels.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef signed int i32;

#define GUEST_INLINE static inline __attribute__((always_inline))

// The five RISC-V cores of a tile, in the order of the launch message's per-processor arrays.
#define CORE_BRISC 0
#define CORE_NCRISC 1
#define CORE_TRISC0 2
#define CORE_TRISC1 3
#define CORE_TRISC2 4

// GUEST_CORE is set by the build to one of the above.
#ifndef GUEST_CORE
#error "GUEST_CORE is not set"
#endif
#define IS_TRISC (GUEST_CORE >= CORE_TRISC0)

// Memory by address. Macros, so that a hang is reported at the line that polls, not at this one.
#define Read32(address) (*(volatile u32*)(address))
#define Write32(address, value) (*(volatile u32*)(address) = (value))

// Orders this core's own memory accesses: what it stored before is in memory after.
GUEST_INLINE void Fence(void) {
  __asm__ volatile("fence" ::: "memory");
}

// The L1 data cache of a core is not coherent; a fence drops it.
GUEST_INLINE void InvalidateL1Cache(void) {
  Fence();
}
