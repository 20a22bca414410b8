// Memory-mapped registers of a Tensix tile that firmware and kernels touch.
#pragma once
#include "guest_types.h"

#define TDMA_CLK_GATE_EN 0xFFB11024u

#define DEBUG_SOFT_RESET_0 0xFFB121B0u
#define DEBUG_WALL_CLOCK_L 0xFFB121F0u
#define DEBUG_TRISC0_RESET_PC 0xFFB12228u
#define DEBUG_TRISC1_RESET_PC 0xFFB1222Cu
#define DEBUG_TRISC2_RESET_PC 0xFFB12230u
#define DEBUG_TRISC_RESET_PC_OVERRIDE 0xFFB12234u
#define DEBUG_NCRISC_RESET_PC 0xFFB12238u
#define DEBUG_NCRISC_RESET_PC_OVERRIDE 0xFFB1223Cu
#define DEBUG_DEST_CG_CTRL 0xFFB12240u

#define MOP_CONFIG_BASE 0xFFB80000u
#define TENSIX_GPR_BASE 0xFFE00000u
#define TENSIX_INSTRN_BUF 0xFFE40000u
#define TENSIX_PC_BUF 0xFFE80000u
#define TENSIX_SEMAPHORE_BASE 0xFFE80020u
#define TENSIX_CFG_BASE 0xFFEF0000u

enum { TENSIX_CFG_STATE_WORDS = 224, NUM_GPRS = 64 };

// 64 stream register files. A circular buffer n counts in the two scratch registers of stream n.
#define STREAM_BASE 0xFFB40000u
enum { STREAM_STRIDE = 0x1000, STREAM_TILES_ACKED = 0x20, STREAM_TILES_RECEIVED = 0x28 };
GUEST_INLINE u32 StreamRegister(u32 stream, u32 offset) {
  return STREAM_BASE + stream * STREAM_STRIDE + offset;
}

// Stream 48 of a dispatch core counts finished workers: what is written to this register is added
// to the stream's free space, in units of bit 6.
enum { DISPATCH_STREAM = 48, STREAM_SPACE_AVAILABLE_UPDATE = 0x438, STREAM_UPDATE_ONE = 1 << 6 };

// A load whose value is used. A core goes on behind a load until somebody wants the value; only
// when that is there has the load been answered, and so has what was stored to the place before.
GUEST_INLINE u32 ReadBack(u32 address) {
  const u32 value = Read32(address);
  __asm__ volatile("addi x0, %0, 0" ::"r"(value) : "memory");
  return value;
}

// The answer comes when the thread's instructions before it have all been carried out.
GUEST_INLINE void TensixSync(void) {
  Write32(TENSIX_PC_BUF + 4, 0);
  ReadBack(TENSIX_PC_BUF + 4);
}
