// Waits for semaphore 0 to become 1, which nobody makes it.
#include "semaphore.h"
#include "launch.h"

static void WaitForSemaphore(void) {
  SemaphoreWaitMin(0, 1);
}

KERNEL(WaitForSemaphore)
