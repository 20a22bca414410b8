// TRISC1 adds where it should multiply: what was set up for the sums is still set up.
#define OWN_MATH
#include "sum_then_product.h"

#if GUEST_CORE == CORE_TRISC1
static void AddBlock(void) {
  BINARY_INIT(ELWADD, 1, BROADCAST_NONE);
  for (u32 i = 0; i < BLOCK; ++i) {
    MathAcquireDst();
    BinaryTile(BROADCAST_NONE);
    MathReleaseDst();
  }
}
static void MultiplyBlock(void) {
#ifdef MENDED
  BINARY_INIT(ELWMUL, 4, BROADCAST_NONE);
#endif
  for (u32 i = 0; i < BLOCK; ++i) {
    MathAcquireDst();
    BinaryTile(BROADCAST_NONE);  // HERE
    MathReleaseDst();
  }
}
#endif
