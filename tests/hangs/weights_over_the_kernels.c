// Weights are multicast to where a constant from another project says: over the kernels of the
// others.
#include "launch.h"
#include "metal_names.h"
// Arguments: whether this tile sends.
enum { WEIGHTS = 0x40000 };
#ifdef MENDED
enum { TARGET = 0x48000 };
#else
enum { TARGET = 0x8800 };
#endif

static void send_weights(void) {
  for (u32 i = 0; i < 128; ++i) Write32(WEIGHTS + 4 * i, 0x3F800000 + i);
  ReadBack(WEIGHTS + 508);
  NocWriteMulticast(MyNoc(), WEIGHTS, NocRectangle(MyNoc(), 1, 2, 4, 2), TARGET, 512, 3);  // HERE
  noc_async_write_barrier();
  for (u32 x = 2; x < 5; ++x) noc_semaphore_inc(x, 2, get_semaphore(0), 1);
  noc_async_atomic_barrier();
}

static void kernel_main(void) {
  if (Arg(0) == 0)
    send_weights();
  else
    noc_semaphore_wait_min(get_semaphore(0), 1);
}
KERNEL(kernel_main)
