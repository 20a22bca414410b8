// The card as a host's PCI bus shows it: configuration space, BAR 0, 2 and 4, and the card's own
// reach into host memory.
//
// jasondavies/tt-isa-documentation BlackholeA0/PCIExpressTile/README.md, "Address spaces".
//   BAR 0  0x00000000  202 windows of 2 MiB
//          0x1FC00000  their registers, and those of the windows of BAR 4
//          0x1FD04000  NIU of NoC 0, 0x1FD14000 NIU of NoC 1 (read only)
//          0x1FE00000  reserved: an aperture to the ARC on cards whose host is at PCIe tile 1
//          (p100);
//                      P100A and P150 use tile 0 (tt-zephyr-platforms spirom_data_tables)
//   BAR 2              PCI Express controller (pcie/controller.def)
//   BAR 4              8 windows of 4 GiB
#pragma once

#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "card/config_space.hpp"
#include "card/windows.hpp"
#include "device/device.hpp"
#include "noc/identity.hpp"
#include "noc/node.hpp"

namespace bhemu::card {

/// The host did something that no card answers. Windows are looked at before anything is changed;
/// a stretch of registers is done up to the one that refuses.
class AccessError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Function {
 public:
  static constexpr u64 kBar0Bytes = u64{512} << 20;
  static constexpr u64 kBar2Bytes = u64{1} << 20;
  static constexpr u64 kBar4Bytes = u64{32} << 30;
  static constexpr u64 kWindowRegisters = 0x1FC00000;
  static constexpr u64 kNiu[kNocs] = {0x1FD04000, 0x1FD14000};
  static constexpr u64 kNiuBytes = 0x2000;

  /// `device` must outlive this.
  explicit Function(Device& device);

  /// Throw AccessError for an offset that is no multiple of 4 or beyond the end. Where PCI has no
  /// register, 0 is read and what is written is ignored.
  u32 config_read(u32 offset) const;
  void config_write(u32 offset, u32 value);
  /// The host has asked for a reset of the ASIC: whoever owns device and function starts both anew.
  bool wants_reset() const { return wants_reset_; }

  /// Any size and alignment, by address on the host's bus. A stretch over several windows goes
  /// through each of them. Throw AccessError where no card answers.
  void read(u64 address, std::span<u8> bytes);
  void write(u64 address, std::span<const u8> bytes);
  /// The same by BAR (0, 2, 4) and offset.
  void bar_read(unsigned bar, u64 offset, std::span<u8> bytes);
  void bar_write(unsigned bar, u64 offset, std::span<const u8> bytes);

  /// What a bus address leads to through a window; nothing where no tile is named.
  struct Behind {
    NodeId node;  // kNoNode: all tiles of a rectangle
    u64 address;
  };
  std::optional<Behind> behind(u64 address) const;
  /// A register of the windows, which aims but changes nothing on the chip.
  bool is_window_register(u64 address) const;
  /// Whole words of them, by their offset in BAR 0.
  static bool can_aim(u64 offset, u32 bytes) {
    const u64 at = offset - kWindowRegisters;
    return at < Windows::kRegisterBytes && bytes <= Windows::kRegisterBytes - at &&
           (at | bytes) % 4 == 0;
  }
  /// Writes them.
  void aim(u64 offset, const void* source, u32 bytes);

  /// Plain memory behind a window of BAR 0 (noc/node.hpp), from the window's first byte on; none
  /// until look_behind has found some.
  struct View {
    noc::PlainMemory memory;
    Behind begin{kNoNode, 0};  // where it lies
    bool known = false;        // it has been looked for
    u8 noc = 0;
    bool posted = false;
  };
  const View& view(unsigned window) const { return views_[window]; }
  /// For an AccessError: a write that came through has broken a rule there.
  std::string broken_rule(unsigned window, NodeId node, u64 address) const;
  void look_behind(unsigned window);

  const Windows& windows() const { return windows_; }
  u64 bar_base(unsigned bar) const { return config_.bar_base(bar); }
  Device& device() { return device_; }

 private:
  struct Place {
    unsigned bar;
    u64 offset;
  };
  Place place_of(u64 address, u64 bytes) const;
  template <class Bytes>
  void each_window(unsigned bar, u64 offset, Bytes bytes);
  void window_read(unsigned index, u64 offset, std::span<u8> bytes);
  void window_write(unsigned index, u64 offset, std::span<const u8> bytes);
  void node_write(NodeId node, u64 address, std::span<const u8> bytes, unsigned index);
  void check_window(unsigned index, u64 offset, bool is_write) const;
  bool niu_read(const TileSite& site, noc::NiuPlace place, u32& value);
  NodeId target(unsigned index) const;
  bool at_niu(unsigned index, u64 address, noc::NiuPlace& place, const TileSite*& site) const;
  u32 register_read(unsigned bar, u64 offset);
  void register_write(unsigned bar, u64 offset, u32 value);
  void set_window(u32 offset, u32 value);
  void start_transfer();

  Device& device_;
  ConfigSpace config_;
  Windows windows_;
  std::array<View, Windows::kSmall> views_{};
  bool wants_reset_ = false;
};

}  // namespace bhemu::card
