// How a TRISC drives its coprocessor thread: instructions, configuration, MOP, semaphores.
#pragma once
#include "guest_types.h"
#include "ldm.h"
#include "mmio.h"
#include "tensix_config.h"
#include "tensix_ops.h"

// To the assembler an instruction of the coprocessor is data, which gets a source line of its own
// only by way of a label. (A macro, so that the compiler counts it as the one instruction it is.)
__asm__(
    ".macro tensix_word word\n"
    ".loc_mark_labels 1\n"
    "1:\n"
    ".loc_mark_labels 0\n"
    ".word \\word\n"
    ".endm\n");

// TTI(NAME, .field = constant ...): an instruction in the core's own code. The core passes it on
// when it meets it; in memory the word is rotated left by two, which tells it from RISC-V code.
#define TTI(name, ...)                                                        \
  __asm__ volatile("tensix_word \"(%0 << 2 | %0 >> 30) & 0xFFFFFFFF\"" ::"i"( \
                       (unsigned long long)OP(name, __VA_ARGS__))             \
                   : "memory")

// TT(NAME, .field = value ...): the same with fields known at run time, pushed by a store.
#define TT(name, ...) Write32(TENSIX_INSTRN_BUF, OP(name, __VA_ARGS__))

// What STALLWAIT and SEMWAIT hold back, and what STALLWAIT waits for.
enum {
  STALL_TDMA = 0x1,
  STALL_SYNC = 0x2,
  STALL_PACK = 0x4,
  STALL_UNPACK = 0x8,
  STALL_THCON = 0x20,
  STALL_MATH = 0x40,
  STALL_CFG = 0x80,
  STALL_SFPU = 0x100
};
enum {
  WAIT_THCON = 0x1,
  WAIT_UNPACK0 = 0x2,
  WAIT_UNPACK1 = 0x4,
  WAIT_PACK = 0x8,
  WAIT_MATH = 0x10,
  WAIT_SRCA_VLD = 0x80,
  WAIT_SRCB_VLD = 0x100,
  WAIT_TRISC_CFG = 0x400,
  WAIT_SFPU = 0x800
};
enum { SEMWAIT_ON_ZERO = 1, SEMWAIT_ON_MAX = 2 };

// Tensix semaphores, by the use that tt-metal's kernels make of them.
enum { SEM_MATH_PACK = 1, SEM_UNPACK_TO_DST = 2, SEM_UNPACK_SYNC = 5, SEM_DST_IS_FREE = 7 };

// Mutex around read-modify-writes of configuration words that threads share.
enum { MUTEX_REG_RMW = 0 };

enum { ADC_UNPACK0 = 1, ADC_UNPACK1 = 2, ADC_PACK = 4 };

// Data formats, as the hardware numbers them. It has one number for both kinds of fp8; which is
// meant is said elsewhere.
enum {
  FORMAT_FP32 = 0,
  FORMAT_FP16 = 1,
  FORMAT_TF32 = 4,
  FORMAT_BF16 = 5,
  FORMAT_BFP8 = 6,
  FORMAT_INT32 = 8,
  FORMAT_INT16 = 9,
  FORMAT_FP8 = 10,
  FORMAT_INT8 = 14,
  FORMAT_FP8_E4M3 = 26
};
#define FORMAT_CODE(format) ((format)&15)

// What a kernel's build says of its formats; the default is bf16 throughout.
#ifndef IN_FORMAT  // in L1, before the unpacker
#define IN_FORMAT FORMAT_BF16
#endif
#ifndef SRC_FORMAT  // in SrcA and SrcB
#define SRC_FORMAT FORMAT_BF16
#endif
#ifndef DST_FORMAT  // in Dst: bf16, fp16, int16 (16 bits), fp32 or int32 (32 bits)
#define DST_FORMAT FORMAT_BF16
#endif
#ifndef OUT_FORMAT  // in L1, behind the packer
#define OUT_FORMAT FORMAT_BF16
#endif
enum { DST_IS_32BIT = DST_FORMAT == FORMAT_FP32 || DST_FORMAT == FORMAT_INT32 };

// What the packer makes of a datum of Dst first, which is where 32 bits are rounded to 16.
enum {
  PACK_FORMAT = !DST_IS_32BIT                           ? DST_FORMAT
                : OUT_FORMAT == FORMAT_BFP8             ? FORMAT_BF16
                : FORMAT_CODE(OUT_FORMAT) == FORMAT_FP8 ? FORMAT_FP16
                                                        : OUT_FORMAT,
  // 32 bits become fp16 by way of 19, which are rounded to.
  PACK_ROUNDS_TO_19_BITS = DST_IS_32BIT && PACK_FORMAT == FORMAT_FP16,
  PACK_DATUM_SIZE = (PACK_FORMAT & 3) == 0   ? 4
                    : (PACK_FORMAT & 3) == 1 ? 2
                                             : 1
};

