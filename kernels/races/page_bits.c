// A bit of a word for each page. BRISC looks once and takes the bits that it has seen one after the
// other; the number of a bit says which page it reads. Broken, it reads the page behind
// (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"

enum { PAGES = 5, READY = 0, DATA = 0x40, WAIT = 5000 };

#if GUEST_CORE == CORE_NCRISC
static void Produce(void) {
  for (u32 i = 0; i < PAGES; ++i) {
    const u32 page = ScratchAddress(DATA) + 4 * i;
    Write32(page, i);
    ReadBack(page);
    AtomicOr(ScratchAddress(READY), 1u << i);
  }
}
KERNEL(Produce)
#else
static void Consume(void) {
  for (u32 i = 0; i < WAIT; ++i) __asm__ volatile("nop");
  u32 left = (1u << PAGES) - 1;
  u32 sum = 0;
  while (left != 0) {
    u32 ready = Read32(ScratchAddress(READY)) & left;
    Fence();
    for (; ready != 0; ready &= ready - 1) {
      const u32 page = (u32)__builtin_ctz(ready);
      const u32 ahead = !MENDED && page + 1 != PAGES;
      left &= ~(1u << page);
      sum += Read32(ScratchAddress(DATA) + 4 * (page + ahead));
    }
  }
  Report(0x600D0000 + sum);
}
KERNEL(Consume)
#endif
