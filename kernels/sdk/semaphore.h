// Semaphores in L1 that tiles use between each other: one word each, 16 bytes apart.
#pragma once
#include "guest_types.h"
#include "ldm.h"

enum { SEMAPHORE_STRIDE = 16 };

GUEST_INLINE u32 SemaphoreAddress(u32 index) {
  return LDM32(LDM_SEM_L1_BASE) + index * SEMAPHORE_STRIDE;
}

GUEST_INLINE void SemaphoreSet(u32 index, u32 value) {
  Write32(SemaphoreAddress(index), value);
}

// Waits until the semaphore has at least a value.
GUEST_INLINE void SemaphoreWaitMin(u32 index, u32 value) {
  while (Read32(SemaphoreAddress(index)) < value) InvalidateL1Cache();
}
