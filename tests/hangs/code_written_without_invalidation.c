// A routine in L1 is called, written anew and called again.
#include "launch.h"
#include "mmio.h"
#include "tensix_config.h"

enum { ROUTINE = 0x100000 };

static void Call(u32 immediate) {
  Write32(ROUTINE, immediate << 20 | 0x00000513);  // li a0, immediate
  Write32(ROUTINE + 4, 0x00008067);                // ret
#ifdef MENDED
  Write32(TENSIX_CFG_BASE + 4 * RISCV_IC_INVALIDATE_InvalidateAll_WORD, 0x1F);
#endif
  ((u32 (*)(void))ROUTINE)();  // HERE
}

static void CallTwice(void) {
  Call(1);
  Call(2);
}
KERNEL(CallTwice)
