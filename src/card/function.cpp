#include "card/function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/bits.hpp"
#include "device/refusal.hpp"
#include "mem/l1.hpp"
#include "pcie/endpoint.hpp"

namespace bhemu::card {
namespace {

bool has_niu_of_its_own(noc::NodeKind kind) {
  return kind == noc::NodeKind::Tensix || kind == noc::NodeKind::Ethernet;
}

Coord corner(u64 x, u64 y) {
  return {static_cast<u8>(x), static_cast<u8>(y)};
}

constexpr u64 kPosted = 2;              // Window::ordering
constexpr u32 kRegisters = 0xFF000000;  // the last 16 MiB of any tile are no memory
constexpr u64 kWindowsEnd = Windows::kSmall * Windows::kSmallBytes;

// The low part of a board's id names the product; cards carry it as PCI subsystem too (tt-kmd
// blackhole.c PCI_SUBSYSTEM_DEVICE_GALAXY is the id of that board).
u16 subsystem_of(const Board& board) {
  return static_cast<u16>(board.board_id() >> 36 & 0xFFFFF);
}

/// For a trace: which window the accesses come through.
class ThroughWindow {
 public:
  ThroughWindow(Device& device, unsigned window) : device_(device) {
    device_.set_host_window(static_cast<i32>(window));
  }
  ~ThroughWindow() { device_.set_host_window(-1); }
  ThroughWindow(const ThroughWindow&) = delete;
  ThroughWindow& operator=(const ThroughWindow&) = delete;

