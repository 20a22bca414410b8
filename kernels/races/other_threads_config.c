// TRISC0 stores a field that the packer uses and posts a semaphore; thread 2 waits for the
// semaphore and packs. The store can still be under way: a semaphore is another region
// (ORDERING.md, row 9).
#include "races.h"
#include "tensix.h"
#if GUEST_CORE == CORE_TRISC2
#include "tile_pack.h"
#endif

enum { SEMAPHORE = 4, READY = 6 };

#if GUEST_CORE == CORE_TRISC0
static void StoreAndPost(void) {
  const u32 used = ConfigBase() + 4 * PCK_EDGE_OFFSET_SEC0_mask_WORD;
  while (SemaphoreRead(READY) == 0) {
  }
  Write32(used, 0x0FFF);
  if (MENDED) ReadBack(used);
  SemaphorePost(SEMAPHORE);
}
KERNEL(StoreAndPost)
#else
static void Pack(void) {
  PackInit();
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_TRISC_CFG);
  TensixSync();
  ReadBack(ConfigBase() + 4 * PCK_EDGE_OFFSET_SEC0_mask_WORD);
  SemaphorePost(READY);
  TTI(SEMWAIT, .stall_res = STALL_TDMA | STALL_CFG, .sem_sel = 1 << SEMAPHORE,
      .wait_sem_cond = SEMWAIT_ON_ZERO);
  PackSetAddress(ScratchAddress(0x1000) >> 4);
  TTI(PACR, .addr_mode = 1, .last = 1);
  TensixSync();
  Report(0x600D002C);
}
KERNEL(Pack)
#endif
