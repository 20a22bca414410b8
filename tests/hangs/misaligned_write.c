// Source and target of a write differ in their lowest bits.
#include "launch.h"
#include "noc.h"

#ifdef MENDED
enum { TARGET = 0x91000 };
#else
enum { TARGET = 0x91008 };
#endif

static void Send(u32 to) {
  const u32 noc = MyNoc();
  NocWrite(noc, 0x90000, NocXy(2, 2), to, 64);  // HERE
  NocWriteBarrier(noc);
}
static void Main(void) {
  Send(TARGET);
}
KERNEL(Main)
