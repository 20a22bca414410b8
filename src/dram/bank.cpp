#include "dram/bank.hpp"

#include <cstring>

namespace bhemu::dram {
namespace {

// From here on a call to the kernel is cheaper than a page fault for every 4 KiB.
constexpr u32 kWorthPopulating = 64 * 1024;

bool inside(u64 address, u32 bytes) {
  return address <= kBankBytes && bytes <= kBankBytes - address;
}

}  // namespace

Bank::Bank(const noc::EndpointConfig& config)
    : Endpoint(noc::NodeKind::Dram, config), memory_("bhemu-dram", kBankBytes) {}

bool Bank::read(u64 address, void* target, u32 bytes, Cycle) {
  if (!inside(address, bytes)) return false;
  std::memcpy(target, memory_.data() + address, bytes);
  return true;
}

bool Bank::write(u64 address, const void* source, u32 bytes, const Author&) {
  if (!inside(address, bytes)) return false;
  if (bytes >= kWorthPopulating) memory_.populate(address, bytes);
  std::memcpy(memory_.data() + address, source, bytes);
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
