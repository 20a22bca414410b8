// A buffer at the end of L1 is cleared beyond it. Arguments: address, words.
#include "launch.h"

static void Clear(volatile u32* words, u32 count) {
  for (u32 i = 0; i < count; ++i) words[i] = 0;  // HERE
}
static void Main(void) {
  Clear((volatile u32*)Arg(0), Arg(1));
}
KERNEL(Main)
