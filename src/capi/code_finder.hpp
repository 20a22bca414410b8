// Source lines for a client that only ever wrote bytes: which of the ELFs that the user has named
// (BHEMU_ELF) holds the code around a faulting core's pc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/elf.hpp"
#include "host/report.hpp"

namespace bhemu::capi {

class CodeFinder {
 public:
  /// Throws host::InputError.
  explicit CodeFinder(const std::vector<std::string>& paths);

  /// For the cores among the device's faults; code that no ELF holds, or more than one place of
  /// them, is left out. Does not outlive this.
  host::CodeMap locate(Device& device) const;

 private:
  struct Place {
    const host::Elf* elf = nullptr;
    const host::Segment* segment = nullptr;
    u32 run_base = 0;
  };
  /// Whether exactly one place, or one that is linked where it runs, holds these bytes of L1.
  bool find(u32 address, std::span<const u8> code, Place& place) const;

  std::vector<std::unique_ptr<const host::Elf>> elfs_;
};

}  // namespace bhemu::capi
