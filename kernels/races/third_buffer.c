// Two buffers and counting semaphores in L1, lowered when a look says that they are not 0. Broken,
// there are credits for three (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"

enum { FULL = 0, FREE = 4, BUFFERS = 2, BUFFER = 32, WORDS = 4, ROUNDS = 6, DATA = 0x40 };

static __attribute__((noinline)) void Take(u32 semaphore) {
  while ((i32)Read32(semaphore) <= 0) Fence();
  AtomicAdd(semaphore, (u32)-1);
}

static void Hand(void) {
  const u32 produces = GUEST_CORE == CORE_NCRISC;
  if (produces) AtomicAdd(ScratchAddress(FREE), MENDED ? BUFFERS : BUFFERS + 1);
  for (u32 i = 0; i < ROUNDS; ++i) {
    const u32 buffer = ScratchAddress(DATA) + i % BUFFERS * BUFFER;
    Take(ScratchAddress(produces ? FREE : FULL));
    for (u32 word = 0; word < WORDS; ++word) {
      if (produces) {
        Write32(buffer + 4 * word, i);
      } else {
        ReadBack(buffer + 4 * word);
      }
    }
    AtomicAdd(ScratchAddress(produces ? FULL : FREE), 1);
  }
  if (!produces) Report(0x600D0053);
}
KERNEL(Hand)
