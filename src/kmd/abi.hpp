// Structures that clients of tt-kmd pass by pointer. Names and order of fields, and their widths,
// are those of tenstorrent/tt-kmd ioctl.h, which is the contract; the words are ours.
#pragma once

#include "base/types.hpp"

namespace bhemu::kmd::abi {

inline constexpr u64 kMagic = 0xFA00;  // _IO(0xFA, n): no direction, no size
inline constexpr u32 kInterfaceVersion = 2;

enum Request : u64 {
#define REQUEST(number, name, handler, structure, does, refuses) name = kMagic | number,
#include "kmd/request.def"
#undef REQUEST
};

struct GetDeviceInfo {
  struct In {
    u32 output_size_bytes;
  } in;
  struct Out {
    u32 output_size_bytes;
    u16 vendor_id;
    u16 device_id;
    u16 subsystem_vendor_id;
    u16 subsystem_id;
    u16 bus_dev_fn;  // function 2:0, device 7:3, bus 15:8
    u16 max_dma_buf_size_log2;
    u16 pci_domain;
    u16 reserved;
  } out;
};
static_assert(sizeof(GetDeviceInfo) == 24);

struct Mapping {
  u32 mapping_id;
  u32 reserved;
  u64 mapping_base;
  u64 mapping_size;
};
enum MappingId : u32 {
  kResource0Uncached = 1,
  kResource0Combining = 2,
  kResource1Uncached = 3,
  kResource1Combining = 4,
  kResource2Uncached = 5,
  kResource2Combining = 6,
};
struct QueryMappings {  // followed by output_mapping_count Mappings
  struct In {
    u32 output_mapping_count;
    u32 reserved;
  } in;
};
static_assert(sizeof(Mapping) == 24 && sizeof(QueryMappings) == 8);

inline constexpr u8 kDmaBufNoc = 2;  // flags
inline constexpr unsigned kMaxDmaBufSizeLog2 = 28;
struct AllocateDmaBuf {
  struct In {
    u32 requested_size;
    u8 buf_index;
    u8 flags;
    u8 reserved0[2];
    u64 reserved1[2];
  } in;
  struct Out {
    u64 physical_address;
    u64 mapping_offset;
    u32 size;
    u32 reserved0;
    u64 noc_address;
    u64 reserved1;
  } out;
};
static_assert(sizeof(AllocateDmaBuf::In) == 24 && sizeof(AllocateDmaBuf::Out) == 40);

struct GetDriverInfo {
  struct In {
    u32 output_size_bytes;
  } in;
  struct Out {
    u32 output_size_bytes;
    u32 driver_version;
    u8 driver_version_major;
    u8 driver_version_minor;
    u8 driver_version_patch;
    u8 reserved0;
  } out;
};
static_assert(sizeof(GetDriverInfo) == 16);

enum ResetFlag : u32 {
  kRestoreState = 0,
  kResetPcieLink = 1,
  kConfigWrite = 2,
  kUserReset = 3,
  kAsicReset = 4,
  kAsicDmcReset = 5,
  kPostReset = 6,
};
struct ResetDevice {
  struct In {
    u32 output_size_bytes;
    u32 flags;
  } in;
  struct Out {
    u32 output_size_bytes;
    u32 result;  // 0: it worked
  } out;
};
static_assert(sizeof(ResetDevice) == 16);

enum PinFlag : u32 {
  kPinContiguous = 1,
  kPinNocDma = 2,
  kPinNocTopDown = 4,
  kPinReadOnly = 8,
};
struct PinPages {
  struct In {
    u32 output_size_bytes;
    u32 flags;
    u64 virtual_address;
    u64 size;
  } in;
  struct Out {  // older clients know only the first field
    u64 physical_address;
    u64 noc_address;
  } out;
};
static_assert(sizeof(PinPages::In) == 24 && sizeof(PinPages) == 40);

enum LockFlag : u32 {
  kLockAcquire = 0,
  kLockRelease = 1,
  kLockTest = 2,  // bit 0: this file holds it; bit 1: somebody does
  kLockAcquireBlocking = 3,
};
inline constexpr unsigned kLocks = 64;
struct LockCtl {
  struct In {
    u32 output_size_bytes;
    u32 flags;
    u8 index;
    u8 reserved[3];
  } in;
  struct Out {
    u8 value;
    u8 reserved[3];
  } out;
};
static_assert(sizeof(LockCtl) == 16);

struct MapPeerBar {
  struct In {
    u32 peer_fd;
    u32 peer_bar_index;
    u32 peer_bar_offset;
    u32 peer_bar_length;
    u32 flags;
    u32 reserved;
  } in;
  struct Out {
    u64 dma_address;
    u64 reserved;
  } out;
};
static_assert(sizeof(MapPeerBar) == 40);

struct UnpinPages {
  struct In {
    u64 virtual_address;
    u64 size;
    u64 reserved;
  } in;
};
static_assert(sizeof(UnpinPages) == 24);

struct AllocateTlb {
  struct In {
    u64 size;
    u64 reserved;
  } in;
  struct Out {
    u32 id;
    u32 reserved0;
    u64 mmap_offset_uc;
    u64 mmap_offset_wc;
    u64 reserved1;
  } out;
};
static_assert(sizeof(AllocateTlb::In) == 16 && sizeof(AllocateTlb::Out) == 32);

inline constexpr u32 kMaxTlbs = 256;  // of any card
struct FreeTlb {
  struct In {
    u32 id;
  } in;
};

struct NocTlbConfig {
  u64 addr;
  u16 x_end;
  u16 y_end;
  u16 x_start;
  u16 y_start;
  u8 noc;
  u8 mcast;
  u8 ordering;
  u8 linked;
  u8 static_vc;
  u8 reserved0[3];
  u32 reserved1[2];
};
struct ConfigureTlb {
  struct In {
    u32 id;
    u32 reserved;
    NocTlbConfig config;
  } in;
  struct Out {
    u64 reserved;
  } out;
};
static_assert(sizeof(NocTlbConfig) == 32 && sizeof(ConfigureTlb) == 48);

struct SetNocCleanup {
  u32 argsz;
  u32 flags;
  u8 enabled;
  u8 x;
  u8 y;
  u8 noc;
  u32 reserved0;
  u64 addr;
  u64 data;
};
static_assert(sizeof(SetNocCleanup) == 32);

enum PowerFlag : u16 {
  kPowerMaxAiClk = 1 << 0,
  kPowerMriscPhy = 1 << 1,
  kPowerTensix = 1 << 2,
  kPowerL2cpu = 1 << 3,
  kPowerAll = 0x7FFF,
};
inline constexpr unsigned kPowerFlags = 15;
inline constexpr unsigned kPowerSettings = 14;
struct SetPowerState {
  u32 argsz;
  u32 flags;
  u8 reserved0;
  u8 validity;  // 3:0 number of valid flags, 7:4 of valid settings
  u16 power_flags;
  u16 power_settings[kPowerSettings];
};
static_assert(sizeof(SetPowerState) == 40);

struct NoArgument {};

// --- Offsets for mmap (memory.c, MMAP_OFFSET_*).
inline constexpr u64 kPage = 4096;
inline constexpr u64 kOffsetStep = u64{1} << 36;
inline constexpr u64 kOffsetTlbUncached = 6 * kOffsetStep;
inline constexpr u64 kOffsetTlbCombining = 7 * kOffsetStep;
inline constexpr u64 kOffsetDmaBuf = (kPage - 256) << 32;
inline constexpr u64 kDmaBufStep = u64{1} << 32;

}  // namespace bhemu::kmd::abi
