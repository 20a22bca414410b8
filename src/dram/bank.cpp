#include "dram/bank.hpp"

#include <cstring>

namespace bhemu::dram {
namespace {

bool inside(u64 address, u32 bytes) {
  return address <= kBankBytes && bytes <= kBankBytes - address;
}

}  // namespace

Bank::Bank(const noc::EndpointConfig& config)
    : Endpoint(noc::NodeKind::Dram, config),
      memory_(Mapping::in_large_pages("bhemu-dram", kBankBytes)) {}

bool Bank::read(u64 address, void* target, u32 bytes, Cycle) {
  if (!inside(address, bytes)) return false;
  std::memcpy(target, memory_.data() + address, bytes);
  return true;
}

bool Bank::write(u64 address, const void* source, u32 bytes, const Author&) {
  if (!inside(address, bytes)) return false;
  memory_.fill(address, source, bytes);
  return true;
}

u64 Bank::hash_memory(u64 seed) const {
  const u64 contents = memory_.hash();
  return hash_bytes(seed, &contents, sizeof contents);
}

void Bank::reset(Cycle now) {
  Endpoint::reset(now);
  memory_.clear();
}

}  // namespace bhemu::dram
