// A relay gives the credit for a page to the tile that it sends to, not to the one that it has it
// from.
#include "launch.h"
#include "metal_names.h"
// Arguments: stage, next x, next y, previous x, previous y, pages.
enum { SLOT = 0x40000, PAGE = 256 };

static void wait_for_credit(u32 page) {
  if (page != 0) noc_semaphore_wait_min(get_semaphore(1), page);  // HERE
}

static void kernel_main(void) {
  const u32 stage = Arg(0);
  for (u32 page = 0; page < Arg(5); ++page) {
    if (stage != 0) noc_semaphore_wait_min(get_semaphore(0), page + 1);
    if (stage != 3) {
      wait_for_credit(page);
      noc_async_write(SLOT, Arg(1), Arg(2), SLOT, PAGE);
      noc_async_write_barrier();
      noc_semaphore_inc(Arg(1), Arg(2), get_semaphore(0), 1);
    }
#ifdef MENDED
    if (stage != 0) noc_semaphore_inc(Arg(3), Arg(4), get_semaphore(1), 1);
#else
    if (stage != 0 && stage != 2) noc_semaphore_inc(Arg(3), Arg(4), get_semaphore(1), 1);
    if (stage == 2) noc_semaphore_inc(Arg(1), Arg(2), get_semaphore(1), 1);
#endif
  }
  noc_async_atomic_barrier();
}
KERNEL(kernel_main)
