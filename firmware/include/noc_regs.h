// Network interfaces: registers, command words, and what firmware and kernels share about them.
#pragma once
#include "guest_types.h"
#include "ldm.h"

#define NIU_BASE 0xFFB20000u
enum { NIU_STRIDE = 0x10000, NIU_COMMAND_BUFFER_STRIDE = 0x800 };

// Use of the four command buffers, as tt-metal's firmware assigns them.
enum { NOC_BUF_WRITE = 0, NOC_BUF_READ = 1, NOC_BUF_WRITE_REG = 2, NOC_BUF_ATOMIC = 3 };

enum {
  NOC_TARG_ADDR_LO = 0x00,
  NOC_TARG_ADDR_MID = 0x04,
  NOC_TARG_ADDR_HI = 0x08,
  NOC_RET_ADDR_LO = 0x0C,
  NOC_RET_ADDR_MID = 0x10,
  NOC_RET_ADDR_HI = 0x14,
  NOC_PACKET_TAG = 0x18,
  NOC_CTRL = 0x1C,
  NOC_AT_LEN_BE = 0x20,
  NOC_AT_LEN_BE_1 = 0x24,
  NOC_AT_DATA = 0x28,
  NOC_BRCST_EXCLUDE = 0x2C,
  NOC_CMD_CTRL = 0x40,
  NIU_CFG_0 = 0x100,
  NIU_ROUTER_CFG_0 = 0x104,
  NIU_ID_LOGICAL = 0x148,
  NIU_ATOMIC_RESP_RECEIVED = 0x200,
  NIU_WR_ACK_RECEIVED = 0x204,
  NIU_RD_RESP_RECEIVED = 0x208,
  NIU_NONPOSTED_WR_REQ_SENT = 0x228,
  NIU_POSTED_WR_REQ_SENT = 0x22C,
};

enum {
  NOC_CMD_AT = 1 << 0,
  NOC_CMD_WR = 1 << 1,
  NOC_CMD_WR_INLINE = 1 << 3,
  NOC_CMD_RESP_MARKED = 1 << 4,
  NOC_CMD_BRCST_PACKET = 1 << 5,
  NOC_CMD_VC_STATIC = 1 << 7,
  NOC_CMD_PATH_RESERVE = 1 << 8,
  NOC_CMD_BRCST_SRC_INCLUDE = 1 << 17,
  NOC_VC_UNICAST = 1 << 13,
  NOC_VC_MULTICAST = 4 << 13,
};

enum { NOC_ATOMIC_INCREMENT = 1 << 12, NOC_ATOMIC_WRAP_32 = 31 << 2 };

GUEST_INLINE u32 NocXy(u32 x, u32 y) {
  return y << 6 | x;
}

GUEST_INLINE u32 Niu(u32 noc) {
  return NIU_BASE + noc * NIU_STRIDE;
}

GUEST_INLINE u32 NocBuffer(u32 noc, u32 buffer) {
  return Niu(noc) + buffer * NIU_COMMAND_BUFFER_STRIDE;
}

GUEST_INLINE void NocWaitBuffer(u32 buffer) {
  while (Read32(buffer + NOC_CMD_CTRL) != 0) {
  }
}

#if !IS_TRISC
// The counters in local memory start from the NIU's; barriers wait until they meet again.
GUEST_INLINE void NocLocalStateInit(u32 noc) {
  const u32 niu = Niu(noc);
  LDM32(LDM_NOC_READS_NUM_ISSUED + 4 * noc) = Read32(niu + NIU_RD_RESP_RECEIVED);
  LDM32(LDM_NOC_NONPOSTED_WRITES_NUM_ISSUED + 4 * noc) = Read32(niu + NIU_NONPOSTED_WR_REQ_SENT);
  LDM32(LDM_NOC_NONPOSTED_WRITES_ACKED + 4 * noc) = Read32(niu + NIU_WR_ACK_RECEIVED);
  LDM32(LDM_NOC_NONPOSTED_ATOMICS_ACKED + 4 * noc) = Read32(niu + NIU_ATOMIC_RESP_RECEIVED);
  LDM32(LDM_NOC_POSTED_WRITES_NUM_ISSUED + 4 * noc) = Read32(niu + NIU_POSTED_WR_REQ_SENT);
}
#endif
