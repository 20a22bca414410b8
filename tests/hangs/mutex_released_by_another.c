// The unpack thread takes a mutex, and the pack thread, which never took it, releases it.
#include "launch.h"
#include "tensix.h"
enum { SEM_HANDED_ON = 4 };

#if GUEST_CORE == CORE_TRISC0
static void unpack_main(void) {
  TTI(SEMINIT, .max_value = 1, .init_value = 0, .sem_sel = 1 << SEM_HANDED_ON);
  TTI(ATGETM, .mutex_index = 2);
  TTI(SETC16, .setc16_reg = UNPACK_MISC_CFG_CfgContextOffset_0_WORD, .setc16_value = 0);
#ifdef MENDED
  TTI(ATRELM, .mutex_index = 2);
#endif
  TTI(SEMPOST, .sem_sel = 1 << SEM_HANDED_ON);
  TTI(ATGETM, .mutex_index = 2);
  TTI(ATRELM, .mutex_index = 2);
}
KERNEL(unpack_main)
#else
static void pack_main(void) {
  while (SemaphoreRead(SEM_HANDED_ON) == 0) {
  }
#ifndef MENDED
  TTI(ATRELM, .mutex_index = 2);  // HERE
#endif
  TTI(ATGETM, .mutex_index = 2);
  TTI(ATRELM, .mutex_index = 2);
}
KERNEL(pack_main)
#endif
