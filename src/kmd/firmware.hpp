// The driver's own way to the chip: words over the NoC through its window, messages to the ARC
// firmware, telemetry. tt-kmd blackhole.c, msgqueue.c, telemetry.c.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "base/types.hpp"

namespace bhemu::kmd {

class LiveCard;

class Firmware {
 public:
  static constexpr unsigned kKernelWindow = 201;

  explicit Firmware(LiveCard& card) : card_(card) {}

  /// All ones where nothing answers, as a bus gives them.
  u32 read32(u32 x, u32 y, u64 address, unsigned noc = 0);
  void write32(u32 x, u32 y, u64 address, u32 value, unsigned noc = 0);

  /// A message of eight words and its answer. False: no answer, or a status other than 0.
  bool send(std::array<u32, 8> message);

  /// Finds out which tags there are, and where.
  void probe_telemetry();
  std::optional<u32> telemetry(u32 tag);

  /// Powered on or reset: what the driver tells the firmware.
  void init_hardware();
  /// The PCI Express payload size, which a reset loses.
  void save_reset_state();
  void restore_reset_state();

 private:
  std::optional<u32> csm_read32(u64 address);
  bool csm_write32(u64 address, u32 value);
  std::optional<u32> pcie_column();

  LiveCard& card_;
  std::map<u32, u64> telemetry_;  // tag -> address
  u32 saved_payload_ = 0;
};

}  // namespace bhemu::kmd
