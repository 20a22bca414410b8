// What the ARC's firmware and the base firmware leave in an Ethernet tile before any client looks:
// the image, its parameters and its results. The image is our own stand-in (firmware/ethernet).
//
// Documents: tt-zephyr-platforms lib/tenstorrent/bh_arc/eth.c (what is loaded where);
// tt-metal tt_metal/hw/inc/internal/tt-1xx/blackhole/eth_fw_api.h (boot results); what a port says
// that has no cable, or no port: the sample output of BlackholeA0/EthernetTile/Samples/ethdump.
#pragma once

#include "mem/l1.hpp"

namespace bhemu::eth {

inline constexpr u32 kFirmwareBase = 0x70000;
inline constexpr u32 kBootParameters = 0x7C000;
inline constexpr u32 kBootResults = 0x7CC00;
inline constexpr u32 kHeartbeat = kBootResults + 0x70;
inline constexpr u32 kMailboxes = 0x7D000;

/// As telemetry tag 24 has it.
struct FirmwareVersion {
  u8 major = 0;
  u8 minor = 0;
  u8 patch = 0;
  constexpr u32 word() const { return u32{major} << 16 | u32{minor} << 8 | patch; }
};

/// What the tile is told about itself.
struct BootFacts {
  u32 instance = 0;  // 0 to 13, in the order of NOC_ENDPOINT_ID
  u32 channel = 0;   // among those that are not harvested
  u32 enabled = 0;   // bit per instance
  u32 ports = 0;     // those whose SerDes is not PCIe's
  u64 board_id = 0;
  u32 asic_location = 0;
  u64 asic_id = 0;
  FirmwareVersion version;
  bool has_port() const { return (ports >> instance & 1) != 0; }
};

/// Writes image, parameters and results; the mailboxes are the firmware's to clear.
void load_base_firmware(L1& l1, const BootFacts& facts, Cycle now);

/// ERISC0 is in the firmware's waiting loop, where it counts its heartbeat.
bool is_waiting(u32 pc);
/// What the heartbeat shows then. Computed when somebody outside of the tile reads it, since a
/// loop that looks at the clock could not sleep; the real one counts its rounds.
u32 heartbeat_at(Cycle now);

}  // namespace bhemu::eth
