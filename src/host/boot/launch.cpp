#include "host/boot/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "host/error.hpp"
#include "host/file.hpp"

namespace bhemu::host {
namespace {

constexpr u32 kConfigAlignment = 16;
constexpr u32 kMaxOffset16 = 0xFFFF;

/// Little-endian fields at byte offsets.
class Fields {
 public:
  explicit Fields(size_t bytes) : bytes_(bytes, 0) {}
  void put(u32 offset, u32 value, u32 size) {
    CHECK(offset + size <= bytes_.size());
    std::memcpy(bytes_.data() + offset, &value, size);
  }
  void put_words(u32 offset, std::span<const u32> words) {
    for (size_t i = 0; i < words.size(); ++i) put(offset + static_cast<u32>(4 * i), words[i], 4);
  }
  void put_bytes(u32 offset, std::span<const u8> bytes) {
    CHECK(offset + bytes.size() <= bytes_.size());
    std::copy(bytes.begin(), bytes.end(), bytes_.begin() + offset);
  }
  std::vector<u8> take() { return std::move(bytes_); }

 private:
  std::vector<u8> bytes_;
};

u32 local_cb_count(const Launch& launch) {
  u32 count = 0;
  for (const CircularBufferConfig& cb : launch.circular_buffers)
    count = std::max(count, cb.index + 1);
  return count;
}

std::vector<u8> region(const Launch& launch, const LaunchOffsets& offsets,
                       const TileArguments& arguments) {
  Fields fields(offsets.end);
  for (unsigned core = 0; core < kCores; ++core) {
    fields.put_words(offsets.arguments[core], arguments[core]);
    fields.put_words(offsets.common_arguments[core], launch.common_arguments[core]);
    if (launch.kernels[core]) fields.put_bytes(offsets.text[core], launch.kernels[core]->bytes);
  }
  for (size_t i = 0; i < launch.semaphores.size(); ++i)
    fields.put(offsets.semaphores + static_cast<u32>(i) * kSemaphoreStride, launch.semaphores[i],
               4);
  for (const CircularBufferConfig& cb : launch.circular_buffers)
    fields.put_words(offsets.circular_buffers + cb.index * kLocalCbConfigBytes,
                     std::array{cb.address, cb.size, cb.pages, cb.page_size});
  return fields.take();
}

constexpr const char* kEntryRemedy =
    "link the kernel with ENTRY(_start), and end its source with KERNEL(function), which defines "
    "_start (launch.h)";

/// What linkers begin with, and what kernels are called by those who wrote them.
const Symbol* meant_as_entry(const Elf& elf) {
  for (const char* name : {"_start", "kernel_main", "KernelMain", "main"})
    if (const Symbol* symbol = elf.symbol(name); symbol != nullptr && symbol->function)
      return symbol;
  return nullptr;
}

bool begins_at(const Elf& elf, u32 address) {
  return std::any_of(elf.symbols().begin(), elf.symbols().end(),
                     [&](const Symbol& symbol) { return symbol.value == address; });
}

/// A linker that finds no entry takes the first address of the code, and says so in a warning only.
/// Firmware would call whatever lies there. Nothing is known of files without symbols.
std::string wrong_entry(const Elf& elf) {
  const u32 entry = elf.entry();
  const auto within = [&](const Segment& segment) {
    return segment.executable && entry - segment.virtual_address < segment.data.size();
  };
  if (std::none_of(elf.segments().begin(), elf.segments().end(), within))
    return fmt::format("entry point {:#x} lies outside the code", entry);
  if (entry % 4 != 0) return fmt::format("entry point {:#x} is not a multiple of four", entry);
  const Symbol* const around = elf.function_at(entry);
  if (around != nullptr && around->value != entry && !begins_at(elf, entry))
    return fmt::format("entry point {:#x} lies in the middle of {} (which begins at {:#x})", entry,
                       around->name, around->value);
  const Symbol* const meant = meant_as_entry(elf);
  if (meant == nullptr || around == nullptr || around->value != entry || meant->value == entry)
    return "";
  // Whoever names another function by hand means it, unless it is what linkers choose.
  const bool chosen_by_linker =
      std::none_of(elf.symbols().begin(), elf.symbols().end(),
                   [&](const Symbol& symbol) { return symbol.function && symbol.value < entry; });
  if (!chosen_by_linker) return "";
  return fmt::format("entry point {:#x} is {}, the first function of the file, not {} (at {:#x})",
                     entry, around->name, meant->name, meant->value);
}

}  // namespace

KernelImage kernel_from_elf(std::shared_ptr<const Elf> elf) {
  Elf::Flat flat = elf->flatten();
  KernelImage kernel;
  kernel.link_base = flat.base;
  kernel.entry = elf->entry() - flat.base;
  std::string wrong = wrong_entry(*elf);
  if (wrong.empty() && (elf->entry() < flat.base || kernel.entry >= flat.bytes.size()))
    wrong = fmt::format("entry point {:#x} lies outside the segments", elf->entry());
  if (!wrong.empty()) throw InputError(elf->name(), "", fmt::format("{}: {}", wrong, kEntryRemedy));
  kernel.bytes = std::move(flat.bytes);
  kernel.elf = std::move(elf);
  return kernel;
}

KernelImage load_kernel(const std::string& path, bool raw) {
  if (!raw) return kernel_from_elf(std::make_shared<const Elf>(Elf::load(path)));
  KernelImage kernel;
  kernel.bytes = read_file(path);
  if (kernel.bytes.empty()) throw InputError(path, "", "the file is empty");
  return kernel;
}

LaunchOffsets layout_of(const Launch& launch, const Firmware& firmware) {
  LaunchOffsets offsets;
  u32 next = 0;
  const auto take = [&](u64 bytes) {
    const u32 at = next;
    const u64 end = align_up(next + bytes, kConfigAlignment);
    const u32 room = firmware.data_buffer_base() - firmware.kernel_config_base();
    if (end > room)
      throw InputError(
          "", "",
          fmt::format("kernels and arguments need {} bytes; L1 has {} for them", end, room));
    next = static_cast<u32>(end);
    return at;
  };
  for (unsigned core = 0; core < kCores; ++core)
    offsets.arguments[core] = take(u64{launch.argument_counts[core]} * 4);
  for (unsigned core = 0; core < kCores; ++core)
    offsets.common_arguments[core] = take(launch.common_arguments[core].size() * 4);
  next = std::max(next, launch.semaphores_from);
  offsets.semaphores = take(launch.semaphores.size() * kSemaphoreStride);
  offsets.circular_buffers = take(u64{local_cb_count(launch)} * kLocalCbConfigBytes);
  CHECK(next <= kMaxOffset16);  // 341 arguments for each core are far below
  for (unsigned core = 0; core < kCores; ++core)
    if (launch.kernels[core]) offsets.text[core] = take(launch.kernels[core]->bytes.size());
  offsets.end = next;
  return offsets;
}

std::vector<u8> launch_message(const Firmware& firmware, const Launch& launch,
                               const LaunchOffsets& offsets) {
  const LaunchLayout& layout = firmware.protocol().launch;
  Fields message(layout.bytes);
  constexpr u32 kCoreTypes = 3;
  for (u32 i = 0; i < kCoreTypes; ++i) {
    message.put(layout.kernel_config_base + 4 * i, firmware.kernel_config_base(), 4);
    message.put(layout.sem_offset + 2 * i, offsets.semaphores, 2);
  }
  message.put(layout.local_cb_offset, offsets.circular_buffers, 2);
  // No remote circular buffers: their list is empty and begins behind the local one.
  message.put(layout.remote_cb_offset,
              offsets.circular_buffers + local_cb_count(launch) * kLocalCbConfigBytes, 2);
  u32 enables = 0;
  for (unsigned core = 0; core < kCores; ++core) {
    message.put(layout.rta_offset + 4 * core, offsets.arguments[core], 2);
    message.put(layout.rta_offset + 4 * core + 2, offsets.common_arguments[core], 2);
    if (!launch.kernels[core]) continue;
    enables |= 1u << core;
    message.put(layout.kernel_text_offset + 4 * core,
                offsets.text[core] + launch.kernels[core]->entry, 4);
  }
  u32 mask = 0;
  for (const CircularBufferConfig& cb : launch.circular_buffers) mask |= 1u << cb.index;
  message.put(layout.mode, kDispatchModeHost, 1);
  message.put(layout.local_cb_mask, mask, 4);
  message.put(layout.brisc_noc_id, launch.brisc_noc, 1);
  message.put(layout.min_remote_cb_start_index, firmware.circular_buffers(), 1);
  message.put(layout.enables, enables, 4);
  return message.take();
}

void write_launch(Device& device, const Firmware& firmware, const Launch& launch,
                  std::span<const Coord> tiles, std::span<const TileArguments> arguments) {
  CHECK(tiles.size() == arguments.size());
  const Protocol& protocol = firmware.protocol();
  const LaunchOffsets offsets = layout_of(launch, firmware);
  const std::vector<u8> message = launch_message(firmware, launch, offsets);
  for (size_t i = 0; i < tiles.size(); ++i) {
    const std::vector<u8> bytes = region(launch, offsets, arguments[i]);
    u32 slot = 0;
    CHECK(device.read32(tiles[i], protocol.launch_message_read_pointer, slot));
    slot %= protocol.launch_ring_size;
    CHECK(device.write(tiles[i], firmware.kernel_config_base(), bytes));
    CHECK(device.write(tiles[i], protocol.launch_ring + slot * protocol.launch.bytes, message));
  }
}

void say_go(Device& device, const Firmware& firmware, const Launch& launch,
            std::span<const Coord> tiles) {
  if (!launch.go) return;
  const Protocol& protocol = firmware.protocol();
  const u32 go = u32{kGoGo} << (8 * kGoSignalByte);
  for (const Coord tile : tiles) CHECK(device.write32(tile, protocol.go_messages, go));
}

}  // namespace bhemu::host
