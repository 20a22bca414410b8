// A whole pipeline waits, because the reader waits for a semaphore that nobody raises.
#include "launch.h"
#include "tensix.h"
#if GUEST_CORE <= CORE_NCRISC
#include "cb.h"
#include "semaphore.h"
#endif

#if GUEST_CORE == CORE_NCRISC
static void Read(void) {
#ifdef MENDED
  SemaphoreSet(0, 1);
#endif
  SemaphoreWaitMin(0, 1);  // HERE
  CbReserveBack(0, 1);
  CbPushBack(0, 1);
}
KERNEL(Read)
#elif GUEST_CORE == CORE_TRISC0
static void Unpack(void) {
  while (Read32(StreamRegister(0, STREAM_TILES_RECEIVED)) == 0) {
  }
  TTI(UNPACR_NOP, .unpacker_select = 0, .set_dvalid = 1, .unpack_pop = 1);
}
KERNEL(Unpack)
#elif GUEST_CORE == CORE_TRISC1
static void Compute(void) {
  TTI(MOVA2D, .instr_mod = 2, .addr_mode = 7);
  TTI(CLEARDVALID, .cleardvalid = 1);
  TTI(SEMPOST, .sem_sel = 1 << 3);
}
KERNEL(Compute)
#elif GUEST_CORE == CORE_TRISC2
static void Pack(void) {
  while (SemaphoreRead(3) == 0) {
  }
  Write32(StreamRegister(16, STREAM_TILES_RECEIVED), 1);
}
KERNEL(Pack)
#else
static void Write(void) {
  CbWaitFront(16, 1);
  CbPopFront(16, 1);
}
KERNEL(Write)
#endif
