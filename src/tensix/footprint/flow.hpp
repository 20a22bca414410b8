// Which cells an instruction's results come from, for "who wrote this?": finer than its touches,
// which only say what it has read and written in all.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace bhemu::tensix {

enum class Space : u8;

/// Cells of `to` that come from cells of `from`. A cell is a byte of L1, a datum of SrcA, SrcB or
/// Dst (16 * the touch's unit + column) or a lane of an LReg (32 * register + lane).
/// Cell `to_begin + i * stride`, i < count, comes from [from_begin + i / group * step, + size).
struct Flow {
  Space to;
  Space from;
  u32 to_begin = 0;
  u32 count = 1;
  u32 from_begin = 0;
  u32 group = 1;
  u32 step = 1;
  u32 size = 1;
  u32 stride = 1;

  friend bool operator==(const Flow&, const Flow&) = default;
};

/// Nothing is kept unless it is wanted.
class Flows {
 public:
  void want(bool wanted) { wanted_ = wanted; }
  bool wanted() const { return wanted_; }
  void clear() { all_.clear(); }
  /// What goes on where one of the latest has ended is joined with it.
  void add(const Flow& flow) {
    if (wanted_) keep(flow);
  }
  std::span<const Flow> all() const { return all_; }

 private:
  void keep(const Flow& flow);

  bool wanted_ = false;
  std::vector<Flow> all_;
};

}  // namespace bhemu::tensix
