// A Tensix word is put together by hand, with a bit that means nothing.
#include "launch.h"
#include "mmio.h"

static void Push(void) {
#ifdef MENDED
  Write32(TENSIX_INSTRN_BUF, 0x02000000);
#else
  Write32(TENSIX_INSTRN_BUF, 0x02000001);
#endif
  TensixSync();
}
KERNEL(Push)
