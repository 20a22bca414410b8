// The PCIe tile, (19,24) in translated coordinates: the door to host memory.
//
// A NoC address of this tile is one of 64 windows of 2^58 bytes, as the ARC firmware sets them up
// (jasondavies/tt-isa-documentation BlackholeA0/PCIExpressTile/README.md, "NoC to Host"):
//   0..3   host memory; the four differ in PCIe ordering and snooping, which nothing here shows
//   4..7   the same through the outbound iATU (bit 60, spec dram.md section 3)
//   62     registers of the controller
//   else   a fault
#pragma once

#include "noc/endpoint.hpp"
#include "pcie/controller.hpp"
#include "pcie/host_memory.hpp"

namespace bhemu::pcie {

inline constexpr u64 kHostWindow = u64{1} << 60;
inline constexpr u64 kWindowBytes = u64{1} << 58;
inline constexpr u64 kControllerWindow = 62 * kWindowBytes;

class Endpoint final : public noc::Endpoint {
 public:
  explicit Endpoint(const noc::EndpointConfig& config)
      : noc::Endpoint(noc::NodeKind::Pcie, config) {}

  /// Only between runs; `memory` must outlive the endpoint or be taken away with null.
  void set_host_memory(HostMemory* memory) { memory_ = memory; }
  HostMemory* host_memory() const { return memory_; }

  Controller& controller() { return controller_; }
  const Controller& controller() const { return controller_; }

  void reset(Cycle now) override;

 protected:
  bool read(u64 address, void* target, u32 bytes, Cycle now) override;
  bool write(u64 address, const void* source, u32 bytes, const Author& author) override;
  Rule address_rule() const override {
    return memory_ == nullptr ? Rule::PcieNoHostMemory : Rule::PcieAddress;
  }
  /// Host memory belongs to the host: it is no part of the device's state.
  u64 hash_memory(u64 seed) const override { return controller_.hash(seed); }
  void archive_memory(Archive& archive) override { archive.value(controller_); }

 private:
  bool host_address(u64 address, u32 bytes, u64& target) const;

  void check_regions(u64 address, u32 bytes, const Author& author);

  HostMemory* memory_ = nullptr;
  Controller controller_;
  std::string told_;  // the last doubt about regions of the iATU
};

}  // namespace bhemu::pcie
