// A block of four is pushed where room for one was reserved.
#include "launch.h"
#include "metal_names.h"
#ifdef MENDED
enum { RESERVED = 4 };
#else
enum { RESERVED = 1 };
#endif

static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 2048);
  for (u32 tile = 0; tile < Arg(2); tile += 4) {
    cb_reserve_back(0, RESERVED);
    for (u32 i = 0; i < 4; ++i)
      noc_async_read_page(&in, tile + i, get_write_ptr(0) + 2048 * i);  // HERE
    noc_async_read_barrier();
    cb_push_back(0, 4);
  }
}
KERNEL(kernel_main)
