// NoC transactions of the data-movement cores. Each core uses one NoC: BRISC the one that the
// launch message gives it, NCRISC the other.
#pragma once
#include "guest_types.h"
#include "l1_map.h"
#include "ldm.h"
#include "noc_regs.h"

enum { NOC_MAX_BURST = 16384 };

GUEST_INLINE u32 MyNoc(void) {
#if GUEST_CORE == CORE_BRISC
  return LDM8(LDM_NOC_INDEX);
#else
  return 1 - CurrentLaunchMessage()->brisc_noc_id;
#endif
}

GUEST_INLINE u32 MyX(u32 noc) {
  return LDM8(LDM_MY_X + noc);
}
GUEST_INLINE u32 MyY(u32 noc) {
  return LDM8(LDM_MY_Y + noc);
}

// Rectangle of a multicast, corners included, in the order that the NoC's direction wants.
GUEST_INLINE u32 NocRectangle(u32 noc, u32 x0, u32 y0, u32 x1, u32 y1) {
  const u32 first = NocXy(x0, y0);
  const u32 last = NocXy(x1, y1);
  return noc == 0 ? first << 12 | last : last << 12 | first;
}

// Reads remote memory into L1. Addresses must agree modulo 64 (DRAM) or 16 (L1).
GUEST_INLINE void NocRead(u32 noc, u32 xy, u32 address, u32 l1, u32 size) {
  const u32 buffer = NocBuffer(noc, NOC_BUF_READ);
  while (size != 0) {
    const u32 burst = size < NOC_MAX_BURST ? size : NOC_MAX_BURST;
    NocWaitBuffer(buffer);
    Write32(buffer + NOC_RET_ADDR_LO, l1);
    Write32(buffer + NOC_TARG_ADDR_LO, address);
    Write32(buffer + NOC_TARG_ADDR_MID, 0);
    Write32(buffer + NOC_TARG_ADDR_HI, xy);
    Write32(buffer + NOC_AT_LEN_BE, burst);
    Write32(buffer + NOC_CMD_CTRL, 1);
    ++LDM32(LDM_NOC_READS_NUM_ISSUED + 4 * noc);
    l1 += burst;
    address += burst;
    size -= burst;
  }
}

// The part that unicast and multicast writes share; `acks` answers will come for each packet.
GUEST_INLINE void NocWriteBursts(u32 noc, u32 control, u32 l1, u32 target, u32 address, u32 size,
                                 u32 acks) {
  const u32 buffer = NocBuffer(noc, NOC_BUF_WRITE);
  while (size != 0) {
    const u32 burst = size < NOC_MAX_BURST ? size : NOC_MAX_BURST;
    NocWaitBuffer(buffer);
    Write32(buffer + NOC_CTRL, NOC_CMD_WR | NOC_CMD_RESP_MARKED | NOC_CMD_VC_STATIC | control);
    Write32(buffer + NOC_TARG_ADDR_LO, l1);
    Write32(buffer + NOC_RET_ADDR_LO, address);
    Write32(buffer + NOC_RET_ADDR_MID, 0);
    Write32(buffer + NOC_RET_ADDR_HI, target);
    Write32(buffer + NOC_BRCST_EXCLUDE, 0);
    Write32(buffer + NOC_AT_LEN_BE, burst);
    Write32(buffer + NOC_CMD_CTRL, 1);
    ++LDM32(LDM_NOC_NONPOSTED_WRITES_NUM_ISSUED + 4 * noc);
    LDM32(LDM_NOC_NONPOSTED_WRITES_ACKED + 4 * noc) += acks;
    l1 += burst;
    address += burst;
    size -= burst;
  }
}

GUEST_INLINE void NocWrite(u32 noc, u32 l1, u32 xy, u32 address, u32 size) {
  NocWriteBursts(noc, NOC_VC_UNICAST, l1, xy, address, size, 1);
}

// Writes to every tile of a rectangle except this one; `targets` is how many those are.
GUEST_INLINE void NocWriteMulticast(u32 noc, u32 l1, u32 rectangle, u32 address, u32 size,
                                    u32 targets) {
  NocWriteBursts(noc, NOC_VC_MULTICAST | NOC_CMD_BRCST_PACKET | NOC_CMD_PATH_RESERVE, l1, rectangle,
                 address, size, targets);
}

// The same, this tile (which must lie in the rectangle) included, also in the count.
GUEST_INLINE void NocWriteMulticastLoopback(u32 noc, u32 l1, u32 rectangle, u32 address, u32 size,
                                            u32 targets) {
  NocWriteBursts(
      noc,
      NOC_VC_MULTICAST | NOC_CMD_BRCST_PACKET | NOC_CMD_PATH_RESERVE | NOC_CMD_BRCST_SRC_INCLUDE,
      l1, rectangle, address, size, targets);
}

