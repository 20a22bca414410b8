#include "host/report/host_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "host/boot/mailboxes.hpp"
#include "host/error.hpp"
#include "host/report/launch_mistakes.hpp"
#include "host/report/situation.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

constexpr u32 kLowestKernel = 0x1000;    // for tiles that have had no launch yet
constexpr unsigned kBriscResetByte = 1;  // of SOFT_RESET_0: bit 11
constexpr u8 kBriscResetBit = 8;
constexpr u64 kMailboxesEnd = kProtocol96.go_message_index + 4;

/// The signal that the bytes write into the go message that the tile's firmware looks at.
std::optional<u8> signal_in(tile::Tile& tile, u64 address, std::span<const u8> bytes) {
  const LaunchView launch = launch_of(tile, kLowestKernel);
  const u64 signal = u64{launch.go_address} + kGoSignalByte;
  if (launch.go_address == 0 || address > signal || signal - address >= bytes.size())
    return std::nullopt;
  return bytes[signal - address];
}

bool boots(tile::Tile& tile) {
  return tile.status(CoreId::Brisc) == tile::CoreStatus::Reset;
}

[[noreturn]] void refuse(std::string text, const std::string& remedy) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  throw InputError(
      "", "",
      fmt::format("First cause: {}; the go message was not written.\nRemedy: {}.", text, remedy));
}

/// A kernel that only goes round in place has ended, as far as the host is concerned.
bool is_at_its_end(const WaiterGroup& group) {
  return is_core(group.agent) && !group.waits.empty() &&
         std::all_of(group.waits.begin(), group.waits.end(),
                     [](const Wait& wait) { return wait.kind == Awaited::Nothing; });
}

}  // namespace

std::string HostDesk::before_write(Device& device, Coord coord, u64 address,
                                   std::span<const u8> bytes) {
  if (address == kSoftReset0 && bytes.size() == 4 && (bytes[kBriscResetByte] & kBriscResetBit) != 0)
    runs_other_code(coord);
  if (address >= kL1Size || bytes.empty()) return "";
  note(coord, address, bytes, device.cycle());
  if (address >= kProtocol96.launch_ring && address < kProtocol96.go_messages)
    announced_.insert({coord.x, coord.y});
  if (address >= kMailboxesEnd || address + bytes.size() <= kProtocol96.go_messages) return "";
  const NodeId node = device.board().node_at_translated(coord);
  tile::Tile* const tile = node == kNoNode ? nullptr : device.tile_of(node);
  if (tile == nullptr || !tile->shape().is_tensix()) return "";
  const std::optional<u8> signal = signal_in(*tile, address, bytes);
  // So begins the boot of firmware of this layout.
  if (signal == kGoInit && boots(*tile)) takes_launches_.insert({coord.x, coord.y});
  if (signal != kGoGo) return "";
  announced_.erase({coord.x, coord.y});
  went_.reset();
  if (boots(*tile) || !takes_launches_.contains({coord.x, coord.y})) return "";
  if (!device.options().checks.has(CheckGroup::Buffers)) {
    went_ = device.cycle();
    return "";
  }
  const LaunchView launch = launch_of(*tile, 0);
  if (launch.valid && launch.go == kGoGo &&
      tile->status(CoreId::Brisc) != tile::CoreStatus::Stopped)
    refuse(fmt::format("({}, {}) has not ended what it was told to run before: its go message is "
                       "still GO (0x80)",
                       coord.x, coord.y),
           "wait until the last byte of the go message is 0 (DONE) before the next launch is "
           "written; a kernel that hangs goes on only when its tile is reset and booted anew");
  // With nothing to run a tile still reports to its dispatcher, where the go message names one.
  const auto byte = [&](u64 at) {
    return at >= address && at - address < bytes.size() ? bytes[at - address]
                                                        : tile->l1().data()[at];
  };
  const u64 word = launch_of(*tile, kLowestKernel).go_address;
  const bool dispatched = byte(word + 1) != 0 || byte(word + 2) != 0;
  std::vector<Doubt>& doubts = doubts_[{coord.x, coord.y}];
  doubts = no_arguments(device, coord);
  std::string text;
  const auto add = [&text](const std::string& what, const std::string& remedy) {
    text += fmt::format("{}{}. Remedy: {}", text.empty() ? "" : "\n", what, remedy);
  };
  for (const Doubt& doubt : doubts) add(doubt.text, doubt.remedy);
  for (const LaunchMistake& mistake : mistakes_of_launch(device, coord)) {
    if (mistake.sure() && !(mistake.kind == LaunchMistake::Kind::EmptyMessage && dispatched))
      refuse(mistake.text, mistake.remedy);
    add(mistake.text, mistake.remedy);
  }
  words_.started();
  went_ = device.cycle();
  return text;
}

