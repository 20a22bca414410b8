// A word of Tensix code that is computed and stored, as LLK's TT_ macros do: the kernel's code has
// it nowhere, so that only the push tells where it came from.
#include "launch.h"
#include "tensix.h"

enum { BEYOND = 100 };

static void Set(u32 index) {
  TT(SETC16, .setc16_reg = index, .setc16_value = 1);  // HERE
}

static void Main(void) {
#ifdef MENDED
  volatile u32 index = 1;
#else
  volatile u32 index = BEYOND;
#endif
  Set(index);
}
KERNEL(Main)
