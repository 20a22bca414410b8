// The writer sends 960 of the 1024 bytes of each page.
#include "dram_pages.h"
#include "launch.h"

enum { PAGES = 4, PAGE_SIZE = 1024 };

#if GUEST_CORE == CORE_NCRISC
static void ReadIn(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), PAGE_SIZE);
  for (u32 page = 0; page < PAGES; ++page) CbReadPage(0, &tensor, page);
}
KERNEL(ReadIn)
#else
#ifdef MENDED
enum { SENT = PAGE_SIZE };
#else
enum { SENT = PAGE_SIZE - 64 };
#endif
static void WriteOut(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), PAGE_SIZE);
  for (u32 page = 0; page < PAGES; ++page) {
    CbWaitFront(0, 1);
    NocWrite(tensor.noc, CbReadPointer(0), DramPageXy(&tensor, page),
             DramPageAddress(&tensor, page), SENT);
    NocWriteBarrier(tensor.noc);
    CbPopFront(0, 1);
  }
}
KERNEL(WriteOut)
#endif
