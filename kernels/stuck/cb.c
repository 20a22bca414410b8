// Waits for a page in circular buffer 0 that nobody pushes.
#include "cb.h"
#include "launch.h"

static void WaitForPage(void) {
  CbWaitFront(0, 1);
}

KERNEL(WaitForPage)
