#include "card/function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/bits.hpp"
#include "pcie/endpoint.hpp"

namespace bhemu::card {
namespace {

constexpr u64 kWindowsEnd = Windows::kSmall * Windows::kSmallBytes;
constexpr u64 kNiuAddress = 0xFFFFFFFF'FF000000;  // of the PCIe tile, over the NoC

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
  u32 value;
  if (!config_.read(offset, value))
    throw AccessError(fmt::format("no register at offset {:#x} of configuration space", offset));
  return value;
}

void Function::config_write(u32 offset, u32 value) {
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

/// Hands each window its part.
template <class Bytes>
void Function::each_window(unsigned bar, u64 offset, Bytes bytes) {
  const u64 size = bar == 0 ? Windows::kSmallBytes : Windows::kLargeBytes;
  const unsigned first = bar == 0 ? 0 : Windows::kSmall;
  while (!bytes.empty()) {
    const u64 within = offset % size;
    const u64 part = std::min<u64>(bytes.size(), size - within);
    const unsigned index = first + static_cast<unsigned>(offset / size);
    if constexpr (std::is_const_v<typename Bytes::element_type>)
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
  throw AccessError(
      fmt::format("BAR {} has no register at offset {:#x}, or bhemu does not model "
                  "it",
                  bar, offset));
}

void Function::register_write(unsigned bar, u64 offset, u32 value) {
  if (bar == 0 && offset >= kWindowRegisters && offset - kWindowRegisters < Windows::kRegisterBytes)
    return windows_.write(static_cast<u32>(offset - kWindowRegisters), value);
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
    throw AccessError(fmt::format("window {} points at ({}, {}) of NoC {}, where no tile answers",
                                  index, coord.x, coord.y, window.noc_sel));
  return node;
}

void Function::window_read(unsigned index, u64 offset, std::span<u8> bytes) {
  const ThroughWindow through(device_, index);
  if (const char* why = windows_.objection(index))
    throw AccessError(fmt::format("window {}: {}", index, why));
  const Window& window = windows_.window(index);
  if (window.mcast != 0)
    throw AccessError(fmt::format("window {} is set to multicast, which cannot be read", index));
  const NodeId node = target(index);
  const u64 address = windows_.address(index) + offset;
  if (address >= kNiuAddress && device_.board().routing().kind(node) == noc::NodeKind::Pcie) {
    u32 value;
    if (bytes.size() == 4 &&
        device_.pcie().read_niu(static_cast<unsigned>(window.noc_sel),
                                static_cast<u32>(address - kNiuAddress), value)) {
      std::memcpy(bytes.data(), &value, 4);
      return;
    }
  } else if (device_.read(node, address, bytes)) {
    return;
  }
  throw AccessError(fmt::format("nothing can be read at {} address {:#x}, {} bytes (window {})",
                                device_.board().routing().name(node), address, bytes.size(),
                                index));
}

void Function::window_write(unsigned index, u64 offset, std::span<const u8> bytes) {
  const ThroughWindow through(device_, index);
  if (const char* why = windows_.objection(index))
    throw AccessError(fmt::format("window {}: {}", index, why));
  const Window& window = windows_.window(index);
  const u64 address = windows_.address(index) + offset;
  std::vector<NodeId> many;
  NodeId one = kNoNode;
  std::span<const NodeId> nodes;
  if (window.mcast == 0) {
    one = target(index);
    nodes = {&one, 1};
  } else {
    many = windows_.targets(index, device_.board());
    nodes = many;
    if (nodes.empty())
      throw AccessError(
          fmt::format("window {} multicasts to ({}, {})-({}, {}), where there is no "
                      "Tensix tile",
                      index, window.x_start, window.y_start, window.x_end, window.y_end));
  }
  for (const NodeId node : nodes)
    if (!device_.write(node, address, bytes))
      throw AccessError(
          fmt::format("nothing can be written at {} address {:#x}, {} bytes "
                      "(window {})",
                      device_.board().routing().name(node), address, bytes.size(), index));
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
