#include "kmd/bus_memory.hpp"

#include "base/bits.hpp"

namespace bhemu::kmd {
namespace {

// Addresses begin above 4 GiB, like those that Linux gives once the low ones are used up, so that a
// client which keeps only 32 bits is found out.
constexpr u64 kFirst = u64{1} << 32;
constexpr u64 kAlignment = u64{2} << 20;

}  // namespace

u64 BusMemory::add(std::span<u8> memory, bool read_only) {
  u64 at = kFirst;
  for (const auto& [first, stretch] : stretches_) {
    if (first - at >= memory.size() + kAlignment) break;  // nothing borders on anything
    at = align_up(first + stretch.bytes + 1, kAlignment);
  }
  stretches_.emplace(at, Stretch{memory.size(), pcie::SpanMemory(memory, at), read_only});
  return at;
}

void BusMemory::remove(u64 address) {
  stretches_.erase(address);
}

BusMemory::Stretch* BusMemory::find(u64 address) {
  auto after = stretches_.upper_bound(address);
  return after == stretches_.begin() ? nullptr : &std::prev(after)->second;
}

bool BusMemory::read(u64 address, void* target, u32 bytes) {
  Stretch* stretch = find(address);
  return stretch != nullptr && stretch->memory.read(address, target, bytes);
}

bool BusMemory::write(u64 address, const void* source, u32 bytes) {
  Stretch* stretch = find(address);
  return stretch != nullptr && !stretch->read_only && stretch->memory.write(address, source, bytes);
}

}  // namespace bhemu::kmd
