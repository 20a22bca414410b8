// Branches of the vector unit, ten deep, of which its stack holds eight.
#include "launch.h"
#include "tensix.h"

#ifdef MENDED
enum { DEPTH = 8 };
#else
enum { DEPTH = 10 };
#endif

static void Branch(void) {
  for (u32 i = 0; i < DEPTH; ++i) {
    TTI(SFPPUSHC);  // HERE
  }
  for (u32 i = 0; i < DEPTH; ++i) {
    TTI(SFPPOPC);
  }
}
KERNEL(Branch)
