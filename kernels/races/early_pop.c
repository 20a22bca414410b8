// TRISC0 unpacks a page and counts it as read at once: the unpacker may still read it when NCRISC
// fills it again (ORDERING.md, row 42).
#include "cb.h"
#include "races.h"
#if GUEST_CORE == CORE_TRISC0
#include "tile_unpack.h"
#endif

enum { PAGES = 4, WORDS = 16 };

#if GUEST_CORE == CORE_NCRISC
static void Produce(void) {
  for (u32 page = 0; page < PAGES; ++page) {
    CbReserveBack(0, 1);
    for (u32 i = 0; i < WORDS; ++i) Write32(CbWritePointer(0) + 4 * i, page);
    ReadBack(CbWritePointer(0) + 4 * (WORDS - 1));
    CbPushBack(0, 1);
  }
  Report(0x600D003D);
}
KERNEL(Produce)
#else
static void PopPage(void) {
  struct local_cb_interface* cb = LocalCb(0);
  const u32 acked = (cb->tiles_acked + 1) & 0xFFFF;
  cb->tiles_acked = acked;
  TT(SETDMAREG, .reg_index_16b = 2 * GPR_UNPACK_TMP, .payload_sig_sel = acked);
  TTI(SETDMAREG, .reg_index_16b = 2 * GPR_UNPACK_TMP + 1, .payload_sig_sel = 0);
  if (MENDED) TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_UNPACK0);
  TT(STOREREG, .tdma_data_reg_index = GPR_UNPACK_TMP,
     .reg_addr = (StreamRegister(0, STREAM_TILES_ACKED) & 0xFFFFF) >> 2);
  cb->fifo_rd_ptr += cb->fifo_page_size;
  if (cb->fifo_rd_ptr >= cb->fifo_limit) cb->fifo_rd_ptr -= cb->fifo_size;
}

static void Consume(void) {
  UnpackStart();
  TTI(SETADCXX, .cnt_set_mask = ADC_UNPACK0, .x_end2 = 15);
  for (u32 page = 0; page < PAGES; ++page) {
    UnpackWaitPages(0, 1);
    WriteConfig(THCON_SEC0_REG3_Base_address_WORD, UnpackPageAddress(0, 0) - 1);
    TTI(STALLWAIT, .stall_res = STALL_UNPACK, .wait_res = WAIT_TRISC_CFG);
    TTI(UNPACR, .unpack_block_selection = 0, .ovrd_thread_id = 1, .last = 1);
    PopPage();
    TensixSync();
  }
}
KERNEL(Consume)
#endif
