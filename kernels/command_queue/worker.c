// A worker of the command queue: each time it is told to, it adds a number, then says so.
#include "queue.h"

static void TellQueue(void) {
  const u32 buffer = NocBuffer(0, NOC_BUF_ATOMIC);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_TARG_ADDR_LO, QUEUE_FINISHED);
  Write32(buffer + NOC_TARG_ADDR_MID, 0);
  Write32(buffer + NOC_TARG_ADDR_HI, Read32(WORKER_QUEUE_XY));
  Write32(buffer + NOC_RET_ADDR_LO, 4);
  Write32(buffer + NOC_RET_ADDR_MID, 0);
  Write32(buffer + NOC_RET_ADDR_HI, Read32(NIU_BASE + NIU_ID_LOGICAL) & 0xFFF);
  Write32(buffer + NOC_AT_LEN_BE, NOC_ATOMIC_INCREMENT | NOC_ATOMIC_WRAP_32);
  Write32(buffer + NOC_AT_DATA, 1);
  Write32(buffer + NOC_CTRL, 0x2091);
  Write32(buffer + NOC_CMD_CTRL, 1);
}

static void __attribute__((used)) Work(void) {
  for (;;) {
    while (Read32(WORKER_GO) != GO) InvalidateL1Cache();
    Write32(WORKER_GO, 0);
    Write32(WORKER_SUM, Read32(WORKER_SUM) + Read32(WORKER_VALUE));
    Write32(WORKER_RUNS, Read32(WORKER_RUNS) + 1);
    Fence();
    TellQueue();
  }
}

STAND_ALONE(Work)
