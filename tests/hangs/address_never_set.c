// A tile sends its result to an address of another one that was never set.
#include "launch.h"
#include "noc.h"

enum { RESULT = 0x90000 };

static void Send(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) != 1) return;
  Write32(RESULT, 5);
  Fence();
  NocWrite(noc, RESULT, NocXy(2, 2), Arg(0), 16);  // HERE
  NocWriteBarrier(noc);
}
KERNEL(Send)
