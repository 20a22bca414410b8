// BRISC waits for one page and reads two. NCRISC is always far ahead, so in no run does anything
// come out wrong (RACES.md, "What synchronises").
#include "races.h"
#include "cb.h"

enum { PAGES = 2, WORDS = 16 };

#if GUEST_CORE == CORE_NCRISC
static void Produce(void) {
  for (u32 page = 0; page < PAGES; ++page) {
    CbReserveBack(0, 1);
    for (u32 i = 0; i < WORDS; ++i) Write32(CbWritePointer(0) + 4 * i, page + 1);
    ReadBack(CbWritePointer(0) + 4 * (WORDS - 1));
    CbPushBack(0, 1);
  }
}
KERNEL(Produce)
#else
static void Consume(void) {
  for (u32 i = 0; i < 3000; ++i) __asm__ volatile("nop");
  CbWaitFront(0, MENDED ? 2 : 1);
  const u32 second = CbAdvance(LocalCb(0), CbReadPointer(0), 1);
  const u32 sum = ReadBack(CbReadPointer(0)) + ReadBack(second);
  CbPopFront(0, PAGES);
  Report(0x600D002B + sum);
}
KERNEL(Consume)
#endif
