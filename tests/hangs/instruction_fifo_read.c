// The FIFO by which instructions are pushed cannot be read.
#include "launch.h"
#include "tensix.h"

static void Look(void) {
  TT(NOP);
#ifndef MENDED
  Write32(0x90000, Read32(TENSIX_INSTRN_BUF));  // HERE
#endif
}
KERNEL(Look)
