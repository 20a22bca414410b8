// Reads a word of another tile's L1 over the NoC until it is not 0; a tile that is held in reset
// never writes it. Arguments: x, y, address there, scratch address here.
#include "noc.h"
#include "launch.h"

static void PollRemoteWord(void) {
  const u32 noc = MyNoc();
  const u32 scratch = Arg(3);
  do {
    NocRead(noc, NocXy(Arg(0), Arg(1)), Arg(2), scratch, 4);
    NocReadBarrier(noc);
  } while (Read32(scratch) == 0);
}

KERNEL(PollRemoteWord)
