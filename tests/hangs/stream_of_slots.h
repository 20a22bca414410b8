// Two tiles: the sender puts pages into slots in the receiver's L1, the receiver adds them up and
// gives credits back. What they wait for is the programs' own.
// Arguments: peer x, y, pages, whether this is the sender, where the sum goes.
#pragma once
#include "launch.h"
#include "noc.h"
#include "semaphore.h"
enum { SLOTS = 4, SLOT_BYTES = 256, RING = 0x50000, STAGE = 0x48000, FILLED = 0, CREDITS = 1 };

static void AwaitCredit(u32 sent);
static void AwaitPage(u32 taken);
static u32 SlotAddress(u32 page);

static void Send(u32 noc, u32 peer) {
  for (u32 page = 0; page < Arg(2); ++page) {
    for (u32 i = 0; i < SLOT_BYTES; i += 4) Write32(STAGE + i, page);
    Fence();
    AwaitCredit(page);
    NocWrite(noc, STAGE, peer, SlotAddress(page), SLOT_BYTES);
    NocWriteBarrier(noc);
    NocAtomicAdd(noc, peer, SemaphoreAddress(FILLED), 1);
    NocAtomicBarrier(noc);
  }
}

static void Receive(u32 noc, u32 peer) {
  u32 sum = 0;
  for (u32 page = 0; page < Arg(2); ++page) {
    AwaitPage(page);
    const u32 slot = RING + page % SLOTS * SLOT_BYTES;
    for (u32 i = 0; i < SLOT_BYTES; i += 4) sum += Read32(slot + i);
    NocAtomicAdd(noc, peer, SemaphoreAddress(CREDITS), 1);
    NocAtomicBarrier(noc);
  }
  Write32(Arg(4), sum);
}

static void Stream(void) {
  const u32 noc = MyNoc();
  const u32 peer = NocXy(Arg(0), Arg(1));
  if (Arg(3)) {
    Send(noc, peer);
    Write32(Arg(4), 64 * Arg(2) * (Arg(2) - 1) / 2);
  } else {
    Receive(noc, peer);
  }
}
KERNEL(Stream)
