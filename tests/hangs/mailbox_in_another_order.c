// BRISC sends address and count by mailbox, TRISC1 takes count and address.
#include "launch.h"
#include "mmio.h"
enum { TABLE = 0x90000, WORDS = 16 };

#if GUEST_CORE == CORE_BRISC
static void kernel_main(void) {
  Write32(0xFFEC2000, TABLE);
  Write32(0xFFEC2000, WORDS);
}
KERNEL(kernel_main)
#else
static u32 take(void) {
  return ReadBack(0xFFEC0000);
}

static void clear_table(u32 address, u32 words) {
  for (u32 i = 0; i < words; ++i) Write32(address + 4 * i, 0);  // HERE
}

static void math_main(void) {
#ifdef MENDED
  const u32 address = take();
  const u32 words = take();
#else
  const u32 words = take();
  const u32 address = take();
#endif
  clear_table(address, words);
}
KERNEL(math_main)
#endif
