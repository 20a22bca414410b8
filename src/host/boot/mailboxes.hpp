// The few constants that host and firmware agree on without an ELF saying so: where the mailboxes
// of a Tensix tile are in L1, what is in a launch message, and the values of the handshakes.
//
// Documents: seed 000 section 15; specs firmware-upload.md, Data Structures. The layout changes
// with tt-metal's version; a Protocol is one such layout. Only the one with 96-byte launch messages
// exists so far (tt-metal up to early 2026, and our own firmware).
#pragma once

#include "base/types.hpp"

namespace bhemu::host {

/// Offsets inside a launch message.
struct LaunchLayout {
  u32 bytes;
  u32 kernel_config_base;         // u32[3]: Tensix, active Ethernet, idle Ethernet
  u32 sem_offset;                 // u16[3]
  u32 local_cb_offset;            // u16
  u32 remote_cb_offset;           // u16
  u32 rta_offset;                 // {u16 unique, u16 common}[5]
  u32 mode;                       // u8
  u32 kernel_text_offset;         // u32[5]
  u32 local_cb_mask;              // u32
  u32 brisc_noc_id;               // u8
  u32 brisc_noc_mode;             // u8
  u32 min_remote_cb_start_index;  // u8
  u32 host_assigned_id;           // u32
  u32 enables;                    // u32
};

/// L1 addresses.
struct Protocol {
  u32 launch_message_read_pointer;
  u32 launch_ring;
  u32 launch_ring_size;
  u32 subordinate_sync;
  u32 go_messages;
  u32 go_message_index;
  u32 data_buffer_base;  // where circular buffers may start, unless the firmware says otherwise
  LaunchLayout launch;
};

inline constexpr Protocol kProtocol96 = {
    .launch_message_read_pointer = 0x6C,
    .launch_ring = 0x70,
    .launch_ring_size = 8,
    .subordinate_sync = 0x68,
    .go_messages = 0x370,
    .go_message_index = 0x3A0,
    .data_buffer_base = 0x37000,
    .launch = {.bytes = 96,
               .kernel_config_base = 0x00,
               .sem_offset = 0x0C,
               .local_cb_offset = 0x12,
               .remote_cb_offset = 0x14,
               .rta_offset = 0x16,
               .mode = 0x2A,
               .kernel_text_offset = 0x2C,
               .local_cb_mask = 0x40,
               .brisc_noc_id = 0x44,
               .brisc_noc_mode = 0x45,
               .min_remote_cb_start_index = 0x46,
               .host_assigned_id = 0x48,
               .enables = 0x4C},
};

/// The go message index of the newer layout (64-bit circular buffer mask), to recognise it.
inline constexpr u32 kGoMessageIndexOfNewerProtocol = 0x420;

enum GoSignal : u8 { kGoDone = 0x00, kGoInit = 0x40, kGoGo = 0x80 };
inline constexpr u32 kGoSignalByte = 3;  // of a go message
inline constexpr u8 kDispatchModeHost = 1;

// Registers of the tile (seed 000 section 5b).
inline constexpr u32 kSoftReset0 = 0xFFB121B0;
inline constexpr u32 kSoftResetAll = 0x47800;
inline constexpr u32 kSoftResetBriscRuns = 0x47000;
inline constexpr u32 kTrisc0ResetPc = 0xFFB12228;  // three words, one for each TRISC
inline constexpr u32 kNcriscResetPc = 0xFFB12238;

inline constexpr u32 kSemaphoreStride = 16;  // L1 alignment
inline constexpr u32 kLocalCbConfigBytes = 16;

}  // namespace bhemu::host
