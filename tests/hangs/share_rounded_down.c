// Thirteen tiles are shared out among four as 13 / 4 each: the last tile belongs to nobody.
#include "launch.h"
#include "metal_names.h"
// Arguments: input, output, this tile, tiles, pages.
static void copy_page(const struct interleaved_dram* from, const struct interleaved_dram* to,
                      u32 page) {
  noc_async_read_page(from, page, 0x40000);
  noc_async_read_barrier();
  noc_async_write_page(0x40000, to, page);  // HERE
  noc_async_write_barrier();
}

static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 2048);
  const struct interleaved_dram out = InterleavedDram(MyNoc(), Arg(1), 2048);
  const u32 share = Arg(4) / Arg(3);
  const u32 first = Arg(2) * share;
#ifdef MENDED
  const u32 end = Arg(2) + 1 == Arg(3) ? Arg(4) : first + share;
#else
  const u32 end = first + share;
#endif
  for (u32 page = first; page < end; ++page) copy_page(&in, &out, page);
}
KERNEL(kernel_main)
