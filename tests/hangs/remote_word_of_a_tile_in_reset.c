// Polls a word of another tile over the NoC. Arguments: x, y, what the word is there.
#include "launch.h"
#include "noc.h"

static void Poll(void) {
  const u32 noc = MyNoc();
  do {
    NocRead(noc, NocXy(Arg(0), Arg(1)), 0x100000, 0x100000, 4);
    NocReadBarrier(noc);
  } while (Read32(0x100000) != Arg(2));  // HERE
}
KERNEL(Poll)
