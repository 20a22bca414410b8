// Thread 1 stores rows of Dst by the vector unit and posts a semaphore without waiting for the
// unit; thread 2 packs them (ORDERING.md, row 27).
#include "races.h"
#include "tensix.h"
#if GUEST_CORE == CORE_TRISC2
#include "tile_pack.h"
#endif

enum { SEMAPHORE = 4 };

#if GUEST_CORE == CORE_TRISC1
static void Compute(void) {
  TTI(SFPLOADI, .lreg_ind = 0, .imm16 = 0x3F80);
  TTI(SFPSTORE, .lreg_ind = 0, .sfpu_addr_mode = 7);
  if (MENDED) TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_MATH | WAIT_SFPU);
  TTI(SEMPOST, .sem_sel = 1 << SEMAPHORE);
  TensixSync();
  Report(0x600D0038);
}
KERNEL(Compute)
#else
static void Pack(void) {
  PackInit();
  PackSetAddress(ScratchAddress(0x1000) >> 4);
  TTI(SEMWAIT, .stall_res = STALL_TDMA, .sem_sel = 1 << SEMAPHORE,
      .wait_sem_cond = SEMWAIT_ON_ZERO);
  TTI(PACR, .addr_mode = 1, .last = 1);
  TensixSync();
}
KERNEL(Pack)
#endif
