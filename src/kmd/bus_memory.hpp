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
  /// Takes a whole stretch away again.
  void remove(u64 address, u64 bytes);
  /// `bytes` from `address` on, within one stretch, are at `memory` from now on.
  void move(u64 address, std::span<u8> memory);

  bool read(u64 address, void* target, u32 bytes) override;
  bool write(u64 address, const void* source, u32 bytes) override;

 private:
  /// A stretch, or a part of one whose neighbours lie elsewhere in memory.
  struct Piece {
    std::span<u8> memory;
    bool read_only;
  };
  /// Hands each piece its part of an access; false where there is none.
  template <class Access>
  bool each_piece(u64 address, u32 bytes, Access access);

  std::map<u64, Piece> pieces_;  // by first address
};

}  // namespace bhemu::kmd
