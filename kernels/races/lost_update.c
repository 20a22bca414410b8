// TRISC2 changes the upper bits of a configuration word by load, change, store; TRISC0 changes bit
// 0 of the same word with RMWCIB (tenstorrent/tt-metal #22068; ORDERING.md, row 39).
#include "races.h"
#include "tensix.h"

enum { ROUNDS = 16 };

#if GUEST_CORE == CORE_TRISC0
static void ChangeLowBit(void) {
  for (u32 i = 0; i < ROUNDS; ++i) {
    TTI(RMWCIB0, .cfg_reg_addr = SCRATCH_SEC0_val_WORD, .mask = 1, .data = 1);
  }
  TensixSync();
  Report(0x600D0003);
}
KERNEL(ChangeLowBit)
#else
static void ChangeUpperBits(void) {
  for (u32 i = 0; i < ROUNDS; ++i) {
    if (MENDED) {
      TTI(RMWCIB1, .cfg_reg_addr = SCRATCH_SEC0_val_WORD, .mask = 0xFF, .data = 0x5A);
    } else {
      const u32 word = ConfigBase() + 4 * SCRATCH_SEC0_val_WORD;
      Write32(word, (Read32(word) & ~0xFF00u) | 0x5A00);
    }
  }
  TensixSync();
}
KERNEL(ChangeUpperBits)
#endif
