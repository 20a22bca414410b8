// NCRISC: reads all tiles of the left operand, then all of the right one.
#include "launch.h"
#include "metal_names.h"
static void kernel_main(void) {
  const struct interleaved_dram left = InterleavedDram(MyNoc(), Arg(0), 2048);
  const struct interleaved_dram right = InterleavedDram(MyNoc(), Arg(1), 2048);
  const u32 tiles = Arg(2);
#ifdef MENDED
  for (u32 p = 0; p < tiles; ++p) {
    CbReadPage(0, &left, p);
    CbReadPage(1, &right, p);
  }
#else
  for (u32 p = 0; p < tiles; ++p) CbReadPage(0, &left, p);  // HERE
  for (u32 p = 0; p < tiles; ++p) CbReadPage(1, &right, p);
#endif
}
KERNEL(kernel_main)
