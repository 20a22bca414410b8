// The sender waits for a credit before its first page; the receiver gives one for each page.
#include "stream_of_slots.h"

static void AwaitCredit(u32 sent) {
  SemaphoreWaitMin(CREDITS, sent + 1);  // HERE
}
static void AwaitPage(u32 taken) {
  SemaphoreWaitMin(FILLED, taken + 1);
}
static u32 SlotAddress(u32 page) {
  return RING + page % SLOTS * SLOT_BYTES;
}
