// Firmware of TRISC0 (unpack), TRISC1 (math) and TRISC2 (pack); built once for each.
#include "crt.h"
#include "l1_map.h"
#include "launch_setup.h"
#include "mmio.h"
#include "tensix_config.h"

enum { THREAD = GUEST_CORE - CORE_TRISC0, PRNG_SETTLE_CYCLES = 600 };

static volatile u8* SyncByte(void) {
  return &MAILBOXES->subordinate_sync.core[1 + THREAD];
}

static void ResetTensixThread(void) {
  for (u32 i = 0; i < NUM_GPRS; ++i) Write32(TENSIX_GPR_BASE + 4 * i, 0);
  LDM32(LDM_CFG_STATE_ID) = 0;
  Write32(TENSIX_CFG_BASE + 4 * PRNG_SEED_Seed_Val_WORD, 0);
  const u32 start = Read32(DEBUG_WALL_CLOCK_L);
  while (Read32(DEBUG_WALL_CLOCK_L) - start < PRNG_SETTLE_CYCLES) {
  }
}

#if GUEST_CORE == CORE_TRISC0
static void ClearCircularBufferCounters(void) {
  for (u32 cb = 0; cb < NUM_CIRCULAR_BUFFERS; ++cb) {
    Write32(StreamRegister(cb, STREAM_TILES_RECEIVED), 0);
    Write32(StreamRegister(cb, STREAM_TILES_ACKED), 0);
  }
}
#endif

static void WaitForGo(void) {
  for (;;) {
    const u8 sync = *SyncByte();
    if (sync == SYNC_GO) return;
#if GUEST_CORE == CORE_TRISC0
    if (sync == SYNC_INIT_SYNC_REGISTERS) {
      ClearCircularBufferCounters();
      *SyncByte() = SYNC_DONE;
    }
#endif
    InvalidateL1Cache();
  }
}

int main(void) {
  ConfigureCsr();
  InitLocalMemory();
  ResetTensixThread();
  ReadLogicalCoordinates();
  *SyncByte() = SYNC_DONE;
  for (;;) {
    WaitForGo();
    volatile struct launch_msg* launch = CurrentLaunchMessage();
    const u32 config_base = SetConfigBases(launch);
#if GUEST_CORE != CORE_TRISC1
    LDM32(LDM_CB_L1_BASE) = config_base + launch->local_cb_offset;
    SetupCircularBuffers(launch, config_base);
#endif
    SetRelativeCoordinates(launch);
    // BRISC starts the three TRISCs together; one without a kernel only reports back.
    if (launch->enables >> GUEST_CORE & 1) {
      CallKernel(launch, config_base);
      TensixSync();
    }
    *SyncByte() = SYNC_DONE;
  }
}
