// A loop goes down in steps of two until it is at 0, from an odd number.
#include "launch.h"
#include "metal_names.h"
// Arguments: tensor, rows.
static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 64);
  u32 sum = 0;
#ifdef MENDED
  for (u32 row = Arg(1); row != 0; row -= 2) {
#else
  for (u32 row = Arg(1) - 1; row != 0; row -= 2) {
#endif
    noc_async_read_page(&in, row, 0x40000);
    noc_async_read_barrier();  // HERE
    sum += Read32(0x40000);
  }
  Write32(0x50000, sum);
}
KERNEL(kernel_main)
