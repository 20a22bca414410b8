// The old value that an atomic brings back is put where the page lies that is sent next.
#include "launch.h"
#include "metal_names.h"
// Arguments: output, whether this tile works.
enum { PAGE = 0x40000 };
#ifdef MENDED
enum { ANSWER = 0x41000 };
#else
enum { ANSWER = PAGE };
#endif

static u32 take_number(void) {
  const u32 buffer = NocBuffer(MyNoc(), NOC_BUF_ATOMIC);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_RET_ADDR_LO, ANSWER);
  Write32(buffer + NOC_CTRL, NOC_CMD_AT | NOC_CMD_RESP_MARKED | NOC_CMD_VC_STATIC | NOC_VC_UNICAST);
  Write32(buffer + NOC_TARG_ADDR_LO, get_semaphore(0));
  Write32(buffer + NOC_TARG_ADDR_MID, 0);
  Write32(buffer + NOC_TARG_ADDR_HI, NocXy(1, 2));
  Write32(buffer + NOC_RET_ADDR_HI, NocXy(MyX(MyNoc()), MyY(MyNoc())));
  Write32(buffer + NOC_AT_LEN_BE,
          NOC_ATOMIC_INCREMENT | NOC_ATOMIC_WRAP_32 | (get_semaphore(0) >> 2 & 3));
  Write32(buffer + NOC_AT_DATA, 1);
  Write32(buffer + NOC_CMD_CTRL, 1);  // HERE
  ++LDM32(LDM_NOC_NONPOSTED_ATOMICS_ACKED + 4 * MyNoc());
  noc_async_atomic_barrier();
  return Read32(ANSWER);
}

static void kernel_main(void) {
  const struct interleaved_dram out = InterleavedDram(MyNoc(), Arg(0), 128);
  for (u32 i = 0; i < 32; ++i) Write32(PAGE + 4 * i, 100 + i);
  ReadBack(PAGE + 124);
  for (u32 round = 0; round < 4; ++round) {
    const u32 page = take_number();
    noc_async_write_page(PAGE, &out, page);
    noc_async_write_barrier();
  }
}
KERNEL(kernel_main)
