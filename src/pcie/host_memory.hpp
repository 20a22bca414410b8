// The memory of the host, as the PCIe tile reaches it: what lies behind the host's IOMMU.
#pragma once

#include <span>

#include "base/types.hpp"

namespace bhemu::pcie {

/// Called from whichever host thread runs the PCIe tile, never from two at once. Addresses are
/// those that leave the card (after the outbound iATU).
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  /// False: nothing is mapped there.
  virtual bool read(u64 address, void* target, u32 bytes) = 0;
  virtual bool write(u64 address, const void* source, u32 bytes) = 0;
};

/// One stretch of this process's memory: address `base` + i is memory[i].
///
/// Other threads may read and write it all the time, so every access is made of atomic loads and
/// stores: what a guest wrote before a flag is visible to a thread that has seen the flag.
class SpanMemory final : public HostMemory {
 public:
  SpanMemory() = default;
  SpanMemory(std::span<u8> memory, u64 base) : memory_(memory), base_(base) {}

  bool read(u64 address, void* target, u32 bytes) override;
  bool write(u64 address, const void* source, u32 bytes) override;

 private:
  u8* at(u64 address, u32 bytes) const;

  std::span<u8> memory_;
  u64 base_ = 0;
};

}  // namespace bhemu::pcie
