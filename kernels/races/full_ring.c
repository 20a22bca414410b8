// A ring of four pages with plain words for its ends. Broken, NCRISC fills a fifth page
// (ORDERING.md, row 66).
#include "races.h"

enum { PAGES = 4, PAGE = 16, ROUNDS = 12, HEAD = 0, TAIL = 4, RING = 0x40 };

static void Ring(void) {
  u32 sum = 0;
  for (u32 i = 0; i < ROUNDS; ++i) {
    const u32 page = ScratchAddress(RING) + i % PAGES * PAGE;
    if (GUEST_CORE == CORE_NCRISC) {
      while (i - Read32(ScratchAddress(TAIL)) >= (MENDED ? PAGES : PAGES + 1)) Fence();
      Write32(page, i);
      Write32(ScratchAddress(HEAD), i + 1);
    } else {
      while (Read32(ScratchAddress(HEAD)) == i) Fence();
      sum += ReadBack(page);
      Write32(ScratchAddress(TAIL), i + 1);
    }
  }
  if (GUEST_CORE == CORE_BRISC) Report(0x600D0000 + sum);
}
KERNEL(Ring)
