// The reader adds the number of a page to the address, and not the size of so many pages.
#include "launch.h"
#include "metal_names.h"

static u32 page_address(u32 base, u32 page) {
#ifdef MENDED
  return base + page * 2048;
#else
  return base + page;
#endif
}

static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 2048);
  for (u32 tile = 0; tile < Arg(2); ++tile) {
    cb_reserve_back(0, 1);
    NocRead(MyNoc(), DramPageXy(&in, tile), page_address(in.base, tile / in.banks),  // HERE
            get_write_ptr(0), 2048);
    noc_async_read_barrier();
    cb_push_back(0, 1);
  }
}
KERNEL(kernel_main)
