// The stores of a tile's cores that are on their way, while things happen late in it
// (base/delays.hpp), and for each core whether it has been held up in front of the access that it
// is at.
//
// A core's stores travel by ways, one for each region of memory that processes them in order by
// itself (BlackholeA0/TensixTile/BabyRISCV/MemoryOrdering.md). A load takes the same way, so all
// earlier stores on it come first; of L1, those that overlap. A fence and an atomic wait for all
// of them (a fence by custom of shipped software).
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/delays.hpp"
#include "base/types.hpp"
#include "mem/arena.hpp"
#include "mem/l1.hpp"
#include "riscv/core.hpp"
#include "tensix/coprocessor.hpp"
#include "tile/debug_registers.hpp"
#include "tile/shape.hpp"
#include "tile/slot.hpp"

namespace bhemu::tile {

class CoreAccess;

/// What late stores ask of the tile around them: that an access takes effect.
class LateHost {
 public:
  virtual void after_run(unsigned core, riscv::Outcome outcome) = 0;
  virtual void end_long_turn(Cycle at) = 0;

 protected:
  ~LateHost() = default;
};

class LateStores {
 public:
  /// What it shares with the tile; no delays: nothing more is to be late.
  struct Environment {
    const Shape& shape;
    std::array<riscv::CoreState, kCores>& cores;
    const std::array<CoreSlot, kCores>& slots;
    const DebugRegisters& registers;
    L1& l1;
    const ArenaPtr<tensix::Coprocessor>& coprocessor;
    const std::unique_ptr<Delays>& delays;
    CoreAccess& access;
    LateHost& host;
  };
  explicit LateStores(const Environment& environment) : env_(environment) { flags_.fill(0xFF); }

  /// When the next store takes effect.
  Cycle next() const;
  /// Stores that are due by `now` take effect.
  void serve(Cycle now);

  // --- A core's accesses
  riscv::Outcome store(unsigned core, u32 address, u32 size, u32 value);
  riscv::Outcome store_l1(unsigned core, u32 address, const void* source, u32 bytes);
  riscv::Outcome push(unsigned core, u32 word);
  void land_before_load(unsigned core, u32 address);
  void land_overlapping(unsigned core, u32 address, u32 bytes);
  /// Its next instruction may be one that waits for all that the core has stored.
  void before_instruction(unsigned core);
  /// The access under way was not refused: its core comes back to it by itself.
  bool was_held_up() { return std::exchange(held_up_, false); }
  /// For a bus: every store to L1 comes through the tile's door.
  const u8* l1_flags() const { return flags_.data(); }

  void clear();
  void archive(Archive& archive);

 private:
  enum class Way : u8 { L1, Config, Niu, Overlay, Semaphore, Control, Dst, None };
  struct Store {
    Cycle due = 0;
    u32 address = 0;
    u32 pc = 0;
    u8 core = 0;
    Way way = Way::None;
    u8 bytes = 0;
    std::array<u8, 16> data{};
  };
  static constexpr u32 kLines = kL1Size >> L1::kLineShift;
  static constexpr unsigned index(CoreId id) { return index_of(id); }

  static Way way_of(Region region);
  Agent agent(unsigned core) const { return agent_of(env_.shape.core[core]); }
  void land(std::size_t index, Cycle now);
  void land_way(unsigned core, Way way, u32 address, u32 bytes);
  void count_pending(const Store& store, i32 change);
  bool holds_up(unsigned core);
  riscv::Outcome send(Store store, DelayKind kind, Cycle now);
  void put_off_push(unsigned core, Region region, bool fused);

  Environment env_;
  std::vector<Store> stores_;         // in the order of the cores' programs
  std::array<bool, kCores> drawn_{};  // has been held up in front of the access that it is at
  bool held_up_ = false;              // the core whose turn it is has just been
  std::array<u8, kLines> flags_{};
};

}  // namespace bhemu::tile
