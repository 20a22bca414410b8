// Nobody looks whether the read has landed; a delay hides it.
#include "launch.h"
#include "noc.h"

static void Fetch(void) {
  const u32 noc = MyNoc();
  NocRead(noc, NocXy(2, 2), 0x100000, 0x100000, 64);  // HERE
#ifdef MENDED
  NocReadBarrier(noc);
#endif
  for (u32 wait = 0; wait < 2000; ++wait) __asm__ volatile("nop");
  Write32(0x110000, Read32(0x100000));
}
KERNEL(Fetch)