 private:
  Device& device_;
};

}  // namespace

Function::Function(Device& device) : device_(device), config_(subsystem_of(device.board())) {}

u32 Function::config_read(u32 offset) const {
  // Configuration space and the controller's registers are two ways to the same.
  if (offset == kConfig_PCIE_DEVICE_CONTROL)
    return device_.pcie().controller().word(pcie::DEVICE_CONTROL_DEVICE_STATUS);
  u32 value;
  if (!config_.read(offset, value))
    throw AccessError(fmt::format("no register at offset {:#x} of configuration space", offset));
  return value;
}

void Function::config_write(u32 offset, u32 value) {
  if (offset == kConfig_PCIE_DEVICE_CONTROL) {
    device_.pcie().controller().write(pcie::DEVICE_CONTROL_DEVICE_STATUS, value);
    return;
  }
  // tt-kmd pcie.c, pcie_timer_interrupt: the ARC takes the timer's interrupt as a wish for a reset.
  constexpr u32 kTimerEnable = 1u << 0 | 1u << 4;
  if (offset == kConfig_INTERFACE_TIMER_CONTROL && (value & kTimerEnable) == kTimerEnable)
    wants_reset_ = true;
  if (!config_.write(offset, value))
    throw AccessError(fmt::format("no register at offset {:#x} of configuration space", offset));
}

Function::Place Function::place_of(u64 address, u64 bytes) const {
  constexpr std::pair<unsigned, u64> kBars[] = {{0, kBar0Bytes}, {2, kBar2Bytes}, {4, kBar4Bytes}};
  for (const auto& [bar, size] : kBars) {
    const u64 offset = address - bar_base(bar);
    if (offset < size && bytes <= size - offset) return {bar, offset};
  }
  throw AccessError(
      fmt::format("{} bytes at bus address {:#x} are in no BAR of the card "
                  "(BAR 0 at {:#x}, BAR 2 at {:#x}, BAR 4 at {:#x})",
                  bytes, address, bar_base(0), bar_base(2), bar_base(4)));
}

void Function::read(u64 address, std::span<u8> bytes) {
  const Place place = place_of(address, bytes.size());
  bar_read(place.bar, place.offset, bytes);
}

void Function::write(u64 address, std::span<const u8> bytes) {
  const Place place = place_of(address, bytes.size());
  bar_write(place.bar, place.offset, bytes);
}

std::optional<Function::Behind> Function::behind(u64 address) const {
  const u64 in_bar0 = address - bar_base(0);
  const u64 in_bar4 = address - bar_base(4);
  const bool is_large = in_bar4 < kBar4Bytes;
  if (!is_large && in_bar0 >= kWindowsEnd) return std::nullopt;
  const u64 size = is_large ? Windows::kLargeBytes : Windows::kSmallBytes;
  const u64 offset = is_large ? in_bar4 : in_bar0;
  const unsigned index = (is_large ? Windows::kSmall : 0) + static_cast<unsigned>(offset / size);
  const Window& window = windows_.window(index);
  if (windows_.objection(index) != nullptr) return std::nullopt;
  const u64 target = windows_.address(index) + offset % size;
  if (window.mcast != 0) return Behind{kNoNode, target};
  const Coord coord{static_cast<u8>(window.x_end), static_cast<u8>(window.y_end)};
  const NodeId node = device_.board().routing().at(static_cast<unsigned>(window.noc_sel), coord);
  if (node == kNoNode) return std::nullopt;
  return Behind{node, target};
}

void Function::look_behind(unsigned window) {
  const auto behind = this->behind(bar_base(0) + window * Windows::kSmallBytes);
  views_[window] = {};
  views_[window].known = true;
  if (!behind || behind->node == kNoNode) return;
  noc::PlainMemory memory = device_.plain_memory(behind->node);
  // A bank's last bytes lie behind the registers of its NIUs; windows begin and end there.
  if (behind->address >= std::min<u64>(memory.bytes, kRegisters)) return;
  memory.data += behind->address;
  if (memory.flags != nullptr) memory.flags += behind->address >> L1::kLineShift;
  memory.bytes = std::min(memory.bytes - behind->address, Windows::kSmallBytes);
  const Window& aim = windows_.window(window);
  views_[window] = {memory, *behind, true, static_cast<u8>(aim.noc_sel), aim.ordering == kPosted};
}

bool Function::is_window_register(u64 address) const {
  return address - bar_base(0) - kWindowRegisters < Windows::kRegisterBytes;
}

void Function::aim(u64 offset, const void* source, u32 bytes) {
  for (u32 done = 0; done < bytes; done += 4) {
    u32 value;
    std::memcpy(&value, static_cast<const u8*>(source) + done, 4);
    set_window(static_cast<u32>(offset - kWindowRegisters) + done, value);
  }
}

void Function::set_window(u32 offset, u32 value) {
  if (offset / 12 < Windows::kSmall) views_[offset / 12] = {};
  windows_.write(offset, value);
}

/// Hands each window its part.
template <class Bytes>
void Function::each_window(unsigned bar, u64 offset, Bytes bytes) {
  const u64 size = bar == 0 ? Windows::kSmallBytes : Windows::kLargeBytes;
  const unsigned first = bar == 0 ? 0 : Windows::kSmall;
  constexpr bool kWrites = std::is_const_v<typename Bytes::element_type>;
  for (u64 at = offset - offset % size; at < offset + bytes.size(); at += size)
    check_window(first + static_cast<unsigned>(at / size), std::max(at, offset) - at, kWrites);
  while (!bytes.empty()) {
    const u64 within = offset % size;
    const u64 part = std::min<u64>(bytes.size(), size - within);
    const unsigned index = first + static_cast<unsigned>(offset / size);
    if constexpr (kWrites)
      window_write(index, within, bytes.first(part));
    else
      window_read(index, within, bytes.first(part));
    bytes = bytes.subspan(part);
    offset += part;
  }
}

void Function::bar_read(unsigned bar, u64 offset, std::span<u8> bytes) {
  if (bar == 4 || (bar == 0 && offset < kWindowsEnd && bytes.size() <= kWindowsEnd - offset))
    return each_window(bar, offset, bytes);
  if (offset % 4 != 0 || bytes.size() % 4 != 0)
    throw AccessError(
        fmt::format("registers of BAR {} are read as whole 32-bit words, not {} "
                    "bytes at offset {:#x}",
                    bar, bytes.size(), offset));
  for (u64 at = 0; at < bytes.size(); at += 4) {
    const u32 value = register_read(bar, offset + at);
    std::memcpy(bytes.data() + at, &value, 4);
  }
}

void Function::bar_write(unsigned bar, u64 offset, std::span<const u8> bytes) {
  if (bar == 4 || (bar == 0 && offset < kWindowsEnd && bytes.size() <= kWindowsEnd - offset))
    return each_window(bar, offset, bytes);
  if (offset % 4 != 0 || bytes.size() % 4 != 0)
    throw AccessError(
        fmt::format("registers of BAR {} are written as whole 32-bit words, not {} "
                    "bytes at offset {:#x}",
                    bar, bytes.size(), offset));
  for (u64 at = 0; at < bytes.size(); at += 4) {
    u32 value;
    std::memcpy(&value, bytes.data() + at, 4);
    register_write(bar, offset + at, value);
  }
}

u32 Function::register_read(unsigned bar, u64 offset) {
  constexpr u64 kArcAperture = 0x1FE00000;
  u32 value = 0;
  if (bar == 0 && offset >= kWindowRegisters && offset - kWindowRegisters < Windows::kRegisterBytes)
    return windows_.read(static_cast<u32>(offset - kWindowRegisters));
  if (bar == 0) {
    for (unsigned noc = 0; noc < kNocs; ++noc)
      if (offset >= kNiu[noc] && offset - kNiu[noc] < kNiuBytes &&
          device_.pcie().read_niu(noc, static_cast<u32>(offset - kNiu[noc]), value))
        return value;
  }
  if (bar == 2 && offset < pcie::Controller::kBytes &&
      device_.pcie().controller().read(static_cast<u32>(offset), value))
    return value;
  if (bar == 0 && offset >= kArcAperture)
    throw AccessError(
        fmt::format("BAR 0 offset {:#x}: this card has no aperture to the ARC, which is "
                    "reached through a window at (8, 0)",
                    offset));
  throw AccessError(
      fmt::format("BAR {} has no register at offset {:#x}, or bhemu does not model "
                  "it",
                  bar, offset));
}

void Function::register_write(unsigned bar, u64 offset, u32 value) {
  if (bar == 0 && offset >= kWindowRegisters && offset - kWindowRegisters < Windows::kRegisterBytes)
    return set_window(static_cast<u32>(offset - kWindowRegisters), value);
  if (bar == 2 && offset < pcie::Controller::kBytes &&
      device_.pcie().controller().write(static_cast<u32>(offset), value)) {
    if (offset == pcie::DMA_READ_DOORBELL && bit(value, 0)) start_transfer();
    return;
  }
  throw AccessError(
      fmt::format("BAR {} has no register that can be written at offset {:#x}, or "
                  "bhemu does not model it",
                  bar, offset));
}

NodeId Function::target(unsigned index) const {
  const Window& window = windows_.window(index);
  const Coord coord{static_cast<u8>(window.x_end), static_cast<u8>(window.y_end)};
  const NodeId node = device_.board().routing().at(static_cast<unsigned>(window.noc_sel), coord);
  if (node == kNoNode)
    throw AccessError(
        fmt::format("window {} points at ({}, {}) of NoC {}, where no tile answers: {}", index,
                    coord.x, coord.y, window.noc_sel,
                    why_refused(device_, coord, 0, 0, static_cast<unsigned>(window.noc_sel))));
  return node;
}

/// Tensix and Ethernet tiles that run answer for their NIUs themselves; those of all other tiles
/// are here.
bool Function::at_niu(unsigned index, u64 address, noc::NiuPlace& place,
                      const TileSite*& site) const {
  if (static_cast<u32>(address) < kRegisters) return false;
  const Window& window = windows_.window(index);
  const auto noc = static_cast<unsigned>(window.noc_sel);
  site = device_.board().site_through(
      noc, {static_cast<u8>(window.x_end), static_cast<u8>(window.y_end)});
  if (site == nullptr || (has_niu_of_its_own(site->kind) && !site->harvested)) return false;
  const auto found = noc::niu_place(site->kind, noc, address);
  if (found) place = *found;
  return found.has_value();
}

bool Function::niu_read(const TileSite& site, noc::NiuPlace place, u32& value) {
  // The host's own tile counts what passes through it.
  if (site.kind == noc::NodeKind::Pcie && !site.harvested &&
      device_.pcie().read_niu(place.noc, place.offset, value))
    return true;
  return noc::read_identity(device_.board().routing(), place.noc, site.noc0, site.translated,
                            place.offset, value);
}

void Function::check_window(unsigned index, u64 offset, bool is_write) const {
  if (const char* why = windows_.objection(index))
    throw AccessError(fmt::format("window {}: {}", index, why));
  // Drivers read through windows that are set to multicast, to flush what they wrote, and cards
  // live on (blackhole-py of January 2026, device.py, upload_firmware); the end is asked.
  if (is_write && windows_.window(index).mcast != 0) return;
  // Tiles of which nothing but the NIU answers are no nodes.
  noc::NiuPlace place;
  const TileSite* site;
  if (!at_niu(index, windows_.address(index) + offset, place, site)) target(index);
}

void Function::window_read(unsigned index, u64 offset, std::span<u8> bytes) {
  const ThroughWindow through(device_, index);
  const auto noc = static_cast<unsigned>(windows_.window(index).noc_sel);
  const u64 address = windows_.address(index) + offset;
  noc::NiuPlace place;
  if (const TileSite * site; at_niu(index, address, place, site)) {
    u32 value;
    if (bytes.size() == 4 && niu_read(*site, place, value)) {
      std::memcpy(bytes.data(), &value, 4);
      return;
    }
    throw AccessError(
        fmt::format("{} bytes at {:#x} of NoC {}'s NIU of the {} tile at ({}, {}): no register, or "
                    "bhemu does not model it (window {})",
                    bytes.size(), place.offset, place.noc, noc::name_of(site->kind), site->noc0.x,
                    site->noc0.y, index));
  }
  const NodeId node = target(index);
  if (device_.read(node, address, bytes)) {
    device_.pcie().count_host_request(noc, false, false, address, bytes.size());
    return;
  }
  throw AccessError(fmt::format("nothing can be read at {} address {:#x}, {} bytes (window {}): {}",
                                device_.board().routing().name(node), address, bytes.size(), index,
                                why_refused(device_, node, address, bytes.size())));
}

void Function::window_write(unsigned index, u64 offset, std::span<const u8> bytes) {
  const ThroughWindow through(device_, index);
  const Window& window = windows_.window(index);
  const u64 address = windows_.address(index) + offset;
  noc::NiuPlace place;
  if (const TileSite * site; window.mcast == 0 && at_niu(index, address, place, site))
    throw AccessError(fmt::format(
        "register {:#x} of NoC {}'s NIU of the {} tile at ({}, {}) is set by the "
        "firmware alone (window {})",
        place.offset, place.noc, noc::name_of(site->kind), site->noc0.x, site->noc0.y, index));
  if (window.mcast == 0) {
    node_write(target(index), address, bytes, index);
  } else {
    const std::vector<NodeId> nodes = windows_.targets(index, device_.board());
    if (nodes.empty())
      throw AccessError(fmt::format(
          "window {} multicasts to ({}, {})-({}, {}), where there is no "
          "Tensix tile: {}",
          index, window.x_start, window.y_start, window.x_end, window.y_end,
          why_multicast_refused(device_, corner(window.x_start, window.y_start),
                                corner(window.x_end, window.y_end), address, bytes.size())));
    for (const NodeId node : nodes) node_write(node, address, bytes, index);
  }
  device_.pcie().count_host_request(static_cast<unsigned>(window.noc_sel), true,
                                    window.ordering == kPosted, address, bytes.size());
}

void Function::node_write(NodeId node, u64 address, std::span<const u8> bytes, unsigned index) {
  const FaultPort& faults = device_.node(node).faults();
  const bool stopped = faults.stopped();
  if (!device_.write(node, address, bytes, windows_.window(index).ordering == kPosted))
    throw AccessError(
        fmt::format("nothing can be written at {} address {:#x}, {} bytes "
                    "(window {}): {}",
                    device_.board().routing().name(node), address, bytes.size(), index,
                    why_refused(device_, node, address, bytes.size())));
  // What a write sets off can break a rule too.
  if (!stopped && faults.stopped()) throw AccessError(broken_rule(index, node, address));
}

std::string Function::broken_rule(unsigned window, NodeId node, u64 address) const {
  return fmt::format("the write to {} address {:#x} (window {}) has broken a rule",
                     device_.board().routing().name(node), address, window);
}

/// Read channel 0: from host memory to an address of the card, which is an offset in BAR 0. The
/// whole transfer happens at the doorbell; the host sees the size fall to 0 as on silicon.
void Function::start_transfer() {
  using namespace pcie;
  Controller& controller = device_.pcie().controller();
  const auto word = [&](u32 offset) { return controller.word(offset); };
  if (!bit(word(DMA_READ_ENABLE), 0))
    throw AccessError("the doorbell of DMA read channel 0 was rung while the channel is disabled");
  const u32 size = word(DMA_READ_TRANSFER_SIZE);
  const u64 source = u64{word(DMA_READ_SOURCE_HIGH)} << 32 | word(DMA_READ_SOURCE_LOW);
  const u64 target = u64{word(DMA_READ_TARGET_HIGH)} << 32 | word(DMA_READ_TARGET_LOW);
  if (size % 4 != 0 || target % 4 != 0)
    throw AccessError(
        fmt::format("DMA read channel 0 copies whole words: {} bytes to {:#x}", size, target));
  if (target >= kWindowsEnd || size > kWindowsEnd - target)
    throw AccessError(
        fmt::format("DMA read channel 0: {} bytes at card address {:#x} are not in "
                    "the windows of BAR 0",
                    size, target));
  HostMemory* host = device_.pcie().host_memory();
  std::vector<u8> data(size);
  if (host == nullptr || !host->read(source, data.data(), size))
    throw AccessError(
        fmt::format("DMA read channel 0: no host memory at {:#x}, {} bytes", source, size));
  each_window(0, target, std::span<const u8>(data));
  controller.set_word(DMA_READ_TRANSFER_SIZE, 0);
  constexpr unsigned kRemoteStop = 5;
  if (!bit(word(DMA_READ_INTERRUPT_SETUP), kRemoteStop)) return;
  const u64 done = u64{word(DMA_READ_MSI_STOP_HIGH)} << 32 | word(DMA_READ_MSI_STOP_LOW);
  const u32 message = word(DMA_READ_MSI_MESSAGE);
  if (!host->write(done, &message, 4))
    throw AccessError(
        fmt::format("DMA read channel 0: no host memory at {:#x} for its message", done));
}

}  // namespace bhemu::card
