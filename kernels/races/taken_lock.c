// Two cores count in one word. Mended, both take a lock first, by an atomic swap, and let it go by
// a store; broken, NCRISC does without (ORDERING.md, rows 5 and 66).
#include "races.h"

enum { ROUNDS = 5 };

static u32 Swap(u32 address, u32 value) {
  // amoswap.w a0, a1, (a0)
  register u32 a0 __asm__("a0") = address;
  register u32 a1 __asm__("a1") = value;
  __asm__ volatile(".word 0x08B5252F" : "+r"(a0) : "r"(a1) : "memory");
  return a0;
}

static void Count(void) {
  const u32 lock = ScratchAddress(0);
  const u32 counter = ScratchAddress(0x40);
  for (u32 i = 0; i < ROUNDS; ++i) {
    if (MENDED || GUEST_CORE == CORE_BRISC) {
      while (Swap(lock, 1) != 0) {
      }
    }
    Write32(counter, Read32(counter) + 1);
    if (MENDED || GUEST_CORE == CORE_BRISC) Write32(lock, 0);
  }
  if (GUEST_CORE == CORE_BRISC) Report(0x600D003E);
}
KERNEL(Count)
