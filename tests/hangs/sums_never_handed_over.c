// TRISC1 takes a half of Dst for each sum, and never hands it to the packer.
#define OWN_MATH
#include "sum_then_product.h"

#if GUEST_CORE == CORE_TRISC1
static void AddBlock(void) {
  BINARY_INIT(ELWADD, 1, BROADCAST_NONE);
  for (u32 i = 0; i < BLOCK; ++i) {
    MathAcquireDst();
    BinaryTile(BROADCAST_NONE);
#ifdef MENDED
    MathReleaseDst();
#endif
  }
}
static void MultiplyBlock(void) {
  BINARY_INIT(ELWMUL, 4, BROADCAST_NONE);
  for (u32 i = 0; i < BLOCK; ++i) {
    MathAcquireDst();  // HERE
    BinaryTile(BROADCAST_NONE);
    MathReleaseDst();
  }
}
#endif
