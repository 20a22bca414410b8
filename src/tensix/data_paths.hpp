// What the units have worked out of the configuration and may use again. No state: with an
// environment that lends none, everything is worked out anew each time and gives the same bits.
#pragma once

#include "tensix/fpu/known_move.hpp"
#include "tensix/pack/whole_rows.hpp"
#include "tensix/sfpu/block.hpp"
#include "tensix/unpack/faces.hpp"

namespace bhemu::tensix {

namespace fpu {
class ProductRun;
}

struct DataPaths {
  pack::PathCache pack;
  pack::WholeRows whole_rows;
  unpack::Faces faces;
  fpu::KnownMove move;
  sfpu::StepCache sfpu;
  /// Lent for some turns by whoever runs them: it is too large to have one for each tile, and is
  /// wanted in the cache. Null: every turn has its own.
  fpu::ProductRun* products = nullptr;

  /// During a turn all that can change the configuration says so here: what has been compared since
  /// needs not be compared again.
  void begin_turn() {
    in_turn_ = true;
    distrust();
  }
  void end_turn() { in_turn_ = false; }
  /// Configuration changes: words of the backend or of a thread, LaneConfig, DBG_FEATURE_DISABLE.
  void distrust() {
    if (++now_ == kNever) ++now_;
  }
  /// A configuration bit has changed that is not read anew for each instruction (kReadAnew in
  /// cfg/cfg.cpp): what packer and unpackers have worked out before must not be used any more.
  void settings_changed() {
    ++settings_;
    distrust();
  }
  /// How often that has happened: to be kept with what is worked out of the configuration.
  u64 settings() const { return settings_; }
  /// To be kept with what has just been compared.
  u32 seen() const { return in_turn_ ? now_ : kNever; }
  bool trusts(u32 seen) const { return in_turn_ && seen == now_; }

 private:
  static constexpr u32 kNever = 0;
  bool in_turn_ = false;
  u32 now_ = 1;
  u64 settings_ = 1;
};

}  // namespace bhemu::tensix
