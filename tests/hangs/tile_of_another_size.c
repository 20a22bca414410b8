// The reader takes a tile for 1024 bytes, and the pages are tiles of bf16.
#include "launch.h"
#include "metal_names.h"
#ifdef MENDED
enum { TILE_BYTES = 2048 };
#else
enum { TILE_BYTES = 1024 };
#endif
enum { CB_IN = 0 };

static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 2048);
  for (u32 tile = 0; tile < Arg(2); ++tile) {
    cb_reserve_back(CB_IN, 1);
    NocRead(MyNoc(), DramPageXy(&in, tile), DramPageAddress(&in, tile), get_write_ptr(CB_IN),
            TILE_BYTES);
    noc_async_read_barrier();
    cb_push_back(CB_IN, 1);  // HERE
  }
}
KERNEL(kernel_main)
