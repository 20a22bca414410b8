// A tile polls a word of DRAM; the other one writes the page behind it, which lies in another bank.
#include "dram_pages.h"
#include "launch.h"
#include "mmio.h"

enum { HERE_L1 = 0x90000 };

#ifdef MENDED
enum { PAGE = 3 };
#else
enum { PAGE = 4 };
#endif

static void Main(void) {
  const u32 noc = MyNoc();
  const struct interleaved_dram flags = InterleavedDram(noc, Arg(0), 64);
  if (MyX(noc) == 1) {
    do {
      NocRead(noc, DramPageXy(&flags, 3), DramPageAddress(&flags, 3), HERE_L1, 64);
      NocReadBarrier(noc);
    } while (Read32(HERE_L1) == 0);  // HERE
  } else {
    Write32(HERE_L1, 1);
    ReadBack(HERE_L1);
    NocWrite(noc, HERE_L1, DramPageXy(&flags, PAGE), DramPageAddress(&flags, PAGE), 16);
    NocWriteBarrier(noc);
  }
}
KERNEL(Main)
