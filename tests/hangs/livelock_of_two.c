// Two cores hand a turn to each other, and neither ever has had enough.
#include "launch.h"

enum { TURN = 0x90000, COUNT = 0x90010 };

#ifdef MENDED
#define MORE(rounds) ((rounds) < 10)
#else
#define MORE(rounds) ((rounds) != 0xFFFFFFFF)
#endif

#if GUEST_CORE == CORE_BRISC
static void Ping(void) {
  Write32(COUNT, 0);
  while (MORE(Read32(COUNT))) {
    while (Read32(TURN) != 0) Fence();
    Write32(COUNT, Read32(COUNT) + 1);
    Write32(TURN, 1);
  }
}
KERNEL(Ping)
#else
static void Pong(void) {
  for (u32 rounds = 0; MORE(rounds); ++rounds) {
    while (Read32(TURN) != 1) Fence();
    Write32(TURN, 0);
  }
}
KERNEL(Pong)
#endif
