// A function pointer leads to data.
#include "launch.h"

static void Main(void) {
  Write32(0x90000, 0xFFFFFFFF);
#ifdef MENDED
  Write32(0x90000, 0x00008067);  // ret
#endif
  Fence();
  ((void (*)(void))0x90000)();  // HERE
  Write32(0x90004, 1);
}
KERNEL(Main)
