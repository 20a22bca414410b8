// A flag is polled without volatile: the compiler reads it once.
#include "launch.h"

enum { FLAG = 0x90000 };

#ifdef MENDED
typedef volatile u32 flag;
#else
typedef u32 flag;
#endif

#if GUEST_CORE == CORE_BRISC
static void Wait(void) {
  const flag* ready = (const flag*)FLAG;
  while (*ready == 0) {  // HERE
  }
}
KERNEL(Wait)
#else
static void Give(void) {
  for (u32 pause = 0; pause < 200; ++pause) __asm__ volatile("");
  Write32(FLAG, 1);
}
KERNEL(Give)
#endif
