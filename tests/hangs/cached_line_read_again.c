// BRISC reads a word again after NCRISC has changed it, without a fence in between.
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
  Write32(WORD, 1);
  u32 sum = Read32(WORD);
  CbPushBack(0, 1);
  while (CbPagesFilled(0) != 0) {
  }
#ifdef MENDED
  InvalidateL1Cache();
#endif
  sum += Read32(WORD);  // HERE
  Write32(WORD + 64, sum);
}
KERNEL(ReadTwice)
#endif
