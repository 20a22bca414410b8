// A byte is stored to a register, which takes whole words.
#include "launch.h"
#include "mmio.h"

static void Set(void) {
#ifdef MENDED
  Write32(TDMA_CLK_GATE_EN, 0x3F);
#else
  *(volatile u8*)TDMA_CLK_GATE_EN = 0x3F;  // HERE
#endif
}
KERNEL(Set)
