// Two cores count in one word of L1 by load, add, store (RACES.md: a lost update).
#include "races.h"

enum { ROUNDS = 20 };

static void Count(void) {
  const u32 word = ScratchAddress(0x40 * (MENDED ? GUEST_CORE : 0));
  for (u32 i = 0; i < ROUNDS; ++i) Write32(word, Read32(word) + 1);
  if (GUEST_CORE == CORE_BRISC) Report(0x600D002F);
}
KERNEL(Count)
