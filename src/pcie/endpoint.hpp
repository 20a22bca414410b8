// The PCIe tile, (19,24) in translated coordinates: the door to host memory.
//
// Spec dram.md section 3: bit 60 of the NoC address selects the window that goes through the
// outbound iATU to the host; the rest is an address in the memory that the host has set up. The
// host may be reading and writing that memory from other threads all the time, so every access is
// made of atomic loads and stores: data that a guest wrote before a flag is visible to a host
// thread that has seen the flag.
#pragma once

#include <span>

#include "noc/endpoint.hpp"

namespace bhemu::pcie {

inline constexpr u64 kHostWindow = u64{1} << 60;

class Endpoint final : public noc::Endpoint {
 public:
  explicit Endpoint(const noc::EndpointConfig& config)
      : noc::Endpoint(noc::NodeKind::Pcie, config) {}

  /// Guest address `base` + i (bit 60 set or not in `base`) is memory[i]. An empty span takes the
  /// memory away. Only between runs.
  void set_host_memory(std::span<u8> memory, u64 base);

 protected:
  bool read(u64 address, void* target, u32 bytes, Cycle now) override;
  bool write(u64 address, const void* source, u32 bytes, const Author& author) override;
  Rule address_rule() const override {
    return memory_.empty() ? Rule::PcieNoHostMemory : Rule::PcieAddress;
  }
  /// Host memory belongs to the host: it is no part of the device's state.
  u64 hash_memory(u64 seed) const override { return seed; }

 private:
  u8* at(u64 address, u32 bytes) const;

  std::span<u8> memory_;
  u64 base_ = 0;
};

}  // namespace bhemu::pcie
