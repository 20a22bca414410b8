// The number of tiles in a block is an argument that is 0: division by it gives the largest number.
#include "launch.h"
#include "metal_names.h"
// Arguments: tensor, first page, pages, pages in a block.
static u32 blocks(void) {
  return Arg(2) / Arg(3);
}

static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 2048);
  const u32 end = blocks();
  u32 page = 0;
  for (u32 block = 0; block < end; ++block) {
    cb_reserve_back(0, 1);  // HERE
    noc_async_read_page(&in, page++ % Arg(2), get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
  }
}
KERNEL(kernel_main)
