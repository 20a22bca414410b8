// A pause by the clock that takes seconds. Argument: cycles.
#include "launch.h"
#include "mmio.h"

static void Pause(void) {
  const u32 cycles = Arg(0);
  const u32 start = Read32(DEBUG_WALL_CLOCK_L);
  while (Read32(DEBUG_WALL_CLOCK_L) - start < cycles) {  // HERE
  }
}
KERNEL(Pause)
