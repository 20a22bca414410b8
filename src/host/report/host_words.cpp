#include "host/report/host_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

/// The last signal that came for the word over the NoC until a cycle.
std::optional<tile::Arrival> signal_before(Device& device, const Spot& word, Cycle cycle) {
  tile::Tile* const tile = device.tile_of(word.node);
  std::optional<tile::Arrival> found;
  if (tile == nullptr) return found;
  tile->ledger().each_arrival([&](const tile::Arrival& arrival) {
    const bool covers = arrival.address <= word.address &&
                        word.address < arrival.address + arrival.bytes && arrival.cycle <= cycle;
    if (covers && !found) found = arrival;
  });
  return found;
}

void add(FirstCause& cause, const std::string& more, const std::string& remedy) {
  cause.sentence.pop_back();
  cause.sentence += "; " + more + ".";
  cause.remedy = remedy;
}

}  // namespace

u32 HostWords::word_of(std::span<const u8> bytes) {
  u32 word = 0;
  std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
  return word;
}

std::optional<HostWords::Write> HostWords::located(Write write, Device& device) {
  if (write.memory == nullptr) return write;
  for (const Coord coord : device.board().tensix()) {
    tile::Tile* const tile = device.tile_of(device.board().node_at_translated(coord));
    if (tile == nullptr) continue;
    const u8* const begin = tile->l1().data();
    if (write.memory < begin || write.memory >= begin + tile->l1().size()) continue;
    write.tile = coord;
    write.address = static_cast<u64>(write.memory - begin);
    return write;
  }
  return std::nullopt;
}

void HostWords::tell(Standstill& standstill, Device& device) const {
  FirstCause& cause = standstill.cause;
  constexpr u64 kNear = 64;
  if (!cause.awaited || cause.sentence.empty()) return;
  const Coord tile = device.coord_of(cause.awaited->node);
  const u64 word = cause.awaited->address;
  std::optional<Write> beside;
  for (u64 i = 1; i <= std::min(count_, kWrites); ++i) {
    const std::optional<Write> one = located(writes_[(count_ - i) % kWrites], device);
    if (!one) continue;
    const u64 distance = one->address > word ? one->address - word : word - one->address;
    const bool here = one->tile == tile;
    const bool after_the_start = count_ - i >= since_;
    if (here && distance == 0) {
      const std::optional<tile::Arrival> signal = signal_before(device, *cause.awaited, one->cycle);
      if (signal)
        return add(cause,
                   fmt::format("the host has set it to {:#x} in cycle {}, after {} of {} had {} it "
                               "in cycle {}",
                               one->value, one->cycle, name_of(signal->issuer),
                               device.name_of(signal->source),
                               signal->atomic ? "incremented" : "written", signal->cycle),
                   "set semaphores and flags to what they begin with before any tile that signals "
                   "them is told to go");
      if (after_the_start)
        return add(
            cause,
            fmt::format("the host has written {:#x} there in cycle {}", one->value, one->cycle),
            "write the value that is waited for: compare what both sides mean by it; else " +
                cause.remedy);
    } else if (after_the_start && !beside && (here ? distance <= kNear : distance == 0)) {
      beside = one;
    }
  }
  if (!beside) return;
  const u64 distance = beside->address > word ? beside->address - word : word - beside->address;
  const bool here = beside->tile == tile;
  add(cause,
      fmt::format("the host has written L1[{:#x}] of ({}, {}) in cycle {}, {}", beside->address,
                  beside->tile.x, beside->tile.y, beside->cycle,
                  here ? fmt::format("{} bytes {}", distance,
                                     beside->address > word ? "behind it" : "before it")
                       : "the same place of another tile"),
      fmt::format("if that was meant for this kernel, correct the host's tile and address ({}); "
                  "else {}",
                  here ? "semaphores are 16 bytes apart" : "a window leads where it was aimed last",
                  cause.remedy));
}

}  // namespace bhemu::host
