// Four tiles pass their pages round; each waits for one page more than its neighbour sends.
#include "launch.h"
#include "metal_names.h"
// Arguments: next x, next y, tiles, this tile.
enum { PAGES = 0x40000, PAGE = 64, ARRIVED = 3 };

static u32 slot(u32 owner) {
  return PAGES + owner * PAGE;
}

static void pass_on(u32 owner) {
  noc_async_write(slot(owner), Arg(0), Arg(1), slot(owner), PAGE);
  noc_async_write_barrier();
  noc_semaphore_inc(Arg(0), Arg(1), get_semaphore(ARRIVED), 1);
}

static void kernel_main(void) {
  const u32 tiles = Arg(2);
  const u32 mine = Arg(3);
  for (u32 i = 0; i < PAGE; i += 4) Write32(slot(mine) + i, mine);
  ReadBack(slot(mine) + PAGE - 4);
#ifdef MENDED
  const u32 awaited = tiles - 1;
#else
  const u32 awaited = tiles;
#endif
  u32 owner = mine;
  for (u32 step = 1; step < tiles; ++step) {
    pass_on(owner);
    noc_semaphore_wait_min(get_semaphore(ARRIVED), step);
    owner = (owner + tiles - 1) % tiles;
  }
  noc_semaphore_wait_min(get_semaphore(ARRIVED), awaited);  // HERE
  noc_async_atomic_barrier();
}
KERNEL(kernel_main)
