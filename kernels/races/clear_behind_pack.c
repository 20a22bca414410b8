// TRISC2 packs rows of Dst and clears them; TRISC1 writes its next rows there without waiting for
// either (tenstorrent/tt-metal #15713, #14352; ORDERING.md, rows 16 and 27).
#include "races.h"
#include "tensix.h"
#if GUEST_CORE == CORE_TRISC2
#include "tile_pack.h"
#endif

enum { SEMAPHORE = 4 };

#if GUEST_CORE == CORE_TRISC1
static void Compute(void) {
  TTI(SEMINIT, .sem_sel = 1 << SEMAPHORE, .max_value = 1, .init_value = 0);
  for (u32 i = 0; i < 2; ++i) {
    if (MENDED) {
      TTI(SEMWAIT, .stall_res = STALL_MATH | STALL_SFPU | STALL_SYNC, .sem_sel = 1 << SEMAPHORE,
          .wait_sem_cond = SEMWAIT_ON_MAX);
    }
    TTI(SFPLOADI, .lreg_ind = 0, .imm16 = 0x3F80);
    TTI(SFPSTORE, .lreg_ind = 0, .sfpu_addr_mode = 7);
    TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_MATH | WAIT_SFPU);
    TTI(SEMPOST, .sem_sel = 1 << SEMAPHORE);
  }
  TensixSync();
  Report(0x600D0025);
}
KERNEL(Compute)
#else
static void PackAndClear(void) {
  PackInit();
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_TRISC_CFG);
  for (u32 i = 0; i < 2; ++i) {
    TTI(SEMWAIT, .stall_res = STALL_TDMA, .sem_sel = 1 << SEMAPHORE,
        .wait_sem_cond = SEMWAIT_ON_ZERO);
    PackSetAddress(ScratchAddress(0x1000) >> 4);
    TTI(MOP, .mop_type = 1);
    TTI(STALLWAIT, .stall_res = STALL_MATH | STALL_SYNC, .wait_res = WAIT_PACK);
    TTI(ZEROACC, .clear_mode = 2, .addr_mode = 1, .where = 0);
    TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_MATH);
    TTI(SEMGET, .sem_sel = 1 << SEMAPHORE);
  }
  TensixSync();
}
KERNEL(PackAndClear)
#endif
