// A count of 16 bits that wraps. What the word held before its start value would end the first wait
// as well; that the start value is there BRISC knows by another word. Broken, it reads the page
// behind the one that it has waited for (ORDERING.md, row 66).
#include "races.h"

enum { PAGES = 8, COUNT = 0, READY = 0x20, DATA = 0x40, START = 0xFFFC, WAIT = 6000 };

#if GUEST_CORE == CORE_NCRISC
static void Produce(void) {
  Write32(ScratchAddress(COUNT), START);
  ReadBack(ScratchAddress(COUNT));
  Write32(ScratchAddress(READY), 1);
  for (u32 i = 0; i < PAGES; ++i) {
    const u32 page = ScratchAddress(DATA) + 4 * i;
    Write32(page, i);
    ReadBack(page);
    Write32(ScratchAddress(COUNT), (START + i + 1) & 0xFFFF);
  }
}
KERNEL(Produce)
#else
static void Consume(void) {
  while (Read32(ScratchAddress(READY)) == 0) Fence();
  for (u32 i = 0; i < WAIT; ++i) __asm__ volatile("nop");
  u32 sum = 0;
  for (u32 i = 0; i < PAGES; ++i) {
    while ((unsigned short)(Read32(ScratchAddress(COUNT)) - (START + i)) == 0) Fence();
    const u32 ahead = !MENDED && i + 1 != PAGES;
    sum += Read32(ScratchAddress(DATA) + 4 * (i + ahead));
  }
  Report(0x600D0000 + sum);
}
KERNEL(Consume)
#endif