// Writes four bytes that come with the command.
GUEST_INLINE void NocWriteInline(u32 noc, u32 xy, u32 address, u32 value) {
  const u32 buffer = NocBuffer(noc, NOC_BUF_WRITE_REG);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_CTRL, NOC_CMD_WR | NOC_CMD_WR_INLINE | NOC_CMD_RESP_MARKED |
                                 NOC_CMD_VC_STATIC | NOC_VC_UNICAST);
  Write32(buffer + NOC_AT_DATA, value);
  Write32(buffer + NOC_TARG_ADDR_LO, address);
  Write32(buffer + NOC_TARG_ADDR_MID, 0);
  Write32(buffer + NOC_TARG_ADDR_HI, xy);
  Write32(buffer + NOC_AT_LEN_BE, 0xF);
  Write32(buffer + NOC_CMD_CTRL, 1);
  ++LDM32(LDM_NOC_NONPOSTED_WRITES_NUM_ISSUED + 4 * noc);
  ++LDM32(LDM_NOC_NONPOSTED_WRITES_ACKED + 4 * noc);
}

// Adds to a word of remote L1.
GUEST_INLINE void NocAtomicAdd(u32 noc, u32 xy, u32 address, u32 addend) {
  const u32 buffer = NocBuffer(noc, NOC_BUF_ATOMIC);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_RET_ADDR_LO, L1_NOC_ATOMIC_RET_VAL);
  Write32(buffer + NOC_CTRL, NOC_CMD_AT | NOC_CMD_RESP_MARKED | NOC_CMD_VC_STATIC | NOC_VC_UNICAST);
  Write32(buffer + NOC_TARG_ADDR_LO, address);
  Write32(buffer + NOC_TARG_ADDR_MID, 0);
  Write32(buffer + NOC_TARG_ADDR_HI, xy);
  Write32(buffer + NOC_AT_LEN_BE, NOC_ATOMIC_INCREMENT | NOC_ATOMIC_WRAP_32 | (address >> 2 & 3));
  Write32(buffer + NOC_AT_DATA, addend);
  Write32(buffer + NOC_CMD_CTRL, 1);
  ++LDM32(LDM_NOC_NONPOSTED_ATOMICS_ACKED + 4 * noc);
}

// Barriers: until this core's transactions of the kind have completed.
GUEST_INLINE void NocReadBarrier(u32 noc) {
  while (Read32(Niu(noc) + NIU_RD_RESP_RECEIVED) != LDM32(LDM_NOC_READS_NUM_ISSUED + 4 * noc)) {
  }
  InvalidateL1Cache();
}

GUEST_INLINE void NocWriteBarrier(u32 noc) {
  while (Read32(Niu(noc) + NIU_WR_ACK_RECEIVED) !=
         LDM32(LDM_NOC_NONPOSTED_WRITES_ACKED + 4 * noc)) {
  }
  InvalidateL1Cache();
}

GUEST_INLINE void NocAtomicBarrier(u32 noc) {
  while (Read32(Niu(noc) + NIU_ATOMIC_RESP_RECEIVED) !=
         LDM32(LDM_NOC_NONPOSTED_ATOMICS_ACKED + 4 * noc)) {
  }
  InvalidateL1Cache();
}

// A tensor interleaved over the DRAM banks: page p lies in bank p mod n as that bank's page p / n.
struct interleaved_dram {
  u32 base;
  u32 page_stride;
  u32 noc;
  u32 banks;
};

GUEST_INLINE struct interleaved_dram InterleavedDram(u32 noc, u32 base, u32 page_size) {
  struct interleaved_dram tensor = {base, (page_size + 63) & ~63u, noc, 0};
  while (tensor.banks < MAX_DRAM_BANKS && LDM16(LDM_DRAM_BANK_TO_NOC_XY + 2 * tensor.banks) != 0) {
    ++tensor.banks;
  }
  return tensor;
}

GUEST_INLINE u32 DramPageXy(const struct interleaved_dram* tensor, u32 page) {
  const u32 bank = page % tensor->banks;
  return LDM16(LDM_DRAM_BANK_TO_NOC_XY + 2 * (tensor->noc * MAX_DRAM_BANKS + bank));
}

GUEST_INLINE u32 DramPageAddress(const struct interleaved_dram* tensor, u32 page) {
  const u32 bank = page % tensor->banks;
  return tensor->base + page / tensor->banks * tensor->page_stride +
         LDM32(LDM_BANK_TO_DRAM_OFFSET + 4 * bank);
}
