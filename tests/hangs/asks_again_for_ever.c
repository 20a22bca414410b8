// A tile asks another one again whenever 2000 cycles have passed, and the other one answers to a
// third.
#include "launch.h"
#include "metal_names.h"
// Arguments: whether this tile asks, the tile that answers or is answered.
enum { REQUEST = 0, ANSWER = 1 };

static u32 now(void) {
  return Read32(DEBUG_WALL_CLOCK_L);
}

static u32 answered_in_time(u32 cycles) {
  const u32 start = now();
  while (now() - start < cycles) {
    if (Read32(get_semaphore(ANSWER)) != 0) return 1;  // HERE
    InvalidateL1Cache();
  }
  return 0;
}

static void kernel_main(void) {
  if (Arg(0) == 0) {
    do {
      noc_semaphore_inc(Arg(1), Arg(2), get_semaphore(REQUEST), 1);
    } while (!answered_in_time(2000));
  } else if (Arg(0) == 1) {
    noc_semaphore_wait_min(get_semaphore(REQUEST), 1);
    noc_semaphore_inc(Arg(1), Arg(2), get_semaphore(ANSWER), 1);
  }
  noc_async_atomic_barrier();
}
KERNEL(kernel_main)
