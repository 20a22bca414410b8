// Host memory as the card's bus shows it: what clients have pinned and the driver's DMA buffers,
// each a stretch of bus addresses of its own, as an IOMMU hands them out.
//
// Changed and used only at the edge of an epoch or by the thread that runs the PCIe tile.
#pragma once

#include <map>

#include "pcie/host_memory.hpp"

namespace bhemu::kmd {

class BusMemory final : public pcie::HostMemory {
 public:
  /// Gives `memory` (whole pages) a stretch and returns its first address.
  u64 add(std::span<u8> memory, bool read_only);
  void remove(u64 address);

  bool read(u64 address, void* target, u32 bytes) override;
  bool write(u64 address, const void* source, u32 bytes) override;

 private:
  struct Stretch {
    u64 bytes;
    pcie::SpanMemory memory;
    bool read_only;
  };
  Stretch* find(u64 address);

  std::map<u64, Stretch> stretches_;  // by first address
};

}  // namespace bhemu::kmd
