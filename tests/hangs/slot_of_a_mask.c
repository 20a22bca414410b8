// The sender takes the number of slots for the mask of their numbers.
#include "stream_of_slots.h"

static void AwaitCredit(u32 sent) {
  SemaphoreWaitMin(CREDITS, sent + 1);
}
static void AwaitPage(u32 taken) {
  SemaphoreWaitMin(FILLED, taken + 1);
}
static u32 SlotAddress(u32 page) {
#ifdef MENDED
  return RING + (page & (SLOTS - 1)) * SLOT_BYTES;
#else
  return RING + (page & SLOTS) * SLOT_BYTES;
#endif
}
