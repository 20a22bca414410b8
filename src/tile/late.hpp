// What a Tensix tile keeps while things happen late in it (base/delays.hpp): the stores of its
// cores that are on their way, and for each core whether it has been held up in front of the
// access that it is at.
//
// A core's stores travel by ways, one for each region of memory that processes them in order by
// itself (BlackholeA0/TensixTile/BabyRISCV/MemoryOrdering.md). A load takes the same way, so all
// earlier stores on it come first; of L1, those that overlap. A fence and an atomic wait for all
// of them (a fence by custom of shipped software).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "base/types.hpp"
#include "tile/delayed_bus.hpp"

namespace bhemu::tile {

enum class Way : u8 { L1, Config, Niu, Overlay, Semaphore, Control, Dst, None };

struct LateStore {
  Cycle due = 0;
  u32 address = 0;
  u32 pc = 0;
  u8 core = 0;
  Way way = Way::None;
  u8 bytes = 0;
  std::array<u8, 16> data{};
};

struct LateStores {
  static constexpr u32 kLines = kL1Size >> 6;

  explicit LateStores(Tile& tile) {
    flags.fill(0xFF);
    for (unsigned core = 0; core < kCores; ++core)
      buses[core] = std::make_unique<DelayedBus>(tile, core, flags.data());
  }

  Cycle next() const {
    Cycle next = kNever;
    for (const LateStore& store : stores) next = store.due < next ? store.due : next;
    return next;
  }
  void clear() {
    stores.clear();
    drawn = {};
  }
  void archive(Archive& archive) {
    archive.vector(stores);
    archive.value(drawn);
  }

  std::vector<LateStore> stores;     // in the order of the cores' programs
  std::array<bool, kCores> drawn{};  // has been held up in front of the access that it is at
  bool held_up = false;              // the core whose turn it is has just been
  /// Every store to L1 comes through the tile's door.
  std::array<u8, kLines> flags{};
  std::array<std::unique_ptr<DelayedBus>, kCores> buses;
};

}  // namespace bhemu::tile
