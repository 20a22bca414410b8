// What a host does to a card by its own calls, for reports: a host that writes launches itself
// makes mistakes that only its calls show. Python's devices and those of the C API have one each;
// what is seen costs a comparison for each access.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "host/report/host_words.hpp"
#include "host/report/standstill.hpp"

namespace bhemu::host {

class HostDesk {
 public:
  /// Before a write. Throws InputError, with a remedy, for a go message of which no good can come:
  /// without a launch message or a kernel, with a circular buffer over kernels, or while the launch
  /// before still runs. Returns what looks wrong and may be meant. Neither without the check
  /// `buffers` (--check=none), and only of tiles that are known to run firmware which takes launch
  /// messages of this layout: elsewhere the same bytes mean something else.
  std::string before_write(Device& device, Coord tile, u64 address, std::span<const u8> bytes);

  /// The same of a multicast.
  std::string before_multicast(Device& device, Coord first, Coord last, u64 address,
                               std::span<const u8> bytes);
  /// Somebody else has written to the card in one go: a snapshot, a program file.
  void others_wrote() { knows_writes_ = false; }
  /// All tiles have firmware of ours, or of the layout that it shares.
  void booted(const Device& device);
  /// BRISC of the tile is held, or let go with other code.
  void runs_other_code(Coord tile) { takes_launches_.erase({tile.x, tile.y}); }

  /// The host asks whether its condition holds; `place`: where that is in the host's source.
  void asks(std::string place);
  void asked() { asking_ = false; }
  /// It has read something, perhaps for its condition.
  void looked(const std::string& where, u64 address, std::span<const u8> bytes);
  bool is_asking() const { return asking_; }

  /// A card that has nothing to do, and a host that waits for something all the same: then the
  /// host's condition is the cause.
  void tell(Device& device, Standstill& standstill) const;

  /// The host has told a tile to go, and no cycle has passed since. True once for each go.
  bool has_not_run(const Device& device);

 private:
  struct Look {
    std::string where;
    u64 address = 0;
    u64 bytes = 0;
    u64 value = 0;
  };

  void note(Coord tile, u64 address, std::span<const u8> bytes, Cycle now);
  struct Doubt {
    std::string text;
    std::string remedy;
  };
  std::vector<Doubt> no_arguments(Device& device, Coord tile) const;
  void tell_of_doubts(Standstill& standstill) const;

  HostWords words_;
  /// What the host has ever written below the buffers, by tile: kernels and all that belongs to
  /// them. Ranges [first, second) with the latest at the end; those before may overlap.
  using Ranges = std::vector<std::pair<u32, u32>>;
  static constexpr size_t kSide = 32;  // of the grid of tiles
  std::vector<Ranges> written_{kSide * kSide};
  std::map<std::pair<u8, u8>, std::vector<Doubt>> doubts_;  // of the last launch, by tile
  std::set<std::pair<u8, u8>> takes_launches_;              // tiles with firmware of the layout
  std::set<std::pair<u8, u8>> announced_;  // tiles with a launch message and no go since then
  bool knows_writes_ = true;
  bool asking_ = false;
  bool waits_ = false;
  std::string place_;
  std::optional<Look> look_;
  std::optional<Cycle> went_;
};

}  // namespace bhemu::host
