// Starting kernels the way tt-metal's host does: the kernel configuration region (arguments,
// semaphores, circular buffer words, code), the launch message, the go message.
//
// Documents: seed 000 section 15, specs firmware-upload.md (Kernel Launch Flow),
// circular-buffers.md section 2; blackhole-py's driver of January 2026.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "host/boot/firmware.hpp"

namespace bhemu::host {

struct KernelImage {
  std::vector<u8> bytes;
  u32 entry = 0;                   // offset in `bytes`
  std::shared_ptr<const Elf> elf;  // null for a raw image
  u32 link_base = 0;               // address at which the ELF thinks bytes[0] is
};
KernelImage load_kernel(const std::string& path, bool raw);
KernelImage kernel_from_elf(std::shared_ptr<const Elf> elf);

struct CircularBufferConfig {
  u32 index = 0;
  u32 address = 0;
  u32 size = 0;
  u32 pages = 0;
  u32 page_size = 0;
};

/// One launch: what all tiles share. Arguments of tiles come with start().
struct Launch {
  std::array<std::optional<KernelImage>, kCores> kernels;
  std::vector<CircularBufferConfig> circular_buffers;
  std::vector<u32> semaphores;                // initial values, by index
  u32 semaphores_from = 0;                    // they begin at this offset at least
  std::array<u32, kCores> argument_counts{};  // runtime arguments, per tile
  std::array<std::vector<u32>, kCores> common_arguments;
  bool go = true;    // false: never say go
  u8 brisc_noc = 1;  // tt-metal's default: BRISC writes on NoC 1, NCRISC reads on NoC 0
};

/// Offsets from the kernel configuration base.
struct LaunchOffsets {
  std::array<u32, kCores> arguments{};
  std::array<u32, kCores> common_arguments{};
  u32 semaphores = 0;
  u32 circular_buffers = 0;
  std::array<u32, kCores> text{};
  u32 end = 0;
};
/// Throws InputError when the region is too large.
LaunchOffsets layout_of(const Launch& launch, const Firmware& firmware);

/// Arguments of one tile, by core.
using TileArguments = std::array<std::vector<u32>, kCores>;

/// Writes everything to `tiles`. All tiles of a launch have to be written before the first of them
/// is told to go: its kernel may signal the others at once.
void write_launch(Device& device, const Firmware& firmware, const Launch& launch,
                  std::span<const Coord> tiles, std::span<const TileArguments> arguments);
/// The device must then run until a GoWatcher is content.
void say_go(Device& device, const Firmware& firmware, const Launch& launch,
            std::span<const Coord> tiles);

/// The launch message's bytes, for `layout`.
std::vector<u8> launch_message(const Firmware& firmware, const Launch& launch,
                               const LaunchOffsets& offsets);

}  // namespace bhemu::host
