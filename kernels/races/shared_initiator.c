// BRISC and NCRISC send requests by the same request initiator of NIU 0; mended, each by its own
// NIU (ORDERING.md, row 69).
#include "noc.h"
#include "races.h"

static void ReadOnce(void) {
  const u32 noc = MENDED ? MyNoc() : 0;
  if (!MENDED && GUEST_CORE == CORE_NCRISC) {
    // In this run the other core is done before: a few hundred cycles, that nobody promises.
    for (u32 i = 0; i < 500; ++i) __asm__ volatile("nop");
    NocLocalStateInit(noc);
  }
  const u32 mine = ScratchAddress(0x100 * GUEST_CORE);
  NocRead(noc, NocXy(MyX(noc), MyY(noc)), mine, mine + 0x40, 16);
  NocReadBarrier(noc);
  if (GUEST_CORE == CORE_BRISC) Report(0x600D0039);
}
KERNEL(ReadOnce)
