// Three cores pass values on between barriers, of which each turns a sense word over. Broken, the
// second barrier of a round is missing (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"

enum { CORES = 3, ROUNDS = 3, COUNT = 0, SENSE = 4, SLOTS = 0x40 };

static __attribute__((noinline)) u32 Barrier(u32 sense) {
  if (AtomicAdd(ScratchAddress(COUNT), 1) == CORES - 1) {
    Write32(ScratchAddress(COUNT), 0);
    Write32(ScratchAddress(SENSE), !sense);
  } else {
    while (Read32(ScratchAddress(SENSE)) == sense) Fence();
  }
  return !sense;
}

static void PassOn(void) {
  u32 sense = 0;
  u32 value = GUEST_CORE;
  for (u32 round = 0; round < ROUNDS; ++round) {
    Write32(ScratchAddress(SLOTS) + 4 * GUEST_CORE, value);
    sense = Barrier(sense);
    value += Read32(ScratchAddress(SLOTS) + 4 * ((GUEST_CORE + 1) % CORES));
    if (MENDED) sense = Barrier(sense);
  }
  Report(0x600D004F);
}
KERNEL(PassOn)