enum { FACE_ROWS = 16, FACE_COLUMNS = 16, FACE_SIZE = 256, TILE_FACES = 4, DST_HALF_ROWS = 512 };

// A field's value in its word, and the bits that it takes there.
#define CONFIG_FIELD(field, value) ((u32)(value) << field##_LOW)
#define CONFIG_MASK(field) (((u32)((1ull << field##_WIDTH) - 1)) << field##_LOW)

// Changes some bits of a configuration word and leaves the others, byte by byte. All three must be
// constants.
GUEST_INLINE void ModifyConfig(u32 word, u32 mask, u32 bits) {
  if (mask & 0xFF) {
    TTI(RMWCIB0, .cfg_reg_addr = word, .mask = mask, .data = bits);
  }
  if (mask >> 8 & 0xFF) {
    TTI(RMWCIB1, .cfg_reg_addr = word, .mask = mask >> 8, .data = bits >> 8);
  }
  if (mask >> 16 & 0xFF) {
    TTI(RMWCIB2, .cfg_reg_addr = word, .mask = mask >> 16, .data = bits >> 16);
  }
  if (mask >> 24) {
    TTI(RMWCIB3, .cfg_reg_addr = word, .mask = mask >> 24, .data = bits >> 24);
  }
}

#if IS_TRISC
// Configuration words of the state bank that this thread uses.
GUEST_INLINE u32 ConfigBase(void) {
  return TENSIX_CFG_BASE + 4 * TENSIX_CFG_STATE_WORDS * LDM32(LDM_CFG_STATE_ID);
}
GUEST_INLINE void WriteConfig(u32 word, u32 value) {
  Write32(ConfigBase() + 4 * word, value);
}
#endif

// Semaphores through the memory window: an even value stored posts, an odd one takes.
GUEST_INLINE u32 SemaphoreRead(u32 semaphore) {
  return Read32(TENSIX_SEMAPHORE_BASE + 4 * semaphore) & 0xFF;
}
GUEST_INLINE void SemaphorePost(u32 semaphore) {
  Write32(TENSIX_SEMAPHORE_BASE + 4 * semaphore, 0);
}

// Low and high halves of a general-purpose register.
GUEST_INLINE u32 GprLow(u32 gpr) {
  return 2 * gpr;
}
GUEST_INLINE u32 GprHigh(u32 gpr) {
  return 2 * gpr + 1;
}

// What is pushed between these two goes into the replay buffer, from entry `start` on. A core may
// fuse what it pushes, up to four words at once; while a REPLAY records it must not.
enum { CFG0_DIS_TRISC_CACHE = 1 << 18 };
GUEST_INLINE void ReplayRecord(u32 start, u32 length) {
  __asm__ volatile("csrs 0x7C0, %0" ::"r"(CFG0_DIS_TRISC_CACHE) : "memory");
  TTI(REPLAY, .start_idx = start, .len = length, .load_mode = 1);
}
GUEST_INLINE void ReplayRecorded(void) {
  __asm__ volatile("csrc 0x7C0, %0" ::"r"(CFG0_DIS_TRISC_CACHE) : "memory");
}

// MOP template 1: OUTER times { start; INNER times loop; end }. The last loop instruction of an
// inner round is replaced, and replaced differently in the last outer round. A loop and an end may
// have a second instruction; it is that of the loop which is replaced then.
struct mop {
  u32 outer;
  u32 inner;
  u32 start;
  u32 end;
  u32 loop;
  u32 last_inner;
  u32 last_outer;
  u32 second_loop;
  u32 second_end;
};

GUEST_INLINE void ConfigureMop(struct mop mop) {
  // The expander must not be running while its template changes: the MOP sync register answers a
  // read when it is idle.
  Write32(TENSIX_PC_BUF + 8, 0);
  ReadBack(TENSIX_PC_BUF + 8);
  const u32 nop = OP(NOP);
  const u32 words[9] = {mop.outer,
                        mop.inner,
                        mop.start,
                        mop.end,
                        mop.second_end ? mop.second_end : nop,
                        mop.loop,
                        mop.second_loop ? mop.second_loop : nop,
                        mop.last_outer,
                        mop.last_inner};
#pragma GCC unroll 9
  for (u32 i = 0; i < 9; ++i) Write32(MOP_CONFIG_BASE + 4 * i, words[i]);
}
