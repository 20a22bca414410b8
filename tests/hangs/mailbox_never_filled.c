// TRISC1 waits for a word from BRISC's mailbox; BRISC writes to another.
#include "launch.h"
#include "mmio.h"

#if GUEST_CORE == CORE_BRISC
static void Send(void) {
#ifdef MENDED
  Write32(0xFFEC2000, 1);
#else
  Write32(0xFFEC3000, 1);
#endif
}
KERNEL(Send)
#elif GUEST_CORE == CORE_TRISC1
static void Take(void) {
  Write32(0x100000, Read32(0xFFEC0000));  // HERE
}
KERNEL(Take)
#endif
