// BRISC sends more words than the mailbox holds, of which TRISC0 takes two.
#include "launch.h"
#include "mmio.h"

#if GUEST_CORE == CORE_BRISC
#ifdef MENDED
enum { WORDS = 2 };
#else
enum { WORDS = 9 };
#endif
static void Send(void) {
  for (u32 i = 0; i < WORDS; ++i) Write32(0xFFEC1000, i);  // HERE
}
KERNEL(Send)
#else
static void Take(void) {
  for (u32 i = 0; i < 2; ++i) Write32(0x90000, Read32(0xFFEC0000));
}
KERNEL(Take)
#endif
