// A table on the stack is larger than local memory: firmware's variables are written over.
#include "launch.h"
#include "noc.h"

#ifdef MENDED
enum { WORDS = 256 };
#else
enum { WORDS = 2040 };
#endif

static void Sum(void) {  // HERE
  volatile u32 table[WORDS];
  for (u32 i = 0; i < WORDS; ++i) table[i] = i;
  u32 sum = 0;
  for (u32 i = 0; i < 256; ++i) sum += table[i];
  Write32(0x90000, sum);
}
KERNEL(Sum)
