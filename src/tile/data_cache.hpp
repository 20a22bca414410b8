// The L0 data caches of a tile's cores with what they hold, for --check=caches=silicon: a load
// that hits gets the bytes of the time at which the line was loaded, whatever L1 holds now
// (BlackholeA0 BabyRISCV/MemoryOrdering.md, "L0 data cache"). Without that setting a load gets what
// L1 holds, which silicon may also do: a line can go at any time.
//
// Only cores that are followed (follower.hpp) have caches here.
#pragma once

#include <array>

#include "base/types.hpp"
#include "mem/l1.hpp"
#include "riscv/effect.hpp"

namespace bhemu::tile {

class DataCaches {
 public:
  static constexpr u32 kLineBytes = 16;

  /// While a load of stale bytes is executed, L1 holds them in place of its own; the destructor
  /// puts L1's own back. Nobody else sees L1 in between: the load is one instruction of one core.
  class Stale {
   public:
    explicit Stale(L1& l1) : l1_(l1) {}
    ~Stale() {
      if (count_ != 0) put_back();
    }
    Stale(const Stale&) = delete;
    Stale& operator=(const Stale&) = delete;
    void swap_in(u32 address, const std::array<u8, kLineBytes>& bytes);
    bool any() const { return count_ != 0; }
    /// What L1 itself has in a line.
    const u8* own(u32 line) const;

   private:
    void put_back();
    static constexpr unsigned kMost = 4;  // lines of a cache
    L1& l1_;
    unsigned count_ = 0;
    // Of the first `count_`; one of these is made for each instruction.
    std::array<u32, kMost> address_;
    std::array<std::array<u8, kLineBytes>, kMost> own_;
  };

  /// Core `core` loads `bytes` from `address`, all of it in L1, in `cycle`.
  /// `may_flush`: the periodic flush is on (cfg0).
  void load(unsigned core, u32 address, u32 bytes, Cycle cycle, bool may_flush, Stale& stale);
  /// A store drops the lines that it reaches.
  void store(unsigned core, u32 address, u32 bytes);
  /// A fence, an atomic, cfg0.
  void flush(unsigned core) { core_[core] = {}; }
  void clear() { core_ = {}; }
  u64 hash(u64 seed) const;

 private:
  struct Line {
    u32 address = kNone;
    std::array<u8, kLineBytes> bytes{};
  };
  struct Core {
    std::array<Line, 4> line{};
    u32 next = 0;  // the line that goes when a fifth comes
  };
  static constexpr u32 kNone = ~0u;
  std::array<Core, kCores> core_{};
};

}  // namespace bhemu::tile
