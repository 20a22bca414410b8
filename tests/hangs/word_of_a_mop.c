// The same, out of a MOP: its word is in the MOP's configuration, and the kernel pushes the MOP.
#include "config_index.h"
#include "tensix.h"

enum { WORDS = 9, FIRST_OF_THE_LOOP = 5 };

static void Expand(void) {
  volatile u32* mop = (volatile u32*)0xFFB80000;
  u32 word = OP(SETC16, .setc16_reg = ConfigIndex(), .setc16_value = 1);
  mop[0] = 1;  // once
  mop[1] = 1;
  for (u32 i = 2; i < WORDS; ++i) mop[i] = i < FIRST_OF_THE_LOOP ? OP(NOP) : word;
  TTI(MOP, .mop_type = 1);  // HERE
}
KERNEL(Expand)
