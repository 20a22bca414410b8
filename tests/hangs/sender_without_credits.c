// A producer sends blocks into two slots of the next tile, and counts them there; the consumer adds
// up what is in them, slower than it comes.
#include "launch.h"
#include "metal_names.h"
enum { SENT = 0, FREE = 1, SLOTS = 0x50000, BLOCK = 256, BLOCKS = 8, RESULT = 0x60000 };
static void kernel_main(void) {
  if (Arg(0) == 0) {
    for (u32 b = 0; b < BLOCKS; ++b) {
      for (u32 i = 0; i < BLOCK; i += 4) Write32(0x40000 + i, b + 1);
      Fence();
#ifdef MENDED
      if (b >= 2) noc_semaphore_wait_min(get_semaphore(FREE), b - 1);
#endif
      noc_async_write(0x40000, Arg(1), Arg(2), SLOTS + b % 2 * BLOCK, BLOCK);  // HERE
      noc_async_write_barrier();
      noc_semaphore_inc(Arg(1), Arg(2), get_semaphore(SENT), 1);
      noc_async_atomic_barrier();
    }
  } else {
    u32 sum = 0;
    for (u32 b = 0; b < BLOCKS; ++b) {
      noc_semaphore_wait_min(get_semaphore(SENT), b + 1);
      for (u32 pause = 0; pause < 1000; ++pause) __asm__ volatile("");
      for (u32 i = 0; i < BLOCK; i += 4) sum += Read32(SLOTS + b % 2 * BLOCK + i);
#ifdef MENDED
      noc_semaphore_inc(Arg(1), Arg(2), get_semaphore(FREE), 1);
      noc_async_atomic_barrier();
#endif
    }
    Write32(RESULT, sum);
  }
}
KERNEL(kernel_main)
