// Firmware of NCRISC, the second data-movement core.
#include "crt.h"
#include "l1_map.h"
#include "launch_setup.h"
#include "noc_regs.h"
#include "noc_setup.h"

static volatile u8* SyncByte(void) {
  return &MAILBOXES->subordinate_sync.core[0];
}

int main(void) {
  ConfigureCsr();
  InitLocalMemory();
  InitBankTables();
  InitLogicalToVirtual();
  ReadNocIdentity();
  ReadLogicalCoordinates();
  *SyncByte() = SYNC_DONE;
  for (;;) {
    u8 sync = *SyncByte();
    while (sync != SYNC_GO && sync != SYNC_LOAD) {
      InvalidateL1Cache();
      sync = *SyncByte();
    }
    volatile struct launch_msg* launch = CurrentLaunchMessage();
    const u32 config_base = SetConfigBases(launch);
    SetupCircularBuffers(launch, config_base);
    SetRelativeCoordinates(launch);
    // BRISC says LOAD first, so that the above overlaps its own preparations.
    while (*SyncByte() != SYNC_GO) InvalidateL1Cache();
    CallKernel(launch, config_base);
    *SyncByte() = SYNC_DONE;
  }
}
