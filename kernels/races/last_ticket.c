// Two cores count in a word under a ticket lock. Broken, NCRISC lets go before it counts in its
// last round, when BRISC has long been through: only another order of the tickets would show it
// (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"

enum { NEXT = 0, SERVING = 0x20, DATA = 0x40, ROUNDS = 3, LONG = 500 };

static void Count(void) {
  Write32(ScratchAddress(DATA), Read32(ScratchAddress(DATA)) + 1);
}

static void TakeTurns(void) {
  for (u32 i = 0; GUEST_CORE == CORE_NCRISC && i < LONG; ++i) __asm__ volatile("nop");
  for (u32 round = 0; round < ROUNDS; ++round) {
    const u32 early = !MENDED && GUEST_CORE == CORE_NCRISC && round == ROUNDS - 1;
    const u32 mine = AtomicAdd(ScratchAddress(NEXT), 1);
    while (Read32(ScratchAddress(SERVING)) != mine) Fence();
    if (!early) Count();
    Write32(ScratchAddress(SERVING), mine + 1);
    if (early) Count();
  }
  if (GUEST_CORE == CORE_NCRISC) Report(0x600D0059);
}
KERNEL(TakeTurns)
