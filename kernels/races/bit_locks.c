// Three cores count in two words, under two locks that are bits of one word. Broken, NCRISC once
// counts in the second word under the lock of the first (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"

enum { LOCKS = 0, FIRST = 3, SECOND = 5, DATA = 0x40, OTHER = 0x80, ROUNDS = 4 };

static __attribute__((noinline)) void Take(u32 bit) {
  while ((AtomicOr(ScratchAddress(LOCKS), 1u << bit) >> bit & 1) != 0) {
  }
}
static __attribute__((noinline)) void LetGo(u32 bit) {
  AtomicAnd(ScratchAddress(LOCKS), ~(1u << bit));
}
static void Increase(u32 address) {
  Write32(address, Read32(address) + 1);
}

static void Count(void) {
  for (u32 round = 0; round < ROUNDS; ++round) {
    Take(FIRST);
    Increase(ScratchAddress(DATA));
    if (!MENDED && GUEST_CORE == CORE_NCRISC && round == 2) Increase(ScratchAddress(OTHER));
    LetGo(FIRST);
    Take(SECOND);
    Increase(ScratchAddress(OTHER));
    LetGo(SECOND);
  }
  Report(0x600D005D);
}
KERNEL(Count)
