// TRISC2 packs a page and counts it at once: the packer may not have written it (ORDERING.md, row
// 42).
#include "races.h"
#include "cb.h"
#if GUEST_CORE == CORE_TRISC2
#include "tile_pack.h"
#endif

#if GUEST_CORE == CORE_TRISC2
static void PackAndPush(void) {
  PackInit();
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_TRISC_CFG);
  PackSetAddress(LocalCb(0)->fifo_wr_ptr);
  TTI(SETDMAREG, .reg_index_16b = 2 * GPR_NUM_PAGES, .payload_sig_sel = 1);
  TTI(SETDMAREG, .reg_index_16b = 2 * GPR_NUM_PAGES + 1, .payload_sig_sel = 0);
  TTI(MOP, .mop_type = 1);
  if (MENDED) TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_PACK);
  TTI(STOREREG, .tdma_data_reg_index = GPR_NUM_PAGES,
      .reg_addr = (StreamRegister(0, STREAM_TILES_RECEIVED) & 0xFFFFF) >> 2);
  TensixSync();
}
KERNEL(PackAndPush)
#else
static void Consume(void) {
  CbWaitFront(0, 1);
  u32 sum = 0;
  for (u32 i = 0; i < 16; ++i) sum += Read32(CbReadPointer(0) + 4 * i);
  CbPopFront(0, 1);
  Report(0x600D002D + 0 * sum);
}
KERNEL(Consume)
#endif
