// BRISC stores words and tells TRISC1 by mailbox at once: a mailbox is another region of memory,
// and the stores can still be queued (ORDERING.md, rows 3 and 65).
#include "races.h"

enum { MAILBOX_BASE = 0xFFEC0000, MAILBOX_STRIDE = 0x1000 };

#if GUEST_CORE == CORE_BRISC
static void Tell(void) {
  Write32(ScratchAddress(0), 0x600D0028);
  if (MENDED) ReadBack(ScratchAddress(0));
  Write32(MAILBOX_BASE + 2 * MAILBOX_STRIDE, 1);  // to TRISC1
}
KERNEL(Tell)
#else
static void Use(void) {
  ReadBack(MAILBOX_BASE + 0 * MAILBOX_STRIDE);  // from BRISC
  Report(ReadBack(ScratchAddress(0)));
}
KERNEL(Use)
#endif
