// Each of two cores wants a page of the other before it gives one.
#include "cb.h"
#include "launch.h"

#if GUEST_CORE == CORE_NCRISC
static void Answer(void) {
  CbWaitFront(1, 1);
  CbPushBack(0, 1);
}
KERNEL(Answer)
#else
static void Ask(void) {
#ifdef MENDED
  CbPushBack(1, 1);
  CbWaitFront(0, 1);
#else
  CbWaitFront(0, 1);  // HERE
  CbPushBack(1, 1);
#endif
}
KERNEL(Ask)
#endif
