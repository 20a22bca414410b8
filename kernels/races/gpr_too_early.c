// A core reads a GPR that its thread may not have written yet (ORDERING.md, row 10).
#include "races.h"
#include "tensix.h"

static void SetAndRead(void) {
  TTI(SETDMAREG, .reg_index_16b = 2 * 20, .payload_sig_sel = 0x002A);
  TTI(SETDMAREG, .reg_index_16b = 2 * 20 + 1, .payload_sig_sel = 0x200D);
  if (MENDED) TensixSync();
  const u32 value = ReadBack(TENSIX_GPR_BASE + 4 * 20);
  TensixSync();
  Report(value);
}
KERNEL(SetAndRead)
