// Two cores count in one word under a ticket lock: an atomic draws the number, a plain word says
// whose turn it is. Broken, TRISC0 lets go before it stores (ORDERING.md, row 66).
#include "races.h"

static u32 Add(u32 address, u32 v) {
  register u32 a0 __asm__("a0") = address;
  register u32 a1 __asm__("a1") = v;
  __asm__ volatile(".word 0x00B5252F" : "+r"(a0) : "r"(a1) : "memory");
  return a0;
}

static void TicketLock(void) {
  const u32 next = ScratchAddress(0), serving = ScratchAddress(0x40), data = ScratchAddress(0x80);
  for (u32 i = 0; i < 4; ++i) {
    const u32 mine = Add(next, 1);
    while (Read32(serving) != mine) Fence();
    const u32 v = Read32(data);
    if (MENDED || GUEST_CORE != CORE_TRISC0) Write32(data, v + 1);
    Write32(serving, mine + 1);
    if (!MENDED && GUEST_CORE == CORE_TRISC0) Write32(data, v + 1);
  }
  if (GUEST_CORE == CORE_BRISC) Report(0x600D0044);
}
KERNEL(TicketLock)
