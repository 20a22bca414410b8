// An Ethernet tile with nothing connected and its cores held in reset: 512 KiB of L1 that answers,
// nothing else. BlackholeA0 EthernetTile (L1); NoC/Coordinates.md.
#pragma once

#include "mem/mapping.hpp"
#include "noc/endpoint.hpp"

namespace bhemu::arc {

inline constexpr u32 kEthernetL1Bytes = 512 * 1024;

class EthernetTile final : public noc::Endpoint {
 public:
  explicit EthernetTile(const noc::EndpointConfig& config);
  void reset(Cycle now) override;

 protected:
  bool read(u64 address, void* target, u32 bytes, Cycle now) override;
  bool write(u64 address, const void* source, u32 bytes, const Author& author) override;
  Rule address_rule() const override { return Rule::NocAddress; }
  u64 hash_memory(u64 seed) const override;
  void archive_memory(Archive& archive) override { l1_.archive(archive); }

 private:
  Mapping l1_;
};

}  // namespace bhemu::arc
