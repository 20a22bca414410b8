// TRISC1 puts no-ops into the unpacker while TRISC0 unpacks: a test tool did, and what it found was
// its own doing (tenstorrent/tt-metal #54689; RACES.md, kind injected).
#include "races.h"
#include "tensix.h"
#if GUEST_CORE == CORE_TRISC0
#include "tile_unpack.h"
#endif

#if GUEST_CORE == CORE_TRISC0
static void Unpack(void) {
  UnpackStart();
  WriteConfig(THCON_SEC0_REG3_Base_address_WORD, ScratchAddress(0) >> 4);
  TTI(STALLWAIT, .stall_res = STALL_UNPACK, .wait_res = WAIT_TRISC_CFG);
  TTI(UNPACR, .unpack_block_selection = 0, .ovrd_thread_id = 1, .last = 1);
  TensixSync();
  Report(0x600D0021);
}
KERNEL(Unpack)
#else
static void Fill(void) {
  if (!MENDED) {
    for (u32 i = 0; i < 4; ++i) TTI(UNPACR_NOP, .unpacker_select = 0, .unpack_pop = 1);
  }
  TTI(SFPNOP);
  TensixSync();
}
KERNEL(Fill)
#endif