void HostDesk::booted(const Device& device) {
  for (const Coord tile : device.board().tensix()) takes_launches_.insert({tile.x, tile.y});
}

std::string HostDesk::before_multicast(Device& device, Coord first, Coord last, u64 address,
                                       std::span<const u8> bytes) {
  std::string doubts;
  for (const Coord coord : device.board().tensix()) {
    if (coord.x < first.x || coord.x > last.x || coord.y < first.y || coord.y > last.y) continue;
    const std::string of_one = before_write(device, coord, address, bytes);
    if (doubts.empty()) doubts = of_one;  // the others are told the same
  }
  return doubts;
}

void HostDesk::note(Coord tile, u64 address, std::span<const u8> bytes, Cycle now) {
  words_.wrote(tile, address, bytes, now);
  if (address >= kProtocol96.data_buffer_base || !knows_writes_) return;
  if (tile.x >= kSide || tile.y >= kSide) return;
  Ranges& ranges = written_[tile.x * kSide + tile.y];
  const u32 begin = static_cast<u32>(address);
  const u32 end = static_cast<u32>(address + bytes.size());
  if (!ranges.empty()) {
    std::pair<u32, u32>& last = ranges.back();
    if (begin - last.first <= last.second - last.first) {
      last.second = std::max(last.second, end);
      return;
    }
  }
  std::pair<u32, u32> fresh{begin, end};
  // Whoever writes word by word makes one range.
  std::erase_if(ranges, [&](const std::pair<u32, u32>& other) {
    if (other.second < fresh.first || other.first > fresh.second) return false;
    fresh = {std::min(fresh.first, other.first), std::max(fresh.second, other.second)};
    return true;
  });
  ranges.push_back(fresh);
  // Whoever scatters so many words is not to pay for them.
  constexpr size_t kMostRanges = 256;
  if (ranges.size() <= kMostRanges) return;
  ranges = {};
  knows_writes_ = false;
}

/// Cores that are to run and whose arguments nobody could have written but the host, which has not.
std::vector<HostDesk::Doubt> HostDesk::no_arguments(Device& device, Coord tile) const {
  std::vector<Doubt> doubts;
  if (!knows_writes_) return doubts;
  if (tile.x >= kSide || tile.y >= kSide) return doubts;
  const Ranges& ranges = written_[tile.x * kSide + tile.y];
  for (const ArgumentPlace& place : arguments_of_launch(device, tile)) {
    const bool written = std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
      return range.first < place.end && place.begin < range.second;
    });
    if (written) continue;
    const char* const core = name_of(agent_of(place.core));
    doubts.push_back({fmt::format("the host has never written where {} of ({}, {}) finds its "
                                  "arguments, L1[{:#x}, +{:#x}]",
                                  core, tile.x, tile.y, place.begin, place.end - place.begin),
                      fmt::format("write the arguments of {} to kernel_config_base + its "
                                  "rta_offset; if it takes none, give it that of another core",
                                  core)});
  }
  return doubts;
}

