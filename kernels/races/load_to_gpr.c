// The scalar unit loads a word of L1 into a GPR and adds to it at once: the load ends behind the
// thread's back (ORDERING.md, row 37).
#include "races.h"
#include "tensix.h"

static void LoadAndAdd(void) {
  Write32(ScratchAddress(0), 0x600D0000);
  ReadBack(ScratchAddress(0));
  TT(SETDMAREG, .reg_index_16b = 2 * 20, .payload_sig_sel = (ScratchAddress(0) >> 4) & 0x3FFF,
     .payload_sig_sel_size = (ScratchAddress(0) >> 18) & 3);
  TT(SETDMAREG, .reg_index_16b = 2 * 20 + 1, .payload_sig_sel = ScratchAddress(0) >> 20);
  TTI(SETDMAREG, .reg_index_16b = 2 * 21, .payload_sig_sel = 0);
  TTI(SETDMAREG, .reg_index_16b = 2 * 21 + 1, .payload_sig_sel = 0);
  TTI(LOADIND, .addr_reg_index = 20, .data_reg_index = 22, .offset_index = 42, .size_sel = 1);
  if (MENDED) TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_THCON);
  TTI(ADDDMAREG, .op_b_is_const = 1, .op_a_reg_index = 22, .op_b_reg_index = 1,
      .result_reg_index = 23);
  TensixSync();
  Report(ReadBack(TENSIX_GPR_BASE + 4 * 23));
}
KERNEL(LoadAndAdd)
