// A word of Tensix code that is computed and stored, as LLK's TT_ macros do: the kernel's code has
// it nowhere, so that only the push tells where it came from.
#include "config_index.h"
#include "tensix.h"

static void Set(void) {
  TT(SETC16, .setc16_reg = ConfigIndex(), .setc16_value = 1);  // HERE
}
KERNEL(Set)
