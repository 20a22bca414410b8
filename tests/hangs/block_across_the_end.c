// Blocks of four pages in a buffer of six: the second block runs over the end.
#include "launch.h"
#include "metal_names.h"
enum { BLOCK = 4 };

static void read_block(const struct interleaved_dram* in, u32 first) {
  cb_reserve_back(0, BLOCK);
  u32 l1 = get_write_ptr(0);
  for (u32 i = 0; i < BLOCK; ++i) {
    noc_async_read_page(in, first + i, l1);  // HERE
    l1 += 2048;
  }
  noc_async_read_barrier();
  cb_push_back(0, BLOCK);
}

static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 2048);
  for (u32 tile = 0; tile < Arg(2); tile += BLOCK) read_block(&in, tile);
}
KERNEL(kernel_main)
