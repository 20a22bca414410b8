// Tiles of a rectangle in a ring: a block of words travels around it, changed by every tile, then
// the leader multicasts the result, and every tile reports that it has it.
//
// Arguments: x0, y0, x1, y1 (corners of the rectangle, translated coordinates, no column of other
// tiles between), rounds, address of the block in L1, address of the checksum in L1.
// Semaphores, all starting from 0: 0 token, 1 result is there, 2 reports (at the leader).
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

enum { BLOCK_WORDS = 64, SEM_TOKEN = 0, SEM_RESULT = 1, SEM_REPORTS = 2 };

struct ring {
  u32 noc;
  u32 x0, y0, x1, y1;
  u32 tiles;
  u32 index;    // of this tile, row by row
  u32 next_xy;  // of the tile after this one
  u32 block;
};

static struct ring RingFromArguments(void) {
  struct ring ring = {.noc = MyNoc(), .x0 = Arg(0), .y0 = Arg(1), .x1 = Arg(2), .y1 = Arg(3)};
  const u32 width = ring.x1 - ring.x0 + 1;
  ring.tiles = width * (ring.y1 - ring.y0 + 1);
  ring.index = (MyY(ring.noc) - ring.y0) * width + MyX(ring.noc) - ring.x0;
  const u32 next = (ring.index + 1) % ring.tiles;
  ring.next_xy = NocXy(ring.x0 + next % width, ring.y0 + next / width);
  ring.block = Arg(5);
  return ring;
}

// Every tile mixes its place in the ring into every word.
static void ChangeBlock(const struct ring* ring) {
  for (u32 i = 0; i < BLOCK_WORDS; ++i) {
    const u32 word = Read32(ring->block + 4 * i);
    Write32(ring->block + 4 * i, word * 0x01000193u + (ring->index << 8 | i));
  }
}

// The block must be in memory before the NIU reads it, and must have arrived before the token says
// so.
static void PassOn(const struct ring* ring) {
  Fence();
  NocWrite(ring->noc, ring->block, ring->next_xy, ring->block, 4 * BLOCK_WORDS);
  NocWriteBarrier(ring->noc);
  NocAtomicAdd(ring->noc, ring->next_xy, SemaphoreAddress(SEM_TOKEN), 1);
  NocAtomicBarrier(ring->noc);
}

static void Circulate(const struct ring* ring, u32 rounds) {
  if (ring->index == 0) {
    for (u32 i = 0; i < BLOCK_WORDS; ++i) Write32(ring->block + 4 * i, i);
  }
  for (u32 round = 0; round < rounds; ++round) {
    if (ring->index != 0) SemaphoreWaitMin(SEM_TOKEN, round + 1);
    ChangeBlock(ring);
    PassOn(ring);
    // The leader closes the round.
    if (ring->index == 0) SemaphoreWaitMin(SEM_TOKEN, round + 1);
  }
}

// The result to all others, then the word that says it is there, behind it on the same path.
static void Publish(const struct ring* ring) {
  const u32 rectangle = NocRectangle(ring->noc, ring->x0, ring->y0, ring->x1, ring->y1);
  NocWriteMulticast(ring->noc, ring->block, rectangle, ring->block, 4 * BLOCK_WORDS,
                    ring->tiles - 1);
  NocWriteBarrier(ring->noc);
  SemaphoreSet(SEM_RESULT, 1);
  Fence();
  NocWriteMulticast(ring->noc, SemaphoreAddress(SEM_RESULT), rectangle,
                    SemaphoreAddress(SEM_RESULT), 4, ring->tiles - 1);
  NocWriteBarrier(ring->noc);
  SemaphoreWaitMin(SEM_REPORTS, ring->tiles - 1);
}

static void Report(const struct ring* ring) {
  SemaphoreWaitMin(SEM_RESULT, 1);
  NocAtomicAdd(ring->noc, NocXy(ring->x0, ring->y0), SemaphoreAddress(SEM_REPORTS), 1);
  NocAtomicBarrier(ring->noc);
}

static void Ring(void) {
  const struct ring ring = RingFromArguments();
  Circulate(&ring, Arg(4));
  if (ring.index == 0) {
    Publish(&ring);
  } else {
    Report(&ring);
  }
  u32 checksum = 0;
  for (u32 i = 0; i < BLOCK_WORDS; ++i) checksum = checksum * 31 + Read32(ring.block + 4 * i);
  Write32(Arg(6), checksum);
}

KERNEL(Ring)
