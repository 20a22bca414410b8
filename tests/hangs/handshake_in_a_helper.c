// Two tiles shake hands by a function that is called three times; one of them does so only twice.
#include "launch.h"
#include "metal_names.h"
// Arguments: other x, other y, rounds.
static void __attribute__((noinline)) handshake(u32 round) {
  noc_semaphore_inc(Arg(0), Arg(1), get_semaphore(4), 1);
  noc_semaphore_wait_min(get_semaphore(4), round);
}

static void kernel_main(void) {
  handshake(1);
  handshake(2);
  if (Arg(2) == 3) {
    handshake(3);  // HERE
  }
  noc_async_atomic_barrier();
}
KERNEL(kernel_main)
