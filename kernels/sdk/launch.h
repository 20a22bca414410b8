// Entry of a kernel and its arguments. A kernel file defines `static void KernelMain(void)` and
// ends with KERNEL(KernelMain).
#pragma once
#include "debug.h"
#include "l1_map.h"
#include "ldm.h"
#if !IS_TRISC
#include "noc.h"
#endif

// Runtime argument of this core, 32 bits, set per tile.
GUEST_INLINE u32 Arg(u32 index) { NOTE_ARGUMENT(2, index)
  return Read32(LDM32(LDM_RTA_L1_BASE) + 4 * index);
}

// Argument common to all tiles.
GUEST_INLINE u32 CommonArg(u32 index) { NOTE_ARGUMENT(3, index)
  return Read32(LDM32(LDM_CRTA_L1_BASE) + 4 * index);
}

// A launch message with the preload flag starts kernels early; they hold here for the go signal.
// NCRISC's NoC counters are its kernel's business, BRISC's are the firmware's.
GUEST_INLINE void BeginKernel(void) {
#if GUEST_CORE == CORE_NCRISC
  NocLocalStateInit(0);
  NocLocalStateInit(1);
#endif
  while (GoSignal() != GO_GO) InvalidateL1Cache();
}

// Firmware calls the first instruction of the image like a function that returns the stack left
// (0: not measured).
#define KERNEL(main_function)                                      \
  __attribute__((section(".text.start"), used)) u32 _start(void) { \
    BeginKernel();                                                 \
    main_function();                                               \
    return 0;                                                      \
  }
