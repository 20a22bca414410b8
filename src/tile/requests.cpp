// What the NoC and the host read and write in a tile: L1, and the registers that they reach.
#include <cstring>

#include "base/bits.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

// From here on pages that do not exist yet are worth being made in one go.
constexpr u32 kLongWrite = 64 * 1024;

}  // namespace

bool Tile::load_register(u32 address, u32& value, const Author& author) {
  return registers_.read(author.agent, address, value, author.cycle, author.pc);
}

bool Tile::store_register(u32 address, u32 value, const Author& author) {
  return registers_.write(author.agent, address, value, author.cycle, author.pc);
}

/// Whole words, all in one region that the NoC reaches.
bool Tile::are_registers(u64 address, u32 bytes) const {
  if (address >> 32 != 0 || address % 4 != 0 || bytes % 4 != 0 || bytes == 0) return false;
  const Region region = shape_.regions->at(static_cast<u32>(address));
  return region != Region::Count && region_info(region).noc &&
         address + (bytes - 1) <= region_info(region).last;
}

bool Tile::noc_read(u64 address, void* target, u32 bytes, Cycle now, Agent agent) {
  if (address < l1_.size()) {
    if (!l1_.has(static_cast<u32>(address), bytes)) return false;
    l1_.read(static_cast<u32>(address), target, bytes);
    if (port_ != nullptr) show_heartbeat(static_cast<u32>(address), target, bytes, now);
    return true;
  }
  if (!are_registers(address, bytes)) return false;
  const u32 low = static_cast<u32>(address);
  for (u32 i = 0; i < bytes; i += 4) {
    u32 value = 0;
    // A request over the NoC is answered whatever the tile makes of it; the host is told.
    if (!registers_.read(agent, low + i, value, now, 0) && agent == Agent::Host) return false;
    std::memcpy(static_cast<u8*>(target) + i, &value, 4);
  }
  return true;
}

bool Tile::noc_write(u64 address, const void* source, u32 bytes, const Author& author) {
  if (address < l1_.size()) {
    if (!l1_.has(static_cast<u32>(address), bytes)) return false;
    if (bytes < kLongWrite) {
      l1_.write(static_cast<u32>(address), source, bytes, author);
    } else {
      l1_.before_write(static_cast<u32>(address), bytes, author);
      l1_.memory().fill(address, source, bytes);
    }
    return true;
  }
  if (!are_registers(address, bytes)) return false;
  const u32 low = static_cast<u32>(address);
  for (u32 i = 0; i < bytes; i += 4) {
    u32 value;
    std::memcpy(&value, static_cast<const u8*>(source) + i, 4);
    if (!registers_.write(author.agent, low + i, value, author.cycle, author.pc) &&
        author.agent == Agent::Host)
      return false;
  }
  return true;
}

}  // namespace bhemu::tile
