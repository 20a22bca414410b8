// Three tiles in a row hand pages on for credits. The middle one gives credits back in twos, and
// there are seven pages.
#include "launch.h"
#include "metal_names.h"
// Arguments: stage, next x, next y, previous x, previous y, tensor's address, pages.
enum { SLOT = 0x40000, PAGE = 2048, SLOTS = 2, PAGES_SENT = 0, CREDITS = 1 };

static void send_page(u32 l1, u32 page, u32 x, u32 y) {
  noc_semaphore_wait_min(get_semaphore(CREDITS), page < SLOTS ? 0 : page - SLOTS + 1);
  noc_async_write(l1, x, y, SLOT + page % SLOTS * PAGE, PAGE);
  noc_async_write_barrier();
  noc_semaphore_inc(x, y, get_semaphore(PAGES_SENT), 1);
}

static void source(u32 pages) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(5), PAGE);
  for (u32 page = 0; page < pages; ++page) {
    noc_async_read_page(&tensor, page, SLOT);
    noc_async_read_barrier();
    send_page(SLOT, page, Arg(1), Arg(2));
  }
  noc_semaphore_wait_min(get_semaphore(CREDITS), pages);  // HERE
}

static void relay(u32 pages) {
  for (u32 page = 0; page < pages; ++page) {
    noc_semaphore_wait_min(get_semaphore(PAGES_SENT), page + 1);
    noc_async_write(SLOT + page % SLOTS * PAGE, Arg(1), Arg(2), SLOT + page % 16 * PAGE, PAGE);
    noc_async_write_barrier();
    noc_semaphore_inc(Arg(1), Arg(2), get_semaphore(PAGES_SENT), 1);
#ifdef MENDED
    noc_semaphore_inc(Arg(3), Arg(4), get_semaphore(CREDITS), 1);
#else
    if (page % 2 == 1) noc_semaphore_inc(Arg(3), Arg(4), get_semaphore(CREDITS), 2);
#endif
  }
}

static void sink(u32 pages) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(5), PAGE);
  for (u32 page = 0; page < pages; ++page) {
    noc_semaphore_wait_min(get_semaphore(PAGES_SENT), page + 1);
    noc_async_write_page(SLOT + page % 16 * PAGE, &tensor, page);
  }
  noc_async_write_barrier();
}

static void kernel_main(void) {
  if (Arg(0) == 0) source(Arg(6));
  if (Arg(0) == 1) relay(Arg(6));
  if (Arg(0) == 2) sink(Arg(6));
  noc_async_atomic_barrier();
}
KERNEL(kernel_main)
