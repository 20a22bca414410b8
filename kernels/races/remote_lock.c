// Two tiles change a word of a third under a ticket lock that lies there: an atomic draws the
// number, a word that is read again and again says whose turn it is. Broken, each goes on without
// looking, but the first time (ORDERING.md, row 46). Arguments: result, x and y of the owner.
#include "noc.h"
#include "races.h"
#include "semaphore.h"

enum { ROUNDS = 2, NEXT = 0, SERVING = 1, ANSWER = 0x20, DATA = 0x40 };

static u32 Draw(u32 noc, u32 owner) {
  NocAtomicAdd(noc, owner, SemaphoreAddress(NEXT), 1);
  NocAtomicBarrier(noc);
  return Read32(L1_NOC_ATOMIC_RET_VAL);
}

static void Change(void) {
  const u32 noc = MyNoc();
  const u32 owner = NocXy(Arg(1), Arg(2));
  const u32 data = ScratchAddress(DATA);
  for (u32 round = 0; MyX(noc) != Arg(1) && round < ROUNDS; ++round) {
    const u32 mine = Draw(noc, owner);
    do {
      NocRead(noc, owner, SemaphoreAddress(SERVING), ScratchAddress(ANSWER), 4);
      NocReadBarrier(noc);
    } while (Read32(ScratchAddress(ANSWER)) != mine && (MENDED || round == 0));
    NocRead(noc, owner, data, data, 16);
    NocReadBarrier(noc);
    Write32(data, Read32(data) + 1);
    ReadBack(data);
    NocWrite(noc, data, owner, data, 16);
    NocWriteBarrier(noc);
    NocAtomicAdd(noc, owner, SemaphoreAddress(SERVING), 1);
    NocAtomicBarrier(noc);
  }
  Report(0x600D0054);
}
KERNEL(Change)
