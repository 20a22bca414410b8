// A TRISC takes two words from its PCBuf; BRISC sends one.
#include "launch.h"
#include "mmio.h"

#if GUEST_CORE == CORE_BRISC
static void Send(void) {
  Write32(TENSIX_PC_BUF, 1);
#ifdef MENDED
  Write32(TENSIX_PC_BUF, 2);
#endif
}
KERNEL(Send)
#elif GUEST_CORE == CORE_TRISC0
static void Take(void) {
  u32 sum = 0;
  for (u32 i = 0; i < 2; ++i) sum += Read32(TENSIX_PC_BUF);  // HERE
  Write32(0x100000, sum);
}
KERNEL(Take)
#endif
