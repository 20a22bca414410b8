// BRISC polls a word of L1 with its L0 cache on; NCRISC sets the word. Without a fence in the loop
// the poll can be served by the line that it loaded first (tenstorrent/tt-metal #22058, #50310,
// #51030; ORDERING.md, row 6).
#include "races.h"

enum { CFG0_DIS_LOW_CACHE = 8 };

#if GUEST_CORE == CORE_BRISC
static void Poll(void) {
  __asm__ volatile("csrc 0x7C0, %0\n\tfence" ::"r"(CFG0_DIS_LOW_CACHE) : "memory");
  while (Read32(ScratchAddress(0)) == 0) {
    if (MENDED) Fence();
  }
  __asm__ volatile("csrs 0x7C0, %0" ::"r"(CFG0_DIS_LOW_CACHE) : "memory");
  Report(0x600D000C);
}
KERNEL(Poll)
#else
static void Set(void) {
  for (u32 i = 0; i < 200; ++i) __asm__ volatile("nop");
  Write32(ScratchAddress(0), 1);
}
KERNEL(Set)
#endif
