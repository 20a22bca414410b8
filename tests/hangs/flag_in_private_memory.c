// BRISC polls a flag in its local memory that NCRISC sets in its own.
#include "launch.h"
#include "metal_names.h"
#ifdef MENDED
#define READY 0x40000
#else
#define READY 0xFFB01200
#endif

#if GUEST_CORE == CORE_NCRISC
static void kernel_main(void) {
  for (u32 i = 0; i < 16; ++i) Write32(0x41000 + 4 * i, i);
  Write32(READY, 1);
}
KERNEL(kernel_main)
#else
static void wait_until_ready(void) {
  while (Read32(READY) != 1) InvalidateL1Cache();  // HERE
}
static void kernel_main(void) {
#ifndef MENDED
  Write32(READY, 0);
#endif
  wait_until_ready();
}
KERNEL(kernel_main)
#endif
