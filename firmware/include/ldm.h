// What each core keeps in its local memory (LDM), at the offsets that tt-metal's firmware uses.
// Kernels share these variables with the firmware; the rows are in ldm.def.
#pragma once
#include "guest_types.h"

#define LDM_BASE 0xFFB00000u

enum { NUM_NOCS = 2, MAX_DRAM_BANKS = 8, MAX_L1_BANKS = 140, NUM_CIRCULAR_BUFFERS = 64 };

// Units: bytes on BRISC and NCRISC, 16 bytes on the TRISCs.
struct local_cb_interface {
  u32 fifo_size;
  u32 fifo_limit;  // address behind the last page
  u32 fifo_page_size;
  u32 fifo_num_pages;
  u32 fifo_rd_ptr;
  u32 fifo_wr_ptr;
  u16 tiles_acked;
  u16 tiles_received;
  u32 fifo_wr_tile_ptr;
};
_Static_assert(sizeof(struct local_cb_interface) == 32, "circular buffer interface");

// Offsets: LDM_MY_X and so on.
#define LDM(symbol, name, offset, bytes) LDM_##name = offset,
enum {
#include "ldm.def"
};

#define LDM8(offset) (*(volatile u8*)(LDM_BASE + (offset)))
#define LDM16(offset) (*(volatile u16*)(LDM_BASE + (offset)))
#define LDM32(offset) (*(volatile u32*)(LDM_BASE + (offset)))

#if GUEST_CORE != CORE_TRISC1
GUEST_INLINE struct local_cb_interface* LocalCb(u32 index) {
  return (struct local_cb_interface*)(LDM_BASE + LDM_CB_INTERFACE) + index;
}
#endif
