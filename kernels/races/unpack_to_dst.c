// TRISC0 unpacks 32-bit data to Dst; TRISC1 moves rows of Dst to SrcB without waiting for it
// (tenstorrent/tt-metal #46799, #52047; ORDERING.md, row 28).
#define IN_FORMAT FORMAT_FP32
#define SRC_FORMAT FORMAT_FP32
#define DST_FORMAT FORMAT_FP32
#include "races.h"
#include "tensix.h"
#if GUEST_CORE == CORE_TRISC0
#include "tile_unpack_dst.h"
#endif

enum { STALL_ALL = STALL_MATH | STALL_SFPU | STALL_SYNC };

#if GUEST_CORE == CORE_TRISC0
static void UnpackToDst(void) {
  struct unpacker unpacker = UnpackToDstInit();
  UnpackAt(&unpacker, ScratchAddress(0x1000) >> 4);
  TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_UNPACK0);
  TTI(SEMPOST, .sem_sel = 1 << SEM_UNPACK_TO_DST);
  TensixSync();
}
KERNEL(UnpackToDst)
#else
static void MoveToSrc(void) {
  if (MENDED) {
    TTI(SEMWAIT, .stall_res = STALL_ALL, .sem_sel = 1 << SEM_UNPACK_TO_DST,
        .wait_sem_cond = SEMWAIT_ON_ZERO);
    TTI(SEMGET, .sem_sel = 1 << SEM_UNPACK_TO_DST);
  }
  for (u32 i = 0; i < 8; ++i) TTI(SFPLOAD, .lreg_ind = 0, .sfpu_addr_mode = 7);
  TensixSync();
  Report(0x600D0024);
}
KERNEL(MoveToSrc)
#endif
