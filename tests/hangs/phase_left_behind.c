// A product leaves the fidelity phase at 1, in which a sum is scaled down.
#include "launch.h"
#include "tensix.h"
#include "tile_math.h"

#if GUEST_CORE == CORE_TRISC0
static void Fill(void) {
  TTI(UNPACR_NOP, .unpacker_select = 0, .set_dvalid = 1, .unpack_pop = 1);
  TTI(UNPACR_NOP, .unpacker_select = 1, .set_dvalid = 1, .unpack_pop = 1);
}
KERNEL(Fill)
#else
static void Compute(void) {
  SET_ADDR_MOD(4, 0, 1 << ADDR_MOD_DST_SEC4_FidelityIncr_LOW);
  SET_ADDR_MOD(5, 0, 0);
  TTI(SETRWC, .bit_mask = 0xF);
  TTI(ELWMUL, .addr_mode = 4);
#ifdef MENDED
  TTI(SETRWC, .bit_mask = 8);
#endif
  TTI(ELWADD, .addr_mode = 5, .clear_dvalid = 3);  // HERE
}
KERNEL(Compute)
#endif
