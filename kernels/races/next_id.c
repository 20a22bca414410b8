// Reads go out with four transaction ids in turn, all on one channel. Broken, BRISC once waits for
// the id of the next read: answers come in any order (ORDERING.md, row 47). Arguments: result, x
// and y of the tile that is read.
#include "noc.h"
#include "races.h"

enum { IDS = 4, ROUNDS = 8, RACY = 6, SIZE = 64, OUTSTANDING = 0x240, FROM = 0x400, TO = 0x40 };

static void Start(u32 noc, u32 id) {
  const u32 buffer = NocBuffer(noc, NOC_BUF_READ);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_PACKET_TAG, id << 10);
  NocRead(noc, NocXy(Arg(1), Arg(2)), ScratchAddress(FROM) + SIZE * id,
          ScratchAddress(TO) + SIZE * id, SIZE);
}
static void Wait(u32 noc, u32 id) {
  while (Read32(Niu(noc) + OUTSTANDING + 4 * id) != 0) {
  }
  Fence();
}

static void Turns(void) {
  const u32 noc = MyNoc();
  const u32 buffer = NocBuffer(noc, NOC_BUF_READ);
  for (u32 id = 1; id <= IDS; ++id) Start(noc, id);
  for (u32 i = 0; i < ROUNDS; ++i) {
    const u32 id = 1 + i % IDS;
    Wait(noc, MENDED || i != RACY ? id : 1 + (i + 1) % IDS);
    ReadBack(ScratchAddress(TO) + SIZE * id);
    if (i < ROUNDS - IDS) Start(noc, id);
  }
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_PACKET_TAG, 0);
  NocReadBarrier(noc);
  Report(0x600D0052);
}
KERNEL(Turns)
