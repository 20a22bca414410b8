// What kernels and launch messages say, for reports.
#include <algorithm>
#include <cstring>

#include "base/bits.hpp"
#include "host/error.hpp"
#include "host/report/inspect.hpp"
#include "host/report/situation.hpp"
#include "noc/command.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

u32 l1_word(tile::Tile& tile, u32 address) {
  u32 value = 0;
  if (address + 4 <= tile.l1().size()) std::memcpy(&value, tile.l1().data() + address, 4);
  return value;
}

}  // namespace

std::vector<std::string> places_of_words(tile::Tile& tile, const LaunchView& launch, Coord where,
                                         unsigned thread, const std::function<bool(u32)>& wanted,
                                         const CodeMap& code) {
  const CoreId core = static_cast<CoreId>(index_of(CoreId::Trisc0) + thread);
  std::vector<std::string> found;
  if (!launch.valid || !bit(launch.enables, index_of(core))) return found;
  const u32 begin = launch.text[index_of(core)];
  for (u32 pc = begin; pc < begin + 0x4000 && pc + 4 <= kL1Size; pc += 4) {
    // In code a Tensix word stands rotated left by two (PushTensixInstruction.md).
    const u32 stored = l1_word(tile, pc);
    if ((stored & 3) == 3 || !wanted(stored >> 2 | stored << 30)) continue;
    const CodeMap::Location location = code.locate(agent_of(core), pc, where);
    if (location.image.empty()) continue;
    std::string place = location.users();
    if (std::find(found.begin(), found.end(), place) == found.end())
      found.push_back(std::move(place));
  }
  return found;
}

std::vector<std::string> places_of_word(tile::Tile& tile, const LaunchView& launch, Coord where,
                                        unsigned thread, u32 word, const CodeMap& code) {
  return places_of_words(
      tile, launch, where, thread, [word](u32 other) { return other == word; }, code);
}

std::string place_of_word(tile::Tile& tile, const LaunchView& launch, Coord where, unsigned thread,
                          u32 word, const CodeMap& code) {
  const std::vector<std::string> found = places_of_word(tile, launch, where, thread, word, code);
  return found.size() == 1 ? found.front() : "";
}

u32 pages_of(Device& device, Coord tile, u32 index) {
  try {
    for (const CircularBuffer& buffer : circular_buffers(device, tile))
      if (buffer.index == index) return buffer.pages;
  } catch (const InputError&) {
    // Other software: nothing says how large the buffer is.
  }
  return 0;
}

bool has_no_buffer(Device& device, Coord tile, u32 index) {
  constexpr u32 kMostBuffers = 32;
  if (index >= kMostBuffers) return false;
  try {
    const std::vector<CircularBuffer> buffers = circular_buffers(device, tile);
    return !buffers.empty() &&
           std::none_of(buffers.begin(), buffers.end(),
                        [&](const CircularBuffer& buffer) { return buffer.index == index; });
  } catch (const InputError&) {
    return false;
  }
}

std::optional<Written> written_by(const Deed& deed) {
  if (deed.kind != Deed::Kind::Request) return std::nullopt;
  const noc::Command& command = deed.command;
  const noc::RequestType type = command.type();
  if (type != noc::RequestType::Write && type != noc::RequestType::Atomic) return std::nullopt;
  const bool at_target = type == noc::RequestType::Atomic || command.inline_data();
  const u32 where = at_target ? command.target_coordinate : command.return_coordinate;
  const auto corner = [](u32 word) {
    return Coord{static_cast<u8>(word & 63), static_cast<u8>(word >> 6 & 63)};
  };
  Written written;
  written.first = written.last = corner(where);
  if (command.broadcast()) {
    // NoC 0 wants the lower corner first (in the upper half), NoC 1 the other.
    written.first = corner(deed.noc == 0 ? where >> 12 : where);
    written.last = corner(deed.noc == 0 ? where : where >> 12);
  }
  written.address = at_target ? command.target_address : command.return_address;
  written.bytes = at_target ? 4 : static_cast<u32>(command.length);
  return written;
}

}  // namespace bhemu::host
