// A tile is named by its place in the grid of workers, where the NoC wants its own coordinates.
#include "launch.h"
#include "metal_names.h"
// Arguments: whether this tile sends, columns of the receiver, its row.
static void kernel_main(void) {
  if (Arg(0) == 0) {
    noc_semaphore_inc(Arg(1), Arg(2), get_semaphore(0), 1);  // HERE
    noc_async_atomic_barrier();
  } else {
    noc_semaphore_wait_min(get_semaphore(0), 1);
  }
}
KERNEL(kernel_main)
