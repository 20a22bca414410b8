// A bank of SrcA is given back that the unpacker has already.
#include "launch.h"
#include "tensix.h"

static void Compute(void) {
#ifndef MENDED
  TTI(CLEARDVALID, .cleardvalid = 1);  // HERE
#endif
}
KERNEL(Compute)
