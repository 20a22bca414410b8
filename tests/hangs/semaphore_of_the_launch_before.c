// The second launch waits for a semaphore that the first one raised; each launch sets semaphores
// anew.
#include "launch.h"
#include "metal_names.h"
// Arguments: whether this launch loads or uses, what is waited for.
static void load_weights(void) {
  for (u32 i = 0; i < 16; ++i) Write32(0x40000 + 4 * i, i);
  noc_semaphore_inc(MyX(MyNoc()), MyY(MyNoc()), get_semaphore(2), 1);
  noc_async_atomic_barrier();
}

static void use_weights(void) {
#ifdef MENDED
  load_weights();
#endif
  noc_semaphore_wait_min(get_semaphore(2), 1);  // HERE
}

static void kernel_main(void) {
  if (Arg(0) == 0)
    load_weights();
  else
    use_weights();
}
KERNEL(kernel_main)
