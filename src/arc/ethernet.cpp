#include "arc/ethernet.hpp"

#include <cstring>

namespace bhemu::arc {
namespace {

bool inside(u64 address, u32 bytes) {
  return address <= kEthernetL1Bytes && bytes <= kEthernetL1Bytes - address;
}

}  // namespace

EthernetTile::EthernetTile(const noc::EndpointConfig& config)
    : Endpoint(noc::NodeKind::Ethernet, config), l1_("bhemu-eth-l1", kEthernetL1Bytes) {}

bool EthernetTile::read(u64 address, void* target, u32 bytes, Cycle) {
  if (!inside(address, bytes)) return false;
  std::memcpy(target, l1_.data() + address, bytes);
  return true;
}

bool EthernetTile::write(u64 address, const void* source, u32 bytes, const Author&) {
  if (!inside(address, bytes)) return false;
  std::memcpy(l1_.data() + address, source, bytes);
  return true;
}

u64 EthernetTile::hash_memory(u64 seed) const {
  const u64 contents = l1_.hash();
  return hash_bytes(seed, &contents, sizeof contents);
}

void EthernetTile::reset(Cycle now) {
  Endpoint::reset(now);
  l1_.clear();
}

}  // namespace bhemu::arc
