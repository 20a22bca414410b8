// BRISC does something else while it waits: it looks at a flag once in each round of a loop that
// also counts its rounds in L1, behind a function and a state that it keeps. Broken, it reads
// before it looks (ORDERING.md, row 66).
#include "races.h"

enum { FLAG = 0, DATA = 0x40, ROUNDS = 0x80, WAIT = 700 };

#if GUEST_CORE == CORE_NCRISC
static void Produce(void) {
  for (u32 i = 0; i < WAIT; ++i) __asm__ volatile("nop");
  Write32(ScratchAddress(DATA), 7);
  ReadBack(ScratchAddress(DATA));
  Write32(ScratchAddress(FLAG), 1);
}
KERNEL(Produce)
#else
enum { WAITING, READY, DONE };
typedef struct {
  u32 state, rounds, value;
} Machine;

static __attribute__((noinline)) void Look(volatile Machine* machine) {
  if (Read32(ScratchAddress(FLAG)) != 0) machine->state = READY;
  Fence();
}
static __attribute__((noinline)) void Take(volatile Machine* machine) {
  machine->value = Read32(ScratchAddress(DATA));
}
static void Consume(void) {
  volatile Machine machine = {WAITING, 0, 0};
  while (machine.state != DONE) {
    if (machine.state == WAITING) {
      if (!MENDED) Take(&machine);
      Look(&machine);
    } else {
      if (MENDED) Take(&machine);
      machine.state = DONE;
    }
    Write32(ScratchAddress(ROUNDS), ++machine.rounds);
  }
  Report(0x600D0000);
}
KERNEL(Consume)
#endif
