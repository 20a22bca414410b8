// A tile polls the highest byte of a word; the other one writes the lowest.
#include "launch.h"
#include "mmio.h"
#include "noc.h"

enum { FLAG = 0x90000, READY = 7 };

#ifdef MENDED
enum { POLLED = FLAG };
#else
enum { POLLED = FLAG + 3 };
#endif

static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == 1) {
    while (*(volatile u8*)POLLED != READY) InvalidateL1Cache();  // HERE
  } else {
    Write32(FLAG, READY);
    ReadBack(FLAG);
    NocWrite(noc, FLAG, NocXy(1, 2), FLAG, 16);
    NocWriteBarrier(noc);
  }
}
KERNEL(Main)
