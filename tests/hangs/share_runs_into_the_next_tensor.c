// Shares are rounded up and nobody looks at the end: the last tile writes behind its tensor, over
// the one that follows.
#include "launch.h"
#include "metal_names.h"
// Arguments: input, output, this tile, tiles, pages.
static u32 smaller(u32 a, u32 b) {
  return a < b ? a : b;
}

static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 1024);
  const struct interleaved_dram out = InterleavedDram(MyNoc(), Arg(1), 1024);
  const u32 share = (Arg(4) + Arg(3) - 1) / Arg(3);
#ifdef MENDED
  const u32 end = smaller((Arg(2) + 1) * share, Arg(4));
#else
  const u32 end = smaller((Arg(2) + 1) * share, Arg(4) + 8);
#endif
  for (u32 page = Arg(2) * share; page < end; ++page) {
    noc_async_read_page(&in, page, 0x40000);
    noc_async_read_barrier();
    noc_async_write_page(0x40000, &out, page);  // HERE
    noc_async_write_barrier();
  }
}
KERNEL(kernel_main)
