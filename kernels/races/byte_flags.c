// BRISC and NCRISC each fill a block and set their byte of one word. Broken, TRISC0 waits for one
// byte and reads both blocks (ORDERING.md, row 66).
#include "races.h"

enum { WORDS = 8, BLOCK = 0x40 };

#if GUEST_CORE == CORE_TRISC0
static void Gather(void) {
  if (MENDED) {
    while (*(volatile u16*)ScratchAddress(0) != 0x0101) Fence();
  } else {
    while (*(volatile u8*)ScratchAddress(0) != 1) Fence();
  }
  u32 sum = 0;
  for (u32 i = 0; i < 2 * BLOCK; i += BLOCK)
    for (u32 word = 0; word < WORDS; ++word) sum += Read32(ScratchAddress(BLOCK + i + 4 * word));
  Report(0x600D0000 + sum);
}
KERNEL(Gather)
#else
static void Fill(void) {
  const u32 block = ScratchAddress(BLOCK * (1 + GUEST_CORE));
  for (u32 word = 0; word < WORDS; ++word) Write32(block + 4 * word, word);
  *(volatile u8*)ScratchAddress(GUEST_CORE) = 1;
}
KERNEL(Fill)
#endif
