// Reads carry transaction id 2, and the barrier waits for those of id 1, of which there are none.
#include "launch.h"
#include "metal_names.h"
#ifdef MENDED
enum { AWAITED = 2 };
#else
enum { AWAITED = 1 };
#endif

static void read_with_trid(u32 xy, u32 address, u32 l1, u32 trid) {
  const u32 buffer = NocBuffer(MyNoc(), NOC_BUF_READ);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_PACKET_TAG, trid << 10);
  NocRead(MyNoc(), xy, address, l1, 2048);
}

static void barrier_with_trid(u32 trid) {
  while (Read32(Niu(MyNoc()) + 0x240 + 4 * trid) != 0) {
  }
}

static void kernel_main(void) {
  const struct interleaved_dram in = InterleavedDram(MyNoc(), Arg(0), 2048);
  for (u32 tile = 0; tile < Arg(2); ++tile) {
    cb_reserve_back(0, 1);
    read_with_trid(DramPageXy(&in, tile), DramPageAddress(&in, tile), get_write_ptr(0), 2);
    barrier_with_trid(AWAITED);
    cb_push_back(0, 1);  // HERE
  }
  NocWaitBuffer(NocBuffer(MyNoc(), NOC_BUF_READ));
  Write32(NocBuffer(MyNoc(), NOC_BUF_READ) + NOC_PACKET_TAG, 0);
  noc_async_read_barrier();
}
KERNEL(kernel_main)
