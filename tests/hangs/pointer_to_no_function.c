// A function is called through a table that has nothing there.
#include "launch.h"

enum { TABLE = 0x90000 };

static void Call(void) {
#ifndef MENDED
  Write32(TABLE, 0);
  ((void (*)(void))Read32(TABLE))();  // HERE
#endif
}
KERNEL(Call)
