// The same, out of a MOP: its word is in the MOP's configuration, and the kernel pushes the MOP.
#include "launch.h"
#include "tensix.h"

enum { BEYOND = 100, WORDS = 9, FIRST_TEMPLATE = 2 };

static void Expand(u32 index) {
  volatile u32* mop = (volatile u32*)0xFFB80000;
  u32 word = OP(SETC16, .setc16_reg = index, .setc16_value = 1);
  mop[0] = 1;  // once
  mop[1] = 1;
  for (u32 i = FIRST_TEMPLATE; i < WORDS; ++i) mop[i] = i < 5 ? OP(NOP) : word;
  TTI(MOP, .mop_type = 1);  // HERE
}

static void Main(void) {
#ifdef MENDED
  volatile u32 index = 1;
#else
  volatile u32 index = BEYOND;
#endif
  Expand(index);
}
KERNEL(Main)
