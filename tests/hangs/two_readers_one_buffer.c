// Both data movement cores read into CB 0: NCRISC the even pages, BRISC the odd ones, to share the
// work; then BRISC writes the results.
#include "launch.h"
#include "metal_names.h"
#if GUEST_CORE == CORE_NCRISC
static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 2048);
#ifdef MENDED
  for (u32 p = 0; p < Arg(1); ++p) CbReadPage(0, &in, p);
#else
  for (u32 p = 0; p < Arg(1); p += 2) CbReadPage(0, &in, p);
#endif
}
#else
static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 2048);
  const struct interleaved_dram out = InterleavedDram(MyNoc(), Arg(2), 2048);
  (void)in;
  for (u32 p = 0; p < Arg(1); ++p) {
#ifndef MENDED
    if (p % 2 == 1) CbReadPage(0, &in, p);  // HERE
#endif
    if (p % 2 == 1) {
      CbWritePage(16, &out, p - 1);
      CbWritePage(16, &out, p);
    }
  }
}
#endif
KERNEL(kernel_main)
