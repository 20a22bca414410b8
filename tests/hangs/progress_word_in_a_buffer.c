// BRISC: writes pages to DRAM and keeps a count of them in L1 for the host to look at.
#include "launch.h"
#include "metal_names.h"
#ifdef MENDED
enum { PROGRESS = 0x100000 };
#else
enum { PROGRESS = 0x37100 };
#endif
static void kernel_main(void) {
  const struct interleaved_dram out = InterleavedDram(MyNoc(), Arg(0), 2048);
  for (u32 p = 0; p < Arg(1); ++p) {
    CbWritePage(16, &out, p);
    Write32(PROGRESS, p + 1);  // HERE
  }
}
KERNEL(kernel_main)
