// The semaphore between TRISC1 and TRISC2 lets the vector unit be three halves of Dst ahead, and
// there are two (ORDERING.md, row 16).
#include "races.h"
#if GUEST_CORE == CORE_TRISC2
#include "tile_pack.h"

static void ThirdHalf(void) {
  struct packer p = PackInit();
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_TRISC_CFG);
  for (u32 i = 0; i < 4; ++i) {
    PackAcquireDst();
    PackSetAddress(ScratchAddress(0x1000) >> 4);
    TTI(MOP, .mop_type = 1);
    TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
    PackReleaseDst(&p);
  }
  TensixSync();
}
#else
#include "tile_math.h"

static void ThirdHalf(void) {
  MathStart();
  if (!MENDED) TTI(SEMINIT, .max_value = 3, .init_value = 0, .sem_sel = 1 << SEM_MATH_PACK);
  for (u32 i = 0; i < 4; ++i) {
    MathAcquireDst();
    TTI(SFPLOADI, .lreg_ind = 0, .imm16 = 0x3F80);
    TTI(SFPSTORE, .lreg_ind = 0, .sfpu_addr_mode = 7);
    MathReleaseDst();
  }
  TensixSync();
  Report(0x600D0051);
}
#endif
KERNEL(ThirdHalf)
