// NCRISC counts pages in a word. BRISC keeps what it has seen of the count, and what it has taken,
// in fields of 16 and 8 bits of its local memory, and decides page by page from these. Broken, it
// reads the page behind the one that it has seen; NCRISC is always far ahead (ORDERING.md, row 66).
#include "races.h"

enum { PAGES = 6, COUNT = 0, DATA = 0x40, WAIT = 5000 };

#if GUEST_CORE == CORE_NCRISC
static void Produce(void) {
  for (u32 i = 0; i < PAGES; ++i) {
    const u32 page = ScratchAddress(DATA) + 4 * i;
    Write32(page, i);
    ReadBack(page);
    Write32(ScratchAddress(COUNT), i + 1);
  }
}
KERNEL(Produce)
#else
typedef struct {
  unsigned short seen;
  unsigned char taken;
} Reader;

static void Consume(void) {
  for (u32 i = 0; i < WAIT; ++i) __asm__ volatile("nop");
  volatile Reader reader = {0, 0};
  u32 sum = 0;
  while (reader.taken != PAGES) {
    if (reader.taken == reader.seen) {
      reader.seen = (unsigned short)Read32(ScratchAddress(COUNT));
      Fence();
      continue;
    }
    const u32 ahead = !MENDED && reader.taken + 1 != PAGES;
    sum += Read32(ScratchAddress(DATA) + 4 * (reader.taken + ahead));
    ++reader.taken;
  }
  Report(0x600D0000 + sum);
}
KERNEL(Consume)
#endif
