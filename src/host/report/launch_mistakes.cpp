#include "host/report/launch_mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/bits.hpp"
#include "host/boot/mailboxes.hpp"
#include "host/report/situation.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

using Kind = LaunchMistake::Kind;

constexpr u32 kBuffers = 32;
constexpr u32 kStart = 16;  // bytes that say whether there is code

struct Buffer {
  u32 index;
  u32 address;
  u32 size;
  u32 pages;
  u32 page_size;
  u64 end() const { return u64{address} + size; }
};

/// The message in one slot of a tile's ring.
class Message {
 public:
  Message(tile::Tile& tile, Coord coord, u32 slot)
      : tile_(tile), coord_(coord), at_(kProtocol96.launch_ring + slot * layout().bytes) {}

  u32 address() const { return at_; }
  u32 base() const { return word(at_ + layout().kernel_config_base); }
  u32 enables() const { return word(at_ + layout().enables); }
  u32 mask() const { return word(at_ + layout().local_cb_mask); }
  bool enabled(unsigned core) const { return bit(enables(), core); }
  u32 text_offset(unsigned core) const {
    return word(at_ + layout().kernel_text_offset + 4 * core);
  }
  u64 text(unsigned core) const { return u64{base()} + text_offset(core); }
  u32 arguments_offset(unsigned core) const { return half(at_ + layout().rta_offset + 4 * core); }
  std::string tile_name() const { return fmt::format("({}, {})", coord_.x, coord_.y); }
  /// Firmware lies below; other software's messages are not to be taken for ours.
  bool plausible() const {
    return base() >= 0x1000 && base() < kL1Size && enables() < 1u << kCores;
  }
  bool blank() const { return enables() == 0; }

  bool zeros(u64 address, u32 bytes) const {
    if (address + bytes > kL1Size) return false;
    const u8* const begin = tile_.l1().data() + address;
    return std::all_of(begin, begin + bytes, [](u8 byte) { return byte == 0; });
  }
  std::vector<Buffer> buffers() const {
    std::vector<Buffer> all;
    for (u32 index = 0; index < kBuffers; ++index) {
      if (!bit(mask(), index)) continue;
      const u32 at = base() + half(at_ + layout().local_cb_offset) + index * kLocalCbConfigBytes;
      all.push_back({index, word(at), word(at + 4), word(at + 8), word(at + 12)});
    }
    return all;
  }
  /// What lies behind `offset` from the base on first.
  u32 next_offset(u32 offset) const {
    u32 next = ~0u;
    const auto consider = [&](u32 other) {
      if (other > offset) next = std::min(next, other);
    };
    for (unsigned core = 0; core < kCores; ++core) {
      consider(arguments_offset(core));
      consider(half(at_ + layout().rta_offset + 4 * core + 2));
      if (enabled(core)) consider(text_offset(core));
    }
    consider(half(at_ + layout().sem_offset));
    consider(half(at_ + layout().local_cb_offset));
    return next;
  }

 private:
  static const LaunchLayout& layout() { return kProtocol96.launch; }
  u32 word(u64 address) const {
    u32 value = 0;
    if (address + 4 <= kL1Size) std::memcpy(&value, tile_.l1().data() + address, 4);
    return value;
  }
  u32 half(u64 address) const { return word(address) & 0xFFFF; }

  tile::Tile& tile_;
  Coord coord_;
  u32 at_;
};

std::string cores_text(u32 enables) {
  std::string text;
  for (unsigned core = 0; core < kCores; ++core)
    if (bit(enables, core))
      text += fmt::format("{}{}", text.empty() ? "" : ", ",
                          name_of(agent_of(static_cast<CoreId>(core))));
  return text;
}

std::string name(unsigned core) {
  return name_of(agent_of(static_cast<CoreId>(core)));
}

u32 read_pointer_of(tile::Tile& tile) {
  u32 value = 0;
  std::memcpy(&value, tile.l1().data() + kProtocol96.launch_message_read_pointer, 4);
  return value;
}

/// All that is wrong with one message.
class Judge {
 public:
  Judge(tile::Tile& tile, Coord coord) : tile_(tile), coord_(coord), slot_(read_pointer_of(tile)) {}

  std::vector<LaunchMistake> judge() {
    if (slot_ >= kProtocol96.launch_ring_size) return {};
    const Message message(tile_, coord_, slot_);
    if (message.blank()) {
      empty(message);
      return std::move(found_);
    }
    if (!message.plausible()) return {};
    kernels(message);
    buffers(message);
    not_enabled(message);
    return std::move(found_);
  }

