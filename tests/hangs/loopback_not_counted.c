// A multicast that comes back to its sender is counted as if it did not: one acknowledgement more
// comes than is waited for.
#include "launch.h"
#include "metal_names.h"
// Arguments: whether this tile sends, receivers without the sender.
static void send_weights(u32 others) {
  for (u32 i = 0; i < 64; ++i) Write32(0x40000 + 4 * i, i);
  ReadBack(0x400FC);
#ifdef MENDED
  const u32 targets = others + 1;
#else
  const u32 targets = others;
#endif
  NocWriteMulticastLoopback(MyNoc(), 0x40000, NocRectangle(MyNoc(), 1, 2, 4, 2), 0x41000, 256,
                            targets);
  noc_async_write_barrier();  // HERE
}

static void kernel_main(void) {
  if (Arg(0) == 0) send_weights(Arg(1));
}
KERNEL(kernel_main)
