// Rows of a table in DRAM are reached by an index that is not bounded: the last lies behind the
// bank.
#include "launch.h"
#include "metal_names.h"
// Argument: address of a table of 64 rows of 64 bytes in bank 0.
static u32 next_row(u32 row) {
#ifdef MENDED
  return (row * 5 + 1) % 64;
#else
  return row * 5 + 1;
#endif
}

static void kernel_main(void) {
  const struct interleaved_dram table = InterleavedDram(MyNoc(), Arg(0), 64);
  u32 row = 0;
  for (u32 step = 0; step < 12; ++step) {
    row = next_row(row);
    NocRead(MyNoc(), DramPageXy(&table, 0), DramPageAddress(&table, 0) + row * 64, 0x40000,  // HERE
            64);
    noc_async_read_barrier();
  }
}
KERNEL(kernel_main)
