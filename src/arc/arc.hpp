// The ARC tile (8,0): as much of the management processor as clients see over the NoC.
//
// facts/clients.md sections 1.3 and 6; tt-umd blackhole_implementation.hpp (addresses);
// tt-zephyr-platforms (telemetry.def, message queue, answers).
//   0x10000000  CSM, 512 KiB of memory: telemetry table and values, message queues
//   0x80030000  reset unit: scratch registers, ARC_MISC_CNTL (doorbell), reference clock, scratch
//               RAM (2: boot status, 11: message queues, 12: telemetry values, 13: tag table)
//   0x80050000, 0x80058000  identification and configuration of the tile's own NIUs
//   0x800B0000  message FIFO: any write is a doorbell too
// Registers are 32-bit words, read and written one at a time; everything else is a fault.
// Not modelled: resets, power, I2C, SPI and all else that the management firmware does.
#pragma once

#include "mem/mapping.hpp"
#include "noc/endpoint.hpp"

namespace bhemu::arc {

/// What telemetry says about the board.
struct BoardFacts {
  u64 board_id = 0;
  u16 enabled_tensix_columns = 0;  // ARC numbering, bit per column
  u16 enabled_ethernet = 0;
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

struct TelemetryInfo {
  u32 tag;
  const char* name;
  const char* meaning;
};
const TelemetryInfo* telemetry_tags();
unsigned telemetry_tag_count();

class Arc final : public noc::Endpoint {
 public:
  Arc(const noc::EndpointConfig& config, const BoardFacts& board);

  u32 aiclk() const { return aiclk_; }
  void reset(Cycle now) override;

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
  void set_telemetry(u32 tag, u32 value);
  void drain_queues(const Author& author);
  void drain_queue(u32 queue, const Author& author);
  void answer(const std::array<u32, 8>& request, std::array<u32, 8>& response,
              const Author& author);
  void set_aiclk(u32 megahertz);

  BoardFacts board_;
  Mapping csm_;
  std::array<u32, 8> scratch_{};
  std::array<u32, 64> scratch_ram_{};
  u32 misc_control_ = 0;
  u32 aiclk_ = kAiclkIdle;
};

}  // namespace bhemu::arc
