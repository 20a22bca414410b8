// A bank of SrcA is cleared to ones, of whose bits no document speaks.
#include "launch.h"
#include "tensix.h"

#ifdef MENDED
enum { VALUE = 0 };
#else
enum { VALUE = 2 };
#endif

static void Clear(void) {
  TTI(UNPACR_NOP, .unpacker_select = 0, .unpack_pop = 1, .src_clr_val_ctrl = VALUE);  // HERE
}
KERNEL(Clear)
