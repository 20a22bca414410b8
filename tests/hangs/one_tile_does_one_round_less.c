// Rounds in lockstep: each worker reports, the leader lets all go on. Arguments: index, tiles,
// rounds, leader's x and y.
#include "launch.h"
#include "metal_names.h"
enum { REPORTS = 0, ROUND = 1 };
static void kernel_main(void) {
  const u32 index = Arg(0);
  const u32 tiles = Arg(1);
  const u32 rounds = Arg(2);
  const u32 rectangle = NocRectangle(MyNoc(), Arg(3), Arg(4), Arg(3) + tiles - 1, Arg(4));
  for (u32 round = 1; round <= rounds; ++round) {
    if (index == 0) {
      noc_semaphore_wait(get_semaphore(REPORTS), tiles - 1);  // HERE
      noc_semaphore_set(get_semaphore(REPORTS), 0);
      noc_semaphore_set(get_semaphore(ROUND), round);
      Fence();
      NocWriteMulticast(MyNoc(), get_semaphore(ROUND), rectangle, get_semaphore(ROUND), 4,
                        tiles - 1);
      noc_async_write_barrier();
    } else {
      noc_semaphore_inc(Arg(3), Arg(4), get_semaphore(REPORTS), 1);
      noc_async_atomic_barrier();
      noc_semaphore_wait_min(get_semaphore(ROUND), round);
    }
  }
}
KERNEL(kernel_main)
