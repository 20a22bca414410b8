#include "host/report/check_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/boot/mailboxes.hpp"
#include "numeric/format_codes.hpp"

namespace bhemu::host {
namespace {

constexpr u32 kMailboxes = 0x60;

check::Range range(u32 begin, u64 bytes) {
  return {begin, begin + static_cast<u32>(bytes)};
}

void add_firmware(check::Layout& layout, const Firmware& firmware) {
  layout.kernel_base = firmware.kernel_config_base();
  layout.mailboxes = {kMailboxes, firmware.protocol().go_message_index + 4};
  layout.firmware = {kL1Size, 0};
  for (unsigned core = 0; core < kCores; ++core)
    for (const Segment& segment : firmware.elf(static_cast<CoreId>(core)).segments()) {
      if (segment.executable)
        layout.firmware = {
            std::min(layout.firmware.begin, segment.virtual_address),
            std::max(layout.firmware.end, segment.virtual_address + segment.memory_size)};
      else if (segment.virtual_address >= kLdmStart)
        layout.stack_limit[core] = std::max(
            layout.stack_limit[core], segment.virtual_address + segment.memory_size - kLdmStart);
    }
}

/// As hardware numbers formats.
u8 code_of(DType format) {
  using numeric::Format;
  switch (format) {
    case DType::Bf16:
      return static_cast<u8>(Format::Bf16);
    case DType::Fp32:
      return static_cast<u8>(Format::Fp32);
    case DType::Fp16:
      return static_cast<u8>(Format::Fp16);
    case DType::Fp8:
    case DType::Fp8E4m3:
      return static_cast<u8>(Format::Fp8);
    case DType::Bfp8:
      return static_cast<u8>(Format::Bfp8);
    case DType::Int8:
    case DType::Uint8:
      return static_cast<u8>(Format::Int8);
    case DType::Int16:
    case DType::Uint16:
      return static_cast<u8>(Format::Int16);
    case DType::Int32:
    case DType::Uint32:
      break;
  }
  return static_cast<u8>(Format::Int32);
}

std::optional<u8> format_of(const Program& program, u32 index) {
  for (const CircularBufferSpec& buffer : program.circular_buffers)
    if (buffer.index == index && buffer.format) return code_of(*buffer.format);
  return std::nullopt;
}

std::shared_ptr<const check::Layout> layout_of(const Program& program, const PreparedPart& part,
                                               const Firmware& firmware) {
  auto layout = std::make_shared<check::Layout>();
  add_firmware(*layout, firmware);
  const u32 base = layout->kernel_base;
  const Launch& launch = part.launch;
  const LaunchOffsets& offsets = part.offsets;
  u32 first_text = offsets.end;
  for (unsigned core = 0; core < kCores; ++core) {
    layout->arguments[core] =
        range(base + offsets.arguments[core], u64{launch.argument_counts[core]} * 4);
    layout->common_arguments[core] =
        range(base + offsets.common_arguments[core], launch.common_arguments[core].size() * 4);
    if (!launch.kernels[core]) continue;
    first_text = std::min(first_text, offsets.text[core]);
    layout->text[core] = range(base + offsets.text[core], launch.kernels[core]->bytes.size());
  }
  layout->settings = {base, base + first_text};
  layout->semaphores =
      range(base + offsets.semaphores, launch.semaphores.size() * kSemaphoreStride);
  for (const CircularBufferConfig& buffer : launch.circular_buffers) {
    layout->buffers.push_back({range(buffer.address, buffer.size), buffer.index, buffer.pages,
                               buffer.page_size, format_of(program, buffer.index)});
    layout->named.push_back({range(buffer.address, buffer.size),
                             fmt::format("circular buffer {} ({} pages of {} bytes)", buffer.index,
                                         buffer.pages, buffer.page_size)});
  }
  return layout;
}

}  // namespace

CheckWatch::CheckWatch(Device& device, CheckSet set, const PreparedProgram& program,
                       const Firmware& firmware)
    : device_(device), program_(program), firmware_(firmware) {
  if (!set.needs_observer()) return;
  std::map<NodeId, std::shared_ptr<const check::Layout>> layouts;
  for (const PreparedPart& part : program.parts()) {
    const auto layout = layout_of(program.program(), part, firmware);
    for (const Coord tile : part.tiles)
      layouts.try_emplace(device.board().node_at_translated(tile), layout);
  }
  observation_ = device.observe([&](NodeId node) -> std::unique_ptr<trace::Observer> {
    if (tile::Tile* tile = device.tile_of(node)) {
      const auto layout = layouts.find(node);
      if (layout == layouts.end()) return nullptr;
      auto checker = std::make_unique<check::TileChecker>(*tile, set, layout->second);
      checkers_[node] = checker.get();
      return checker;
    }
    if (!set.has(CheckGroup::Uninitialised) || device.node(node).kind() != noc::NodeKind::Dram)
      return nullptr;
    return std::make_unique<check::BankChecker>(device.node(node).faults(), device.name_of(node));
  });
}

void CheckWatch::begin(unsigned launch) {
  if (observation_ == 0 || launch == 0) return;
  for (const PreparedPart& part : program_.parts()) {
    if (part.launch_index != launch) continue;
    const auto layout = layout_of(program_.program(), part, firmware_);
    for (const Coord tile : part.tiles)
      if (const auto known = checkers_.find(device_.board().node_at_translated(tile));
          known != checkers_.end()) {
        known->second->begin(layout);
        known->second->empty_buffers();
      }
  }
}

CheckWatch::~CheckWatch() {
  if (observation_ != 0) device_.stop_observing(observation_);
}

}  // namespace bhemu::host
