// The receiver of two messages does not set its semaphore back between them, and reads the second
// one before it has come.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

enum { SENT = 0x90000, GOT = 0x91000, RESULT = 0x92000 };

static void Send(u32 noc) {
  for (u32 i = 0; i < 2; ++i) {
    for (u32 pause = 0; pause < 2000; ++pause) __asm__ volatile("");
    Write32(SENT, 10 + i);
    Fence();
    NocWrite(noc, SENT, NocXy(2, 2), GOT, 4);
    NocWriteBarrier(noc);
    NocAtomicAdd(noc, NocXy(2, 2), SemaphoreAddress(0), 1);
    NocAtomicBarrier(noc);
  }
}

static void Receive(void) {
  u32 sum = 0;
  for (u32 i = 0; i < 2; ++i) {
    SemaphoreWaitMin(0, 1);
    sum += Read32(GOT);
#ifdef MENDED
    SemaphoreSet(0, 0);
#endif
  }
  Write32(RESULT, sum);  // HERE
}

static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == 1) return Send(noc);
  Receive();
}
KERNEL(Main)
