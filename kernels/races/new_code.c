// BRISC writes a function into L1, twice, and NCRISC calls it each time. Its instruction cache can
// still hold the first one (ORDERING.md, row 7).
#include "races.h"
#include "tensix_config.h"

enum {
  INVALIDATE = TENSIX_CFG_BASE + 4 * RISCV_IC_INVALIDATE_InvalidateAll_WORD,
  ALL_CORES = 0x1F
};

static void NewCode(void) {
  const u32 function = ScratchAddress(0x100), go = ScratchAddress(0), done = ScratchAddress(0x40);
  if (GUEST_CORE == CORE_BRISC) {
    for (u32 i = 1; i <= 2; ++i) {
      Write32(function, 0x00000513 | i << 20);  // li a0, i
      Write32(function + 4, 0x00008067);        // ret
      ReadBack(function + 4);
      if (MENDED) {
        Write32(INVALIDATE, ALL_CORES);
        ReadBack(INVALIDATE);
      }
      Write32(go, i);
      while (Read32(done) != i) Fence();
    }
    Report(0x600D004D);
  } else {
    for (u32 i = 1; i <= 2; ++i) {
      while (Read32(go) != i) Fence();
      ((u32(*)(void))function)();
      Write32(done, i);
    }
  }
}
KERNEL(NewCode)
