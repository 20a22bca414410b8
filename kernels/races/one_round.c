// NCRISC counts its items in a halfword. Broken, BRISC waits for too few in one round of eight
// (ORDERING.md, row 66).
#include "races.h"

enum { ITEMS = 8, RACY = 5, PROGRESS = 2, DATA = 0x40 };

static void Items(void) {
  volatile u16* progress = (volatile u16*)ScratchAddress(PROGRESS);
  u32 sum = 0;
  for (u32 i = 0; i < ITEMS; ++i) {
    const u32 item = ScratchAddress(DATA) + 4 * i;
    if (GUEST_CORE == CORE_NCRISC) {
      Write32(item, 3 * i);
      *progress = i + 1;
    } else {
      const u32 needed = MENDED || i != RACY ? i + 1 : i;
      while (*progress < needed) Fence();
      sum += Read32(item);
    }
  }
  if (GUEST_CORE == CORE_BRISC) Report(0x600D0000 + sum);
}
KERNEL(Items)
