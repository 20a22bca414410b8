// What kernels, launch messages and the state of cores say, for reports.
#include <algorithm>
#include <cstring>

#include "base/bits.hpp"
#include "device/livelock.hpp"
#include "host/boot/mailboxes.hpp"
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

u32 l1_half(tile::Tile& tile, u32 address) {
  return l1_word(tile, address & ~3u) >> (address % 4 * 8) & 0xFFFF;
}

}  // namespace

bool anybody_runs(Device& device) {
  for (NodeId node = 0; node < device.board().node_count(); ++node)
    if (tile::Tile* tile = device.tile_of(node))
      for (unsigned core = 0; core < tile->shape().cores; ++core)
        if (tile->status(tile->shape().core[core]) == tile::CoreStatus::Running) return true;
  return false;
}

bool is_between_reads(const Waits& waits, Cycle now, bool running) {
  return waits.find(Awaited::Remote) != nullptr || (running && awaits_answer(waits, now));
}

LaunchView launch_of(tile::Tile& tile, u32 kernel_base) {
  LaunchView view;
  if (!tile.shape().is_tensix()) return view;
  const Protocol& protocol = kProtocol96;
  const LaunchLayout& layout = protocol.launch;
  const u32 slot = l1_word(tile, protocol.launch_message_read_pointer);
  const u32 index = l1_word(tile, protocol.go_message_index);
  const u32 message = protocol.launch_ring + slot * layout.bytes;
  if (slot >= protocol.launch_ring_size || index > protocol.launch_ring_size) return view;
  view.kernel_base = l1_word(tile, message + layout.kernel_config_base);
  if (view.kernel_base == 0) view.kernel_base = kernel_base;
  view.enables = l1_word(tile, message + layout.enables);
  view.go_address = protocol.go_messages + 4 * index;
  view.go = static_cast<u8>(l1_word(tile, view.go_address) >> 24);
  const u32 semaphores = l1_half(tile, message + layout.sem_offset);
  const u32 buffers = l1_half(tile, message + layout.local_cb_offset);
  view.semaphores = view.kernel_base + semaphores;
  view.semaphores_end = view.kernel_base + std::max(semaphores, buffers);
  for (u32 core = 0; core < kCores; ++core)
    view.text[core] =
        view.kernel_base + l1_word(tile, message + layout.kernel_text_offset + 4 * core);
  // Firmware lies between the mailboxes and the kernels; anything else there is other software.
  view.valid = view.kernel_base >= 0x1000 && view.kernel_base < kL1Size && view.enables < 32;
  return view;
}

CoreStand stand_of(tile::Tile& tile, const LaunchView& launch, CoreId core) {
  const tile::CoreStatus status = tile.status(core);
  if (status == tile::CoreStatus::Reset) return CoreStand::InReset;
  if (status == tile::CoreStatus::Stopped) return CoreStand::Faulted;
  if (!launch.valid || tile.core(core).pc >= launch.kernel_base) return CoreStand::Busy;
  const bool told = launch.go == kGoGo || launch.go == kGoDone;
  return told && bit(launch.enables, index_of(core)) ? CoreStand::Ended : CoreStand::Idle;
}

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