 private:
  void add(Kind kind, std::optional<unsigned> core, std::optional<u32> buffer, std::string text,
           std::string remedy) {
    std::optional<CoreId> id;
    if (core) id = static_cast<CoreId>(*core);
    found_.push_back({kind, id, buffer, std::move(text), std::move(remedy)});
  }

  void empty(const Message& message) {
    std::string text = fmt::format(
        "the launch message of {} that its firmware looks at (slot {}, L1[{:#x}]) enables no core",
        message.tile_name(), slot_, message.address());
    for (u32 slot = 0; slot < kProtocol96.launch_ring_size; ++slot) {
      const Message other(tile_, coord_, slot);
      if (slot == slot_ || other.blank() || !other.plausible()) continue;
      add(Kind::OtherSlot, {}, {},
          fmt::format("{}, while slot {} (L1[{:#x}]) has one for {}: the read pointer (L1[{:#x}]) "
                      "is {}",
                      text, slot, other.address(), cores_text(other.enables()),
                      kProtocol96.launch_message_read_pointer, slot_),
          "write the message to the slot that the read pointer names: with dispatch mode DEV (0) "
          "the firmware goes on by one slot after each launch, with HOST (1) it stays");
      return;
    }
    add(Kind::EmptyMessage, {}, {}, std::move(text),
        "write the launch message to this tile, with the bits of its cores in enables, before the "
        "go message");
  }

  void kernels(const Message& message) {
    for (unsigned core = 0; core < kCores; ++core) {
      if (!message.enabled(core)) continue;
      const u64 text = message.text(core);
      const u32 offset = message.text_offset(core);
      const std::string where = fmt::format(
          "the launch message of {} has {}'s kernel begin at L1[{:#x}] "
          "(kernel_config_base {:#x} + kernel_text_offset {:#x})",
          message.tile_name(), name(core), text, message.base(), offset);
      const bool outside = text + kStart > kL1Size;
      if (!outside && !message.zeros(text, kStart)) continue;
      const bool absolute = offset >= message.base() && !message.zeros(offset, kStart);
      add(Kind::NoKernel, core, {},
          fmt::format("{}, {}{}", where,
                      outside
                          ? "behind the end of L1"
                          : fmt::format("where there is no code: {} bytes of 0 at least", kStart),
                      absolute ? fmt::format("; there is something at L1[{:#x}]", offset) : ""),
          absolute
              ? "give the offset from kernel_config_base and not the address"
              : "write the kernel there before the go message, or correct the offset (it counts "
                "from kernel_config_base)");
    }
  }

  void buffers(const Message& message) {
    const std::vector<Buffer> all = message.buffers();
    for (const Buffer& one : all) {
      if (one.pages == 0 || one.page_size == 0 || one.size == 0) {
        add(Kind::BufferSize, {}, one.index,
            fmt::format("the launch message of {} describes CB {} with {} pages of {} bytes in {} "
                        "bytes",
                        message.tile_name(), one.index, one.pages, one.page_size, one.size),
            fmt::format("describe CB {} by four words: address, size in bytes, number of pages, "
                        "size of a page",
                        one.index));
        continue;
      }
      over_code(message, one);
      for (const Buffer& other : all) {
        const bool apart = other.end() <= one.address || one.end() <= other.address;
        const bool within = (other.address >= one.address && other.end() <= one.end()) ||
                            (one.address >= other.address && one.end() <= other.end());
        if (other.index <= one.index || apart || within) continue;
        add(Kind::BuffersOverlap, {}, one.index,
            fmt::format(
                "the launch message of {} gives CB {} L1[{:#x}, +{:#x}] and CB {} L1[{:#x}, "
                "+{:#x}], which overlap",
                message.tile_name(), one.index, one.address, one.size, other.index, other.address,
                other.size),
            fmt::format("give CB {} and CB {} places of their own", one.index, other.index));
      }
    }
  }

