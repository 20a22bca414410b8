// A tile pushes a page to a circular buffer of another one over the NoC, to the wrong stream.
#include "cb.h"
#include "launch.h"
#include "noc.h"

#ifdef MENDED
enum { OUT = 3 };
#else
enum { OUT = 2 };
#endif

static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == 1) {
    CbWaitFront(3, 1);  // HERE
    CbPopFront(3, 1);
  } else {
    NocWriteInline(noc, NocXy(1, 2), StreamRegister(OUT, STREAM_TILES_RECEIVED), 1);
    NocWriteBarrier(noc);
  }
}
KERNEL(Main)
