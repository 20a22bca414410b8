// Where firmware keeps things in L1: the map of tt-metal for Blackhole with a 96-byte launch
// message (bhemu's address-space document, sections 2 and 15).
#pragma once
#include "guest_types.h"

enum {
  L1_NOC_ATOMIC_RET_VAL = 0x000004,
  L1_MAILBOX_BASE = 0x000060,
  L1_ZEROS_BASE = 0x003240,
  L1_ZEROS_SIZE = 0x200,
  L1_BRISC_FIRMWARE = 0x003840,
  L1_NCRISC_FIRMWARE = 0x005440,
  L1_TRISC0_FIRMWARE = 0x005A40,
  L1_TRISC1_FIRMWARE = 0x006040,
  L1_TRISC2_FIRMWARE = 0x006A40,
  L1_KERNEL_CONFIG_BASE = 0x0086B0,
  L1_BANK_TO_NOC_SCRATCH = 0x0116B0,  // uint16 [noc][bank], DRAM then L1
  L1_BANK_OFFSET_SCRATCH = 0x011AB0,  // int32 [bank], DRAM then L1
  L1_LOGICAL_TO_VIRTUAL_SCRATCH = 0x011EB0,
  L1_DATA_BUFFER_SPACE_BASE = 0x037000,
};

enum {
  GO_DONE = 0x00,
  GO_INIT = 0x40,
  GO_GO = 0x80,
  GO_RESET_READ_PTR = 0xC0,
  GO_RESET_READ_PTR_FROM_HOST = 0xE0,
  GO_REPLAY_TRACE = 0xF0
};

enum {
  SYNC_DONE = 0x00,
  SYNC_LOAD = 0x01,
  SYNC_INIT_SYNC_REGISTERS = 0x03,
  SYNC_INIT = 0x40,
  SYNC_GO = 0x80
};
#define SYNC_ALL_INIT 0x40404040u

enum { DISPATCH_MODE_DEV = 0, DISPATCH_MODE_HOST = 1 };
enum { PRELOAD_FLAG = 0x80 };
enum { LAUNCH_RING_SIZE = 8, GO_RING_SIZE = 9 };

struct rta_offset {
  u16 rta_offset;
  u16 crta_offset;
};

struct launch_msg {
  u32 kernel_config_base[3];  // by kind of core: Tensix, active Ethernet, idle Ethernet
  u16 sem_offset[3];
  u16 local_cb_offset;
  u16 remote_cb_offset;
  struct rta_offset rta_offset[5];
  u8 mode;
  u8 pad;
  u32 kernel_text_offset[5];
  u32 local_cb_mask;
  u8 brisc_noc_id;
  u8 brisc_noc_mode;
  u8 min_remote_cb_start_index;
  u8 exit_erisc_kernel;
  u32 host_assigned_id;
  u32 enables;  // bit n: core n runs a kernel
  u16 watcher_kernel_ids[5];
  u16 ncrisc_kernel_size16;
  u8 sub_device_origin_x;
  u8 sub_device_origin_y;
  u8 pad3;
  u8 preload;
};
_Static_assert(sizeof(struct launch_msg) == 96, "launch message");

struct go_msg {
  u8 dispatch_message_offset;
  u8 master_x;
  u8 master_y;
  u8 signal;
};

struct mailboxes {
  u32 ncrisc_resume_addr;
  u32 ncrisc_stack_save;
  union {
    u32 all;
    u8 core[4];  // NCRISC, TRISC0, TRISC1, TRISC2
  } subordinate_sync;
  u32 launch_msg_rd_ptr;
  struct launch_msg launch[LAUNCH_RING_SIZE];
  struct go_msg go_messages[GO_RING_SIZE];
  u32 pad;
  u32 link_status_check_timestamp[2];
  u32 go_message_index;
};
_Static_assert(__builtin_offsetof(struct mailboxes, launch) == 0x70 - 0x60, "launch ring");
_Static_assert(__builtin_offsetof(struct mailboxes, go_messages) == 0x370 - 0x60, "go messages");
_Static_assert(__builtin_offsetof(struct mailboxes, go_message_index) == 0x3A0 - 0x60, "index");

#define MAILBOXES ((volatile struct mailboxes*)L1_MAILBOX_BASE)

// core_info of tt-metal's mailboxes, further up: absolute logical coordinates of the tile.
enum { L1_CORE_INFO_LOGICAL_X = 0x9A0, L1_CORE_INFO_LOGICAL_Y = 0x9A1 };

// Four words per circular buffer in the launch message's configuration block.
struct local_cb_config {
  u32 address;
  u32 size;
  u32 num_pages;
  u32 page_size;
};

GUEST_INLINE volatile struct launch_msg* CurrentLaunchMessage(void) {
  return &MAILBOXES->launch[MAILBOXES->launch_msg_rd_ptr];
}

GUEST_INLINE u8 GoSignal(void) {
  return MAILBOXES->go_messages[MAILBOXES->go_message_index].signal;
}
