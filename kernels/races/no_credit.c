// The first tile writes into the same buffer of the second again and again; the second says nothing
// of having read it (tenstorrent/tt-metal #50686; ORDERING.md, row 50). Arguments: result, x and y
// of the first tile, x and y of the second.
#include "races.h"
#include "noc.h"
#include "semaphore.h"

enum { ROUNDS = 3, WORDS = 16, SEM_DATA = 0, SEM_CREDIT = 1 };

static void Send(u32 noc) {
  const u32 there = NocXy(Arg(3), Arg(4));
  const u32 block = ScratchAddress(0);
  for (u32 round = 1; round <= ROUNDS; ++round) {
    for (u32 i = 0; i < WORDS; ++i) Write32(block + 4 * i, round);
    ReadBack(block + 4 * (WORDS - 1));
    if (MENDED) SemaphoreWaitMin(SEM_CREDIT, round - 1);
    NocWrite(noc, block, there, ScratchAddress(0x40), 4 * WORDS);
    NocWriteBarrier(noc);
    NocAtomicAdd(noc, there, SemaphoreAddress(SEM_DATA), 1);
    NocAtomicBarrier(noc);
  }
}

static void Receive(u32 noc) {
  const u32 there = NocXy(Arg(1), Arg(2));
  for (u32 round = 1; round <= ROUNDS; ++round) {
    SemaphoreWaitMin(SEM_DATA, round);
    for (u32 i = 0; i < WORDS; ++i) ReadBack(ScratchAddress(0x40) + 4 * i);
    NocAtomicAdd(noc, there, SemaphoreAddress(SEM_CREDIT), 1);
    NocAtomicBarrier(noc);
  }
}

static void Transfer(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == Arg(1) && MyY(noc) == Arg(2)) {
    Send(noc);
  } else {
    Receive(noc);
  }
  Report(0x600D0026);
}
KERNEL(Transfer)
