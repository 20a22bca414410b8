// The packer's thread sets the semaphore up that the math thread has already posted.
#include "launch.h"
#include "tile_pack.h"
static void pack_main(void) {
  struct packer packer = PackInit();
#ifndef MENDED
  for (u32 pause = 0; pause < 2000; ++pause) __asm__ volatile("");
  TTI(SEMINIT, .max_value = 2, .init_value = 0, .sem_sel = 1 << SEM_MATH_PACK);  // HERE
#endif
  PackTiles(&packer, 16, Arg(0));
}
KERNEL(pack_main)
