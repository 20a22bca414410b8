// A buffer of zeroes is sent to an address that was never set to one, over the launch messages.
#include "launch.h"
#include "mmio.h"
#include "noc.h"

#ifdef MENDED
enum { TARGET = 0x91000 };
#else
enum { TARGET = 0x60 };
#endif

static void Main(void) {
  const u32 noc = MyNoc();
  for (u32 i = 0; i < 0x400; i += 4) Write32(0x90000 + i, 0);
  ReadBack(0x903FC);
  NocWrite(noc, 0x90000, NocXy(1, 2), TARGET, 0x400);  // HERE
  NocWriteBarrier(noc);
}
KERNEL(Main)
