#include "tile/data_cache.hpp"

#include <algorithm>
#include <cstring>

#include "mem/mapping.hpp"

namespace bhemu::tile {
namespace {

/// "approximately a 0.8% chance" (CSRs.md, DisLowCachePeriodicFlush).
constexpr u64 kHitsToAFlush = 125;

}  // namespace

void DataCaches::Stale::put_back() {
  for (unsigned i = 0; i < count_; ++i)
    std::memcpy(l1_.data() + address_[i], own_[i].data(), kLineBytes);
}

void DataCaches::Stale::swap_in(u32 address, const std::array<u8, kLineBytes>& bytes) {
  // A vector has elements in the same line.
  const auto end = address_.begin() + count_;
  if (std::find(address_.begin(), end, address) != end) return;
  address_[count_] = address;
  std::memcpy(own_[count_].data(), l1_.data() + address, kLineBytes);
  std::memcpy(l1_.data() + address, bytes.data(), kLineBytes);
  ++count_;
}

const u8* DataCaches::Stale::own(u32 line) const {
  for (unsigned i = 0; i < count_; ++i)
    if (address_[i] == line) return own_[i].data();
  return l1_.data() + line;
}

/// Which line goes when a fifth comes is not documented: the oldest. Which hits flush the cache is
/// not either: they are drawn by core, cycle and address, so that a run can be repeated.
void DataCaches::load(unsigned core, u32 address, u32 bytes, Cycle cycle, bool may_flush,
                      Stale& stale) {
  for (u32 line = address / kLineBytes * kLineBytes; line < address + bytes; line += kLineBytes) {
    Core& cache = core_[core];
    const auto found = std::find_if(cache.line.begin(), cache.line.end(),
                                    [&](const Line& one) { return one.address == line; });
    if (found == cache.line.end()) {
      Line& made = cache.line[cache.next];
      cache.next = (cache.next + 1) % cache.line.size();
      made.address = line;
      std::memcpy(made.bytes.data(), stale.own(line), kLineBytes);
      continue;
    }
    if (std::memcmp(found->bytes.data(), stale.own(line), kLineBytes) != 0)
      stale.swap_in(line, found->bytes);
    const std::array<u64, 3> draw{core, cycle, line};
    if (may_flush && hash_bytes(0, draw.data(), sizeof draw) % kHitsToAFlush == 0) cache = {};
  }
}

void DataCaches::store(unsigned core, u32 address, u32 bytes) {
  for (Line& line : core_[core].line)
    if (line.address != kNone && line.address < address + bytes &&
        address < line.address + kLineBytes)
      line.address = kNone;
}

u64 DataCaches::hash(u64 seed) const {
  for (const Core& core : core_) {
    seed = hash_bytes(seed, &core.next, sizeof core.next);
    for (const Line& line : core.line) {
      seed = hash_bytes(seed, &line.address, sizeof line.address);
      if (line.address != kNone) seed = hash_bytes(seed, line.bytes.data(), line.bytes.size());
    }
  }
  return seed;
}

}  // namespace bhemu::tile
