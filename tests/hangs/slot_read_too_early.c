// The receiver counts from 0 where the sender's signals count from 1.
#include "stream_of_slots.h"

static void AwaitCredit(u32 sent) {
  SemaphoreWaitMin(CREDITS, sent + 1);
}
static void AwaitPage(u32 taken) {
#ifdef MENDED
  ++taken;
#endif
  SemaphoreWaitMin(FILLED, taken);
}
static u32 SlotAddress(u32 page) {
  return RING + page % SLOTS * SLOT_BYTES;
}
