// A NoC write is given the address of a local variable, which the NoC cannot read.
#include "launch.h"
#include "noc.h"

enum { RESULT = 0x90000 };

static void Send(void) {
  const u32 noc = MyNoc();
#ifdef MENDED
  Write32(RESULT, 5);
  Fence();
  NocWrite(noc, RESULT, NocXy(2, 2), RESULT, 16);
#else
  volatile u32 result[4] __attribute__((aligned(16))) = {5, 0, 0, 0};
  NocWrite(noc, (u32)result, NocXy(2, 2), RESULT, 16);  // HERE
#endif
  NocWriteBarrier(noc);
}
KERNEL(Send)
