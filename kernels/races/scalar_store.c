// The scalar unit of thread 0 stores a word, and TRISC0 tells BRISC by mailbox at once: what was
// pushed need not have been carried out (ORDERING.md, row 10).
#include "races.h"
#include "tensix.h"

enum { MAILBOX_BASE = 0xFFEC0000, MAILBOX_STRIDE = 0x1000, DATA = 20, ADDRESS = 21, OFFSET = 22 };

#if GUEST_CORE == CORE_TRISC0
static void Store(void) {
  const u32 units = ScratchAddress(0) >> 4;
  TTI(SETDMAREG, .reg_index_16b = 2 * DATA, .payload_sig_sel = 0x0036);
  TTI(SETDMAREG, .reg_index_16b = 2 * DATA + 1, .payload_sig_sel = 0);
  TT(SETDMAREG, .reg_index_16b = 2 * ADDRESS, .payload_sig_sel = units & 0x3FFF,
     .payload_sig_sel_size = units >> 14 & 3);
  TT(SETDMAREG, .reg_index_16b = 2 * ADDRESS + 1, .payload_sig_sel = units >> 16);
  TTI(SETDMAREG, .reg_index_16b = 2 * OFFSET, .payload_sig_sel = 0);
  TTI(SETDMAREG, .reg_index_16b = 2 * OFFSET + 1, .payload_sig_sel = 0);
  TTI(STOREIND, .mem_hier_sel = 1, .size_sel = 1, .offset_index = 2 * OFFSET,
      .data_reg_index = DATA, .addr_reg_index = ADDRESS);
  if (MENDED) TensixSync();
  Write32(MAILBOX_BASE, 1);  // to BRISC
}
KERNEL(Store)
#else
static void Load(void) {
  ReadBack(MAILBOX_BASE + 1 * MAILBOX_STRIDE);  // from TRISC0
  const u32 value = ReadBack(ScratchAddress(0));
  Report(0x600D0036 + 0 * value);
}
KERNEL(Load)
#endif
