// A row of 20,000 bytes is asked for in one request, and a NoC packet has 16,384 at most.
#include "launch.h"
#include "metal_names.h"
enum { ROW = 20032 };

static void read_row(u32 x, u32 y, u32 address, u32 l1) {
#ifdef MENDED
  noc_async_read(x, y, address, l1, ROW);
#else
  const u32 buffer = NocBuffer(MyNoc(), NOC_BUF_READ);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_RET_ADDR_LO, l1);
  Write32(buffer + NOC_TARG_ADDR_LO, address);
  Write32(buffer + NOC_TARG_ADDR_MID, 0);
  Write32(buffer + NOC_TARG_ADDR_HI, NocXy(x, y));
  Write32(buffer + NOC_AT_LEN_BE, ROW);
  Write32(buffer + NOC_CMD_CTRL, 1);
  ++LDM32(LDM_NOC_READS_NUM_ISSUED + 4 * MyNoc());
#endif
}

static void kernel_main(void) {
  for (u32 i = 0; i < ROW; i += 4) Write32(0x60000 + i, i);
  ReadBack(0x60000 + ROW - 4);
  read_row(1, 2, 0x60000, 0x70000);
  noc_async_read_barrier();  // HERE
}
KERNEL(kernel_main)
