// NCRISC hands a page of a circular buffer over before the read that fills it has arrived
// (tenstorrent/tt-metal #50973, #50981; ORDERING.md, row 47).
#include "races.h"
#include "cb.h"
#include "noc.h"

enum { WORDS = 512 };

#if GUEST_CORE == CORE_NCRISC
static void Produce(void) {
  const u32 noc = MyNoc();
  const u32 source = ScratchAddress(0x1000);
  for (u32 i = 0; i < WORDS; ++i) Write32(source + 4 * i, i);
  ReadBack(source + 4 * (WORDS - 1));
  CbReserveBack(0, 1);
  NocRead(noc, NocXy(MyX(noc), MyY(noc)), source, CbWritePointer(0), 4 * WORDS);
  if (MENDED) NocReadBarrier(noc);
  CbPushBack(0, 1);
  NocReadBarrier(noc);
}
KERNEL(Produce)
#else
static void Consume(void) {
  CbWaitFront(0, 1);
  u32 sum = 0;
  for (u32 i = 0; i < WORDS; ++i) sum += Read32(CbReadPointer(0) + 4 * i);
  CbPopFront(0, 1);
  Report(sum);
}
KERNEL(Consume)
#endif