  void over_code(const Message& message, const Buffer& one) {
    const auto covers = [&](u64 address) { return address >= one.address && address < one.end(); };
    for (unsigned core = 0; core < kCores; ++core) {
      if (!message.enabled(core)) continue;
      const bool kernel = covers(message.text(core));
      if (!kernel && !covers(message.base() + message.arguments_offset(core))) continue;
      add(Kind::BufferOverCode, core, one.index,
          fmt::format("the launch message of {} puts CB {} at L1[{:#x}, +{:#x}], over {}'s {}",
                      message.tile_name(), one.index, one.address, one.size, name(core),
                      kernel ? fmt::format("kernel at {:#x}", message.text(core)) : "arguments"),
          fmt::format("give CB {} an address behind the kernels (from {:#x} on with this firmware)",
                      one.index, kProtocol96.data_buffer_base));
      return;
    }
  }

  void not_enabled(const Message& message) {
    for (unsigned core = 0; core < kCores; ++core)
      if (!message.enabled(core) && message.text_offset(core) != 0 &&
          !message.zeros(message.text(core), kStart))
        add(Kind::NotEnabled, core, {},
            fmt::format("the launch message of {} names a kernel for {} (at L1[{:#x}]), but its "
                        "enables ({:#x}) lack bit {}",
                        message.tile_name(), name(core), message.text(core), message.enables(),
                        core),
            fmt::format("set bit {} of enables in the launch message, so that {} runs its kernel",
                        core, name(core)));
  }

  tile::Tile& tile_;
  Coord coord_;
  u32 slot_;
  std::vector<LaunchMistake> found_;
};

tile::Tile* tensix_at(Device& device, Coord coord) {
  const NodeId node = device.board().node_at_translated(coord);
  tile::Tile* const tile = node == kNoNode ? nullptr : device.tile_of(node);
  return tile != nullptr && tile->shape().is_tensix() ? tile : nullptr;
}

std::string named(CoreId core, Coord coord) {
  return fmt::format("{} of ({}, {})", name_of(agent_of(core)), coord.x, coord.y);
}

/// The core has run from its kernel into the next one.
std::optional<LaunchMistake> in_another(tile::Tile& tile, Coord coord, CoreId core, u32 pc) {
  const LaunchView launch = launch_of(tile, 0);
  const u32 own = launch.text[index_of(core)];
  if (launch.valid && bit(launch.enables, index_of(core)) && pc >= own)
    for (unsigned other = 0; other < kCores; ++other) {
      const u32 next = launch.text[other];
      if (!bit(launch.enables, other) || next <= own || pc < next) continue;
      return LaunchMistake{
          Kind::NoKernel,
          core,
          {},
          fmt::format("{} has run out of its kernel at {:#x} into {}'s, which the launch message "
                      "has begin {:#x} bytes behind: the kernels lie over each other",
                      named(core, coord), own, name(other), next - own),
          "leave each kernel as much room as its image has bytes"};
    }
  return std::nullopt;
}

/// So it has, or it runs where nothing is.
std::optional<LaunchMistake> astray(tile::Tile& tile, Coord coord, CoreId core, u32 pc) {
  const u32 at = pc & ~3u;
  if (at + kStart > kL1Size) return std::nullopt;
  if (auto found = in_another(tile, coord, core, pc)) return found;
  const u8* const code = tile.l1().data() + at;
  if (!std::all_of(code, code + kStart, [](u8 byte) { return byte == 0; })) return std::nullopt;
  return LaunchMistake{
      Kind::NoKernel,
      core,
      {},
      fmt::format("{} runs at {:#x}, where there is no code: {} bytes of 0 at least",
                  named(core, coord), pc, kStart),
      "write its code there before the core is let go (the same tile, the same address), and let "
      "it begin where that code does"};
}

}  // namespace

std::vector<LaunchMistake> mistakes_of_launch(Device& device, Coord coord) {
  tile::Tile* const tile = tensix_at(device, coord);
  return tile == nullptr ? std::vector<LaunchMistake>{} : Judge(*tile, coord).judge();
}

std::vector<ArgumentPlace> arguments_of_launch(Device& device, Coord coord) {
  tile::Tile* const tile = tensix_at(device, coord);
  std::vector<ArgumentPlace> places;
  if (tile == nullptr) return places;
  const u32 slot = read_pointer_of(*tile);
  if (slot >= kProtocol96.launch_ring_size) return places;
  const Message message(*tile, coord, slot);
  if (message.blank() || !message.plausible()) return places;
  for (unsigned core = 0; core < kCores; ++core) {
    const u32 offset = message.arguments_offset(core);
    const u32 next = message.next_offset(offset);
    bool shared = false;
    for (unsigned other = 0; other < kCores; ++other)
      shared |= other != core && message.arguments_offset(other) == offset;
    constexpr u32 kMost = 341 * 4;
    if (!message.enabled(core) || shared || next == ~0u || next - offset > kMost) continue;
    places.push_back({static_cast<CoreId>(core), message.base() + offset, message.base() + next});
  }
  return places;
}

