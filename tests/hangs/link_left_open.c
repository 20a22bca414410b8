// A multicast that is linked to what follows it, and then a write to somebody else.
#include "launch.h"
#include "noc.h"

#ifdef MENDED
enum { LINKED = 0 };
#else
enum { LINKED = 1 << 6 };
#endif

static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) != 1) return;
  NocWriteBursts(noc, NOC_VC_MULTICAST | NOC_CMD_BRCST_PACKET | NOC_CMD_PATH_RESERVE | LINKED,
                 0x90000, NocRectangle(noc, 2, 2, 4, 2), 0x90000, 64, 3);
  NocWrite(noc, 0x90000, NocXy(2, 2), 0x91000, 64);  // HERE
  NocWriteBarrier(noc);
}
KERNEL(Main)
