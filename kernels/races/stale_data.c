// BRISC has its L0 cache on and has loaded a word before TRISC0 stores to it. The mailbox orders
// the two, and the load behind it can still be answered by the cache (ORDERING.md, row 6).
#include "races.h"

enum { MAILBOX_BASE = 0xFFEC0000, MAILBOX_STRIDE = 0x1000, CFG0_DIS_LOW_CACHE = 8 };

static void StaleData(void) {
  const u32 data = ScratchAddress(0x40);
#if GUEST_CORE == CORE_BRISC
  __asm__ volatile("csrc 0x7C0, %0\n\tfence" ::"r"(CFG0_DIS_LOW_CACHE) : "memory");
  ReadBack(data);
  Write32(ScratchAddress(0x80), 1);
  ReadBack(MAILBOX_BASE + MAILBOX_STRIDE);  // from TRISC0
  if (MENDED) Fence();
  const u32 v = ReadBack(data);
  __asm__ volatile("csrs 0x7C0, %0" ::"r"(CFG0_DIS_LOW_CACHE) : "memory");
  Report(0x600D0053 + 0 * v);
#else
  while (Read32(ScratchAddress(0x80)) == 0) Fence();
  Write32(data, 7);
  ReadBack(data);
  Write32(MAILBOX_BASE, 1);
#endif
}
KERNEL(StaleData)
