// Pages are counted in rows of eight banks, and the board has seven.
#include "launch.h"
#include "metal_names.h"
#ifdef MENDED
enum { BANKS = 7 };
#else
enum { BANKS = 8 };
#endif
static void kernel_main(void) {
  const struct interleaved_dram out = InterleavedDram(MyNoc(), Arg(1), 2048);
  for (u32 p = 0; p < 16; ++p) {
    const u32 xy = LDM16(LDM_DRAM_BANK_TO_NOC_XY + 2 * (MyNoc() * MAX_DRAM_BANKS + p % 7));
    NocRead(MyNoc(), xy, Arg(0) + p / BANKS * 2048, 0x40000, 2048);  // HERE
    noc_async_read_barrier();
    noc_async_write_page(0x40000, &out, p);
    noc_async_write_barrier();
  }
}
KERNEL(kernel_main)
