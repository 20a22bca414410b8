// NCRISC reads 16 rows of 24 bf16 numbers, each a page in DRAM, densely one behind the other; then
// writes them back out.
#include "launch.h"
#include "metal_names.h"
enum { ROW = 48, ROWS = 16 };
#ifdef MENDED
enum { STEP = 64 };
#else
enum { STEP = ROW };
#endif
static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), ROW);
  const struct interleaved_dram out = InterleavedDram(MyNoc(), Arg(1), ROW);
  const u32 l1 = 0x40000;
  for (u32 row = 0; row < ROWS; ++row)
    NocRead(MyNoc(), DramPageXy(&in, row), DramPageAddress(&in, row), l1 + row * STEP, ROW); // HERE
  noc_async_read_barrier();
  for (u32 row = 0; row < ROWS; ++row)
    NocWrite(MyNoc(), l1 + row * STEP, DramPageXy(&out, row), DramPageAddress(&out, row), ROW);
  noc_async_write_barrier();
}
KERNEL(kernel_main)
