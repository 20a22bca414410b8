// What a core prepares from the launch message before it calls its kernel.
#pragma once
#include "l1_map.h"
#include "ldm.h"

GUEST_INLINE void ReadLogicalCoordinates(void) {
  LDM8(LDM_MY_LOGICAL_X) = *(volatile u8*)L1_CORE_INFO_LOGICAL_X;
  LDM8(LDM_MY_LOGICAL_Y) = *(volatile u8*)L1_CORE_INFO_LOGICAL_Y;
}

GUEST_INLINE void SetRelativeCoordinates(volatile struct launch_msg* launch) {
  LDM8(LDM_MY_RELATIVE_X) = LDM8(LDM_MY_LOGICAL_X) - launch->sub_device_origin_x;
  LDM8(LDM_MY_RELATIVE_Y) = LDM8(LDM_MY_LOGICAL_Y) - launch->sub_device_origin_y;
}

// Bases of runtime arguments, and of semaphores where the core has them. Returns the base of the
// kernel configuration.
GUEST_INLINE u32 SetConfigBases(volatile struct launch_msg* launch) {
  const u32 base = launch->kernel_config_base[0];
  LDM32(LDM_RTA_L1_BASE) = base + launch->rta_offset[GUEST_CORE].rta_offset;
  LDM32(LDM_CRTA_L1_BASE) = base + launch->rta_offset[GUEST_CORE].crta_offset;
#if !IS_TRISC
  for (u32 kind = 0; kind < 3; ++kind) {
    LDM32(LDM_SEM_L1_BASE + 4 * kind) = launch->kernel_config_base[kind] + launch->sem_offset[kind];
  }
#endif
  return base;
}

#if GUEST_CORE != CORE_TRISC1
// One entry of 16 bytes for each buffer up to the highest in the mask. The TRISCs address L1 in
// units of 16 bytes, as the unpackers and the packer do.
GUEST_INLINE void SetupCircularBuffers(volatile struct launch_msg* launch, u32 config_base) {
  const u32 shift = IS_TRISC ? 4 : 0;
  volatile struct local_cb_config* config =
      (volatile struct local_cb_config*)(config_base + launch->local_cb_offset);
  struct local_cb_interface* cb = LocalCb(0);
  for (u32 mask = launch->local_cb_mask; mask != 0; mask >>= 1, ++config, ++cb) {
    if ((mask & 1) == 0) continue;
    const u32 address = config->address >> shift;
    const u32 size = config->size >> shift;
    cb->fifo_size = size;
    cb->fifo_limit = address + size;
    cb->fifo_page_size = config->page_size >> shift;
    cb->fifo_num_pages = config->num_pages;
    cb->fifo_rd_ptr = address;
    cb->fifo_wr_ptr = address;
    cb->tiles_acked = 0;
    cb->tiles_received = 0;
    cb->fifo_wr_tile_ptr = 0;
  }
}
#endif

// A kernel is position-independent code that is called like a function.
GUEST_INLINE void CallKernel(volatile struct launch_msg* launch, u32 config_base) {
  typedef u32 (*kernel_entry)(void);
  const kernel_entry entry = (kernel_entry)(config_base + launch->kernel_text_offset[GUEST_CORE]);
  (void)entry();
}
