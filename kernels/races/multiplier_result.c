// SFPIADD reads as VD what SFPMAD has just written, which the automatic stall does not see; both
// are played from the replay buffer by a MOP (ORDERING.md, row 30).
#include "races.h"
#include "tensix.h"

static void MultiplierResult(void) {
  ReplayRecord(0, 4);
  TTI(SFPMAD, .lreg_src_a = 10, .lreg_src_b = 10, .lreg_src_c = 9, .lreg_dest = 1);
  if (MENDED) {
    TTI(SFPNOP);
  } else {
    TTI(SFPIADD, .lreg_dest = 1, .lreg_c = 2);
  }
  TTI(SFPIADD, .lreg_dest = 1, .lreg_c = 2);
  TTI(SFPNOP);
  ReplayRecorded();
  const u32 play = OP(REPLAY, .start_idx = 0, .len = 4);
  ConfigureMop((struct mop){.outer = 1,
                            .inner = 2,
                            .start = OP(NOP),
                            .end = OP(NOP),
                            .loop = play,
                            .last_inner = play,
                            .last_outer = play});
  TTI(MOP, .mop_type = 1);
  TensixSync();
  Report(0x600D004E);
}
KERNEL(MultiplierResult)
