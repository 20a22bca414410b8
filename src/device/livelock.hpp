// Recognises a device that runs but gets nowhere: all its running cores only send NoC reads, and
// what they read never changes anything.
//
// A core that polls local memory is parked, and a device of parked cores is idle: that is exact. A
// core that polls another tile must issue reads, so it never repeats its state exactly (counters
// rise). For it there is this judgement: over whole windows of cycles, no L1 of a running tile
// changed, no packet other than reads and their answers was sent, no Tensix instruction was
// executed, every running core sent reads, and none looked at a clock or counter. It depends
// on guest state only, so every run judges alike.
#pragma once

#include <vector>

#include "tile/tile.hpp"

namespace bhemu {

class LivelockCheck {
 public:
  static constexpr Cycle kWindow = 1 << 20;
  static constexpr unsigned kWindows = 2;

  explicit LivelockCheck(const std::vector<tile::Tile*>& tiles) : tiles_(tiles) {}

  /// The host has acted: whatever was seen so far proves nothing.
  void restart(Cycle now) {
    next_ = now + kWindow;
    windows_ = 0;
  }

  /// To be asked at epoch edges; looks closely once per window.
  bool holds(Cycle now) {
    if (now < next_) return false;
    next_ = now + kWindow;
    const bool barren = look();
    windows_ = barren ? windows_ + 1 : 0;
    return windows_ >= kWindows;
  }

 private:
  struct Seen {
    tile::Activity activity;
    u64 l1 = 0;
    u64 tensix = 0;
  };

  bool look() {
    bool barren = true;
    bool any = false;
    seen_.resize(tiles_.size());
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      if (tiles_[i] == nullptr || !tiles_[i]->in_use()) continue;
      tile::Tile& tile = *tiles_[i];
      Seen& seen = seen_[i];
      const tile::Activity& activity = tile.activity();
      // A core between two reads may happen to be parked, waiting for its answer, at this edge.
      const bool reading = activity.reads != seen.activity.reads;
      any |= reading;
      barren &= activity.effects == seen.activity.effects;
      barren &= activity.clock_reads == seen.activity.clock_reads && !tile.waits_for_time();
      barren &= tile.tensix_instructions() == seen.tensix;
      for (unsigned core = 0; core < kCores; ++core) {
        const bool running = tile.status(static_cast<CoreId>(core)) == tile::CoreStatus::Running;
        barren &= !running || activity.reads[core] != seen.activity.reads[core];
      }
      // Hashing memory is dear: only once everything else says that nothing happens.
      if (barren && reading) {
        const u64 l1 = tile.l1().memory().hash();
        barren &= l1 == seen.l1;
        seen.l1 = l1;
      }
      seen.activity = activity;
      seen.tensix = tile.tensix_instructions();
    }
    return barren && any;
  }

  const std::vector<tile::Tile*>& tiles_;
  std::vector<Seen> seen_;
  Cycle next_ = kWindow;
  unsigned windows_ = 0;
};

/// Of a core that sleeps: it has sent a read of late and waits for the answer. Where time goes on,
/// that is under way.
inline bool awaits_answer(const Waits& waits, Cycle now) {
  const Wait* const answers = waits.find(Awaited::Answers);
  return answers != nullptr && now - answers->since < LivelockCheck::kWindow;
}

}  // namespace bhemu
