// A byte of configuration is to be changed under a mask, and the mask is that of another byte.
#include "launch.h"
#include "tensix.h"

enum { WORD = 92, MASK = 0x0F00 };

static void Configure(void) {
#ifdef MENDED
  TTI(RMWCIB1, .cfg_reg_addr = WORD, .data = 0, .mask = MASK >> 8 & 0xFF);
#else
  TTI(RMWCIB0, .cfg_reg_addr = WORD, .data = 0, .mask = MASK & 0xFF);  // HERE
#endif
}
KERNEL(Configure)
