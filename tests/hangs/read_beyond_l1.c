// A read from the last bytes of another tile's L1 goes on behind its end.
#include "launch.h"
#include "noc.h"

#ifdef MENDED
enum { FROM = 0x17FFC0 };
#else
enum { FROM = 0x17FFE0 };
#endif

static void Main(void) {
  const u32 noc = MyNoc();
  NocRead(noc, NocXy(1, 2), FROM, 0x90000 | FROM % 64, 64);  // HERE
  NocReadBarrier(noc);
}
KERNEL(Main)