void HostDesk::asks(std::string place) {
  asking_ = waits_ = true;
  place_ = std::move(place);
  look_.reset();
}

void HostDesk::looked(const std::string& where, u64 address, std::span<const u8> bytes) {
  Look look{where, address, bytes.size(), 0};
  std::memcpy(&look.value, bytes.data(), std::min(bytes.size(), sizeof look.value));
  look_ = std::move(look);
}

void HostDesk::tell(Device& device, Standstill& standstill) const {
  words_.tell(standstill, device);
  tell_of_doubts(standstill);
  if (!waits_ || standstill.reason != Standstill::Reason::Idle) return;
  std::vector<Coord> ended;
  std::vector<Coord> waiting;
  std::string at_end;
  for (size_t i = 0; i < standstill.in_kernels; ++i) {
    const WaiterGroup& group = standstill.waiters[i];
    if (!is_at_its_end(group)) return;
    ended.insert(ended.end(), group.tiles.begin(), group.tiles.end());
    at_end = fmt::format("; {} of {} goes round at {:#x} without looking at anything",
                         name_of(group.agent), tiles_text(group.tiles, 0), group.pc);
  }
  // Other reasons for idleness have sentences of their own.
  if (standstill.in_kernels == 0 && !standstill.cause.only_idle) return;
  for (const Coord coord : device.board().tensix()) {
    const NodeId node = device.board().node_at_translated(coord);
    tile::Tile& tile = *device.tile_of(node);
    const LaunchView launch = launch_of(tile, 0);
    if (!launch.valid || launch.enables == 0 || !at_end.empty()) continue;
    if (launch.go != kGoDone) continue;
    (announced_.contains({coord.x, coord.y}) ? waiting : ended).push_back(coord);
  }
  const std::string who =
      ended.empty()    ? "no kernel has been started"
      : at_end.empty() ? fmt::format("what was launched on {} has ended (its go message is DONE)",
                                     tiles_text(ended, device.board().tensix().size()))
                       : "nothing else runs" + at_end;
  const std::string never =
      waiting.empty()
          ? ""
          : fmt::format("; {} {} a launch message and {} never told to go",
                        tiles_text(waiting, device.board().tensix().size()),
                        waiting.size() == 1 ? "has" : "have", waiting.size() == 1 ? "was" : "were");
  const std::string look =
      look_ ? fmt::format("; it has looked last at {:#x} of {} ({} bytes), where {:#x} is",
                          look_->address, look_->where, look_->bytes, look_->value)
            : "";
  FirstCause& cause = standstill.cause;
  cause.agent = Agent::Host;
  cause.place = place_;
  cause.rule.reset();
  cause.sentence = fmt::format(
      "The host waits{} for a condition that nothing on the card can bring about any more: {}{}{}.",
      place_.empty() ? "" : " at " + place_, who, never, look);
  cause.remedy =
      !waiting.empty()
          ? "write the go message of every tile that was given a launch message"
          : "compare tile, address and value with what the kernel writes when it is done (the go "
            "message's last byte becomes 0); if more was to be launched, write launch message and "
            "go "
            "message before waiting";
}

/// What was in doubt when the tile was told to go.
void HostDesk::tell_of_doubts(Standstill& standstill) const {
  FirstCause& cause = standstill.cause;
  const auto found = doubts_.find({cause.tile.x, cause.tile.y});
  if (found == doubts_.end() || found->second.empty() || cause.sentence.empty()) return;
  if (standstill.in_kernels == 0) return;
  cause.sentence.pop_back();
  for (const Doubt& doubt : found->second) cause.sentence += "; " + doubt.text;
  cause.sentence += ".";
  cause.remedy = found->second.front().remedy + "; else " + cause.remedy;
}

bool HostDesk::has_not_run(const Device& device) {
  if (!went_ || *went_ != device.cycle()) return false;
  went_.reset();
  return true;
}

}  // namespace bhemu::host
