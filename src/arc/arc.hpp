// The ARC tile (8,0): as much of the management processor as clients see over the NoC.
//
// What blackhole-py, tt-umd and tt-exalens read and write here; addresses: tt-umd
// blackhole_implementation.hpp; tt-zephyr-platforms (telemetry.def, message queue, answers).
//   0x10000000  CSM, 512 KiB of memory: telemetry table and values, message queues
//   0x80030000  reset unit: scratch registers, ARC_MISC_CNTL (doorbell), reference clock, scratch
//               RAM (2: boot status, 11: message queues, 12: telemetry values, 13: tag table)
//   0x80050000, 0x80058000  identification and configuration of the tile's own NIUs
//   0x800B0000  FIFO for message signalled interrupts: writing 0 is a doorbell too
// Registers are 32-bit words, read and written one at a time; everything else is a fault.
// Not modelled: resets, power, I2C, SPI and what else messages.def says.
#pragma once

#include <algorithm>

#include "mem/mapping.hpp"
#include "noc/endpoint.hpp"

namespace bhemu::arc {

/// What telemetry says about the board.
struct BoardFacts {
  u64 board_id = 0;
  u16 enabled_tensix_columns = 0;  // ARC numbering, bit per column
  u16 enabled_ethernet = 0;
  u32 ethernet_version = 0;  // of the base firmware
  u32 bundle_version = 0;
  u64 asic_id = 0;
  u8 enabled_gddr = 0;
};

inline constexpr u32 kCsmBase = 0x10000000;
inline constexpr u32 kCsmBytes = 0x80000;
inline constexpr u32 kApbBase = 0x80000000;
inline constexpr u32 kResetUnit = kApbBase + 0x30000;
inline constexpr u32 kScratchRam = kResetUnit + 0x400;
inline constexpr u32 kMiscControl = kResetUnit + 0x100;
inline constexpr u32 kDoorbell = 1u << 16;
inline constexpr u32 kAiclkIdle = 800;  // MHz
inline constexpr u32 kAiclkBusy = 1350;

/// What decides the frequency of the AI clock (tt-zephyr-platforms aiclk_ppm.c), in MHz.
struct ClockState {
  u32 busy = 0;          // by message AICLK_GO_BUSY
  u32 power_busy = 0;    // by message POWER_SETTING
  u32 forced = 0;        // 0: not
  u32 host_maximum = 0;  // 0: none
  u32 tdp_limit = 150;   // W; nothing here is throttled by it

  bool is_busy() const { return (busy | power_busy) != 0; }
  u32 lowest() const { return is_busy() ? kAiclkBusy | 1u << 16 : kAiclkIdle; }
  u32 highest() const {
    return host_maximum != 0 && host_maximum < kAiclkBusy ? host_maximum | 10u << 16 : kAiclkBusy;
  }
  u32 aiclk() const {
    if (forced != 0) return forced;
    return std::min(lowest() & 0xFFFF, highest() & 0xFFFF);
  }
  u32 reason() const {
    if (forced != 0) return 4u << 16;
    if ((highest() & 0xFFFF) < (lowest() & 0xFFFF)) return 1u << 16 | highest() >> 16;
    return lowest() >> 16;
  }
};

struct TelemetryInfo {
  u32 tag;
  const char* name;
  const char* meaning;
};
const TelemetryInfo* telemetry_tags();
unsigned telemetry_tag_count();

enum class MessageKind : u8 { Answered, Accepted, NotModelled };
struct MessageInfo {
  u32 code;
  const char* name;
  MessageKind kind;
  const char* meaning;
};
const MessageInfo* arc_messages();
unsigned arc_message_count();

class Arc final : public noc::Endpoint {
 public:
  Arc(const noc::EndpointConfig& config, const BoardFacts& board);

  u32 aiclk() const { return clock_.aiclk(); }
  void reset(Cycle now) override;
  /// From time to time the firmware reads the heartbeat and the link status of each Ethernet tile.
  /// True: it is time to.
  bool wants_ethernet(Cycle now) const { return now >= next_ethernet_look_; }
  /// A word per tile, by instance; a bit per tile whose link is up.
  void look_at_ethernet(const std::array<u32, 14>& heartbeats, u16 links, Cycle now);

 protected:
  bool read(u64 address, void* target, u32 bytes, Cycle now) override;
  bool write(u64 address, const void* source, u32 bytes, const Author& author) override;
  Rule address_rule() const override { return Rule::ArcAddress; }
  u64 hash_memory(u64 seed) const override;
  void archive_memory(Archive& archive) override;

 private:
  bool read_register(u32 address, u32& value, Cycle now) const;
  bool write_register(u32 address, u32 value, const Author& author);
  u32 csm_word(u32 address) const;
  void set_csm_word(u32 address, u32 value);
  void write_telemetry();
  void update_telemetry();
  void set_telemetry(u32 tag, u32 value);
  using Words = std::array<u32, 8>;
  void drain_queues(const Author& author);
  void drain_queue(u32 queue, const Author& author);
  void answer_any(u32 queue, const Words& request, Words& response, const Author& author);
  void answer(u32 queue, const Words& request, Words& response);
  u32 answer_gddr_reset(u32 bank, u32& reason) const;

  BoardFacts board_;
  Mapping csm_;
  std::array<u32, 8> scratch_{};
  std::array<u32, 64> scratch_ram_{};
  u32 misc_control_ = 0;
  ClockState clock_;
  u32 fan_speed_ = 0;
  std::array<u32, 14> heartbeats_{};
  u32 ethernet_status_ = 0;
  Cycle next_ethernet_look_ = 0;
};

}  // namespace bhemu::arc
