// TRISC0 clears banks with UNPACR_NOP that waits for the matrix unit's bank instead of the one that
// it clears (tenstorrent/tt-metal #53822, #53823, #54731; ORDERING.md, row 21).
#include "races.h"
#include "tensix.h"

enum { BANKS = 4 };

#if GUEST_CORE == CORE_TRISC0
static void ClearBanks(void) {
  for (u32 i = 0; i < BANKS; ++i) {
    TTI(UNPACR_NOP, .unpacker_select = 0, .set_dvalid = 1, .unpack_pop = 1,
        .stall_clr_cntrl = MENDED);
    TTI(UNPACR_NOP, .unpacker_select = 1, .set_dvalid = 1, .unpack_pop = 1, .stall_clr_cntrl = 1);
  }
}
KERNEL(ClearBanks)
#else
static void Add(void) {
  TTI(ZEROACC, .clear_mode = 3, .addr_mode = 1);
  for (u32 i = 0; i < BANKS; ++i) TTI(ELWADD, .clear_dvalid = 3);
  TensixSync();
  Report(0x600D0017);
}
KERNEL(Add)
#endif
