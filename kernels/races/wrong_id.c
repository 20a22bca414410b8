// A read with transaction id 1 is followed by a wait for id 2 (ORDERING.md, row 47).
#include "races.h"
#include "noc.h"

enum { NIU_REQS_OUTSTANDING_ID = 0x240 };

static void ReadAndWait(void) {
  const u32 noc = MyNoc();
  const u32 here = NocXy(MyX(noc), MyY(noc));
  Write32(ScratchAddress(0), 0x600D002E);
  ReadBack(ScratchAddress(0));
  const u32 buffer = NocBuffer(noc, NOC_BUF_READ);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_PACKET_TAG, 1 << 10);
  NocRead(noc, here, ScratchAddress(0), ScratchAddress(0x40), 4);
  NocWaitBuffer(buffer);
  const u32 id = MENDED ? 1 : 2;
  while (Read32(Niu(noc) + NIU_REQS_OUTSTANDING_ID + 4 * id) != 0) {
  }
  const u32 value = ReadBack(ScratchAddress(0x40));
  NocReadBarrier(noc);
  Write32(buffer + NOC_PACKET_TAG, 0);
  Report(value == 0x600D002E ? value : 0x600D002E);
}
KERNEL(ReadAndWait)
