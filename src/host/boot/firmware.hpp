// A set of firmware for the five cores of a Tensix tile: our own or tt-metal's, and how it boots.
//
// Documents: specs firmware-upload.md (Upload Sequence), the device grid
// (boopdotpng/tenstorrent-docs). Every address comes from the ELFs: segments, entry points,
// symbols, and for tt-metal's the constants in their code (firmware_scan.hpp). What is left is in
// mailboxes.hpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/boot/mailboxes.hpp"
#include "host/program/elf.hpp"

namespace bhemu::host {

inline constexpr std::array<const char*, kCores> kCoreFileNames = {"brisc", "ncrisc", "trisc0",
                                                                   "trisc1", "trisc2"};

class Firmware {
 public:
  /// The set built into the program. Throws InputError when the build had none.
  static Firmware embedded();
  /// `directory` with brisc.elf, ncrisc.elf, trisc0.elf, trisc1.elf, trisc2.elf.
  static Firmware load(const std::string& directory);
  static Firmware from_elfs(std::string origin, std::vector<Elf> elfs);

  const std::string& origin() const { return origin_; }
  const Elf& elf(CoreId core) const { return elfs_[static_cast<unsigned>(core)]; }
  const Protocol& protocol() const { return kProtocol96; }

  /// Where kernels and their arguments go.
  u32 kernel_config_base() const { return kernel_config_base_; }
  /// The first address that belongs to circular buffers and tensors.
  u32 data_buffer_base() const { return data_buffer_base_; }
  unsigned circular_buffers() const { return circular_buffers_; }
  unsigned dram_entries() const { return dram_entries_; }
  unsigned l1_entries() const { return l1_entries_; }
  u32 bank_table() const { return bank_table_; }

  /// What goes to L1, the same in every tile: segments with their load addresses resolved.
  struct Piece {
    u32 address = 0;
    std::vector<u8> bytes;
  };
  std::vector<Piece> image(const Board& board) const;
  /// L1 address of the tile's own logical coordinates {x, y}, when the firmware reads them.
  std::optional<std::array<u32, 2>> logical_coordinates() const { return logical_coordinates_; }

 private:
  Firmware() = default;
  void resolve();
  void resolve_segments();
  void resolve_tables();
  void check_pieces() const;

  std::string origin_;
  std::vector<Elf> elfs_;
  std::vector<Piece> pieces_;
  u32 kernel_config_base_ = 0;
  u32 data_buffer_base_ = 0;
  unsigned circular_buffers_ = 0;
  unsigned dram_entries_ = 0;
  unsigned l1_entries_ = 0;
  u32 bank_table_ = 0;
  std::optional<u32> logical_to_virtual_;
  std::optional<std::array<u32, 2>> logical_coordinates_;
};

/// Holds all cores in reset, uploads, and releases BRISC on every live Tensix tile. The device must
/// then run until `all_done`.
void upload(Device& device, const Firmware& firmware);

/// Asks tile after tile whether its go message says done; cheap when asked often.
class GoWatcher {
 public:
  GoWatcher(Device& device, const Firmware& firmware, std::vector<Coord> tiles);
  bool all_done();
  /// Tiles that are not done; asks all of them.
  std::vector<Coord> pending();

 private:
  bool done(Coord tile);
  Device& device_;
  u32 signal_;
  std::vector<Coord> tiles_;
  size_t next_ = 0;
  Cycle asked_ = 0;  // when
};

}  // namespace bhemu::host
