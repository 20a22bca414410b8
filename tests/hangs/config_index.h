// An index of a thread's configuration words that the compiler does not know.
#pragma once

#include "launch.h"

static u32 ConfigIndex(void) {
#ifdef MENDED
  volatile u32 index = 1;
#else
  volatile u32 index = 100;  // there are 68
#endif
  return index;
}
