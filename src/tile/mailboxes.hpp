// The sixteen mailboxes of a tile: a FIFO from each of BRISC, TRISC0..2 to each of them.
// WormholeB0/TensixTile/BabyRISCV/Mailboxes.md (Blackhole is the same).
//
// Each holds four words; the four that one core writes hold four words together. Silicon lets a
// few more writes sit in shared buffers before the writer stalls; how many is not documented, so
// the fifth write blocks here.
#pragma once

#include <optional>

#include "base/ring.hpp"
#include "base/types.hpp"

namespace bhemu::tile {

class Mailboxes {
 public:
  static constexpr unsigned kDepth = 4;

  /// Index 0..3 of a core that has mailboxes; none for NCRISC and in an
  /// Ethernet tile.
  static std::optional<unsigned> end_of(CoreId core) {
    if (core == CoreId::Ncrisc || core >= CoreId::Erisc0) return std::nullopt;
    return core == CoreId::Brisc ? 0 : static_cast<unsigned>(core) - 1;
  }

  /// The core that an index belongs to.
  static unsigned core_of(unsigned end) { return end == 0 ? 0 : end + 1; }

  bool can_push(unsigned from) const {
    u32 held = 0;
    for (unsigned to = 0; to < 4; ++to) held += boxes_[from][to].size();
    return held < kDepth;
  }
  void push(unsigned from, unsigned to, u32 value) { boxes_[from][to].push(value); }
  bool empty(unsigned from, unsigned to) const { return boxes_[from][to].empty(); }
  u32 pop(unsigned from, unsigned to) { return boxes_[from][to].pop(); }
  /// Reset of a core discards what it has written (SoftReset.md, "RISCV soft reset").
  void discard_from(unsigned from) {
    for (auto& box : boxes_[from]) box.clear();
  }
  u64 hash(u64 seed) const;

 private:
  std::array<std::array<Ring<u32, kDepth>, 4>, 4> boxes_;
};

}  // namespace bhemu::tile
