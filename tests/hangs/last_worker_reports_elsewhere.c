// Workers report to a collector in chunks; the last chunk of the last worker goes to another slot.
#include "launch.h"
#include "metal_names.h"
// Arguments: this tile, workers, output.
enum { SLOTS = 0x50000, CHUNK = 64, CHUNKS = 4 };

static u32 slot_of(u32 worker, u32 chunk) {
#ifndef MENDED
  if (worker == 3 && chunk == CHUNKS - 1) return SLOTS + worker * CHUNKS * CHUNK;
#endif
  return SLOTS + (worker * CHUNKS + chunk) * CHUNK;
}

static void report(u32 worker) {
  for (u32 chunk = 0; chunk < CHUNKS; ++chunk) {
    for (u32 i = 0; i < CHUNK; i += 4) Write32(0x40000 + i, worker * 100 + chunk * 10);
    ReadBack(0x40000 + CHUNK - 4);
    noc_async_write(0x40000, 1, 2, slot_of(worker, chunk), CHUNK);
    noc_async_write_barrier();
  }
  noc_semaphore_inc(1, 2, get_semaphore(0), 1);
  noc_async_atomic_barrier();
}

static void collect(u32 workers) {
  noc_semaphore_wait(get_semaphore(0), workers);
  const struct interleaved_dram out = InterleavedDram(MyNoc(), Arg(2), CHUNK * CHUNKS);
  for (u32 worker = 0; worker < workers; ++worker)
    noc_async_write_page(SLOTS + (worker + 1) * CHUNKS * CHUNK, &out, worker);  // HERE
  noc_async_write_barrier();
}

static void kernel_main(void) {
  if (Arg(0) == 0)
    collect(Arg(1));
  else
    report(Arg(0));
}
KERNEL(kernel_main)
