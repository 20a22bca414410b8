// Workers report to the first tile, which waits for all of them. The semaphore's number is given
// where its address is wanted.
#include "launch.h"
#include "metal_names.h"
static void kernel_main(void) {
  const u32 index = Arg(0);
  const u32 count = Arg(1);
  const u32 id = 0;
  if (index == 0) {
    noc_semaphore_wait(get_semaphore(id), count - 1);
    noc_semaphore_set(get_semaphore(id), 0);
  } else {
#ifdef MENDED
    noc_semaphore_inc(Arg(2), Arg(3), get_semaphore(id), 1);
#else
    noc_semaphore_inc(Arg(2), Arg(3), id, 1);  // HERE
#endif
    noc_async_atomic_barrier();
  }
}
KERNEL(kernel_main)
