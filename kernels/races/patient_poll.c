// NCRISC fills a block and sets a flag; BRISC looks at the flag every microsecond, as firmware does
// that leaves the bus to others. Broken, the flag is set before the block is there (ORDERING.md,
// row 66).
#include "races.h"

enum { WORDS = 8, FLAG = 0, BLOCK = 0x40, PAUSE = 1350 };

#if GUEST_CORE == CORE_BRISC
static void Pause(void) {
  const u32 begun = Read32(0xFFB121F0);
  while (Read32(0xFFB121F0) - begun < PAUSE) {
  }
}
static void Gather(void) {
  while (Read32(ScratchAddress(FLAG)) != 1) Pause();
  u32 sum = 0;
  for (u32 word = 0; word < WORDS; ++word) sum += Read32(ScratchAddress(BLOCK + 4 * word));
  Report(0x600D0000 + sum);
}
KERNEL(Gather)
#else
static void Fill(void) {
  if (!MENDED) Write32(ScratchAddress(FLAG), 1);
  for (u32 word = 0; word < WORDS; ++word) Write32(ScratchAddress(BLOCK + 4 * word), word);
  if (MENDED) Write32(ScratchAddress(FLAG), 1);
}
KERNEL(Fill)
#endif