std::optional<LaunchMistake> launch_behind(Device& device, const Fault& fault, Coord coord) {
  tile::Tile* const tile = tensix_at(device, coord);
  const bool thread = fault.agent >= Agent::Thread0 && fault.agent <= Agent::Thread2;
  if (tile == nullptr || (!is_core(fault.agent) && !thread)) return std::nullopt;
  std::vector<CoreId> cores;
  if (is_core(fault.agent)) cores.push_back(core_of(fault.agent));
  // Words of 0 are instructions that a core pushes, so a thread may be the first to complain.
  if (thread && fault.rule == Rule::TensixUnknownOpcode) {
    const unsigned index =
        static_cast<unsigned>(fault.agent) - static_cast<unsigned>(Agent::Thread0);
    cores = {static_cast<CoreId>(static_cast<unsigned>(CoreId::Trisc0) + index), CoreId::Brisc,
             CoreId::Ncrisc};
  }
  const std::vector<LaunchMistake> mistakes = mistakes_of_launch(device, coord);
  // Pages that are not what their buffer's kernels have left there.
  if (std::string_view(info_of(fault.rule).name).starts_with("cb-"))
    for (const LaunchMistake& mistake : mistakes)
      if (mistake.kind == Kind::BuffersOverlap || mistake.kind == Kind::BufferSize) return mistake;
  const LaunchView launch = launch_of(*tile, 0);
  for (const CoreId core : cores) {
    if (tile->status(core) == tile::CoreStatus::Reset) continue;
    const u32 pc = is_core(fault.agent) ? fault.pc : tile->core(core).pc;
    const bool firmware = !launch.valid || pc < launch.kernel_base;
    for (const LaunchMistake& mistake : mistakes) {
      const bool empty = mistake.kind == Kind::EmptyMessage || mistake.kind == Kind::OtherSlot;
      if (empty && is_core(fault.agent) && firmware && fault.rule == Rule::NocInlineTarget)
        return mistake;
      if (mistake.kind == Kind::NoKernel && mistake.core == core && !firmware) return mistake;
    }
    if (const auto found = astray(*tile, coord, core, pc); found) return found;
    const bool no_code = fault.rule == Rule::RiscvIllegalInstruction ||
                         fault.rule == Rule::RiscvTtinsn || fault.rule == Rule::RiscvVectorCore ||
                         fault.rule == Rule::RiscvBadPc || fault.rule == Rule::TensixUnknownOpcode;
    for (const LaunchMistake& mistake : mistakes)
      if (no_code && mistake.kind == Kind::BufferOverCode) return mistake;
  }
  return std::nullopt;
}

std::optional<LaunchMistake> kernel_run_into(Device& device, Coord coord) {
  tile::Tile* const tile = tensix_at(device, coord);
  for (unsigned core = 0; tile != nullptr && core < kCores; ++core) {
    const auto id = static_cast<CoreId>(core);
    if (tile->status(id) == tile::CoreStatus::Reset) continue;
    if (auto found = in_another(*tile, coord, id, tile->core(id).pc)) return found;
  }
  return std::nullopt;
}

std::optional<LaunchMistake> buffer_not_launched(Device& device, Coord coord, u32 index) {
  tile::Tile* const tile = tensix_at(device, coord);
  if (tile == nullptr || index >= kBuffers) return std::nullopt;
  const u32 slot = read_pointer_of(*tile);
  if (slot >= kProtocol96.launch_ring_size) return std::nullopt;
  const Message message(*tile, coord, slot);
  if (message.blank() || !message.plausible() || bit(message.mask(), index)) return std::nullopt;
  return LaunchMistake{
      Kind::BufferSize,
      {},
      index,
      fmt::format("local_cb_mask of the launch message of {} ({:#x}) lacks bit {}, so that the "
                  "firmware has not told the kernels of that buffer",
                  message.tile_name(), message.mask(), index),
      fmt::format("set bit {} of local_cb_mask in the launch message and describe CB {} there",
                  index, index)};
}

}  // namespace bhemu::host
