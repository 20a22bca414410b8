// A kernel on another tile writes over the messages between host and firmware.
#include "launch.h"
#include "noc.h"

static void Send(void) {
  const u32 noc = MyNoc();
  for (u32 i = 0; i < 16; i += 4) Write32(0x100000 + i, 0);
#ifdef MENDED
  NocWrite(noc, 0x100000, NocXy(1, 3), 0x100080, 16);
#else
  NocWrite(noc, 0x100000, NocXy(1, 3), 0x80, 16);  // HERE
#endif
  NocWriteBarrier(noc);
}
static void Idle(void) {
}
static void Main(void) {
  if (Arg(0) != 0) {
    Send();
  } else {
    Idle();
  }
}
KERNEL(Main)
