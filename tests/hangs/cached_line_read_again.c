// BRISC reads a word again after NCRISC has changed it, without a fence in between, with its L0
// data cache on (firmware turns it off: bit 3 of cfg0).
#include "cb.h"
#include "launch.h"

enum { WORD = 0x100000 };

#if GUEST_CORE == CORE_NCRISC
static void Change(void) {
  CbWaitFront(0, 1);
  Write32(WORD, 2);
  CbPopFront(0, 1);
}
KERNEL(Change)
#else
static void ReadTwice(void) {
  __asm__ volatile("csrc 0x7C0, %0" ::"r"(8) : "memory");
  Write32(WORD, 1);
  u32 sum = Read32(WORD);
  CbPushBack(0, 1);
  while (CbPagesFilled(0) != 0) {
  }
#ifdef MENDED
  InvalidateL1Cache();
#endif
  sum += Read32(WORD);  // HERE
  __asm__ volatile("csrs 0x7C0, %0" ::"r"(8) : "memory");
  Write32(WORD + 64, sum);
}
KERNEL(ReadTwice)
#endif
