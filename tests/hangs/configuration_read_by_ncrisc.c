// NCRISC cannot reach the coprocessor's configuration.
#include "launch.h"
#include "mmio.h"

#ifdef MENDED
enum { FROM = 0x90000 };
#else
#define FROM TENSIX_CFG_BASE
#endif

static void Look(void) {
  const u32 value = Read32(FROM);  // HERE
  Write32(0x90010, value);
}
KERNEL(Look)
