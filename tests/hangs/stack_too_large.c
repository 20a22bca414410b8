// A local array is larger than the local memory that is left.
#include "launch.h"

#ifdef MENDED
enum { WORDS = 64 };
#else
enum { WORDS = 1536 };
#endif

static void Fill(void) {  // HERE
  volatile u32 local[WORDS];
  for (u32 i = 0; i < 16; ++i) local[WORDS - 1 - i] = i;
  Write32(0x100000, local[WORDS - 1]);
}
KERNEL(Fill)
