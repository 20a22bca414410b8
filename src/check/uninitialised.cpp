// Reads of what nobody has written.
#include <fmt/format.h>

#include "base/bits.hpp"
#include "check/tile_checker.hpp"
#include "tensix/operation.hpp"
#include "tile/regions.hpp"

namespace bhemu::check {
namespace {

using tensix::Space;
constexpr u32 kOwnLdm = 0xFFB00000;

}  // namespace

/// A load among the arguments, by a kernel: its own, or what it takes for them.
bool TileChecker::check_argument(const trace::Instruction& one, const trace::CoreAccess& access) {
  if (!layout_->settings.has(access.address) || layout_->semaphores.has(access.address))
    return false;
  const Range own = layout_->arguments[one.core];
  const Range common = layout_->common_arguments[one.core];
  if (own.has(access.address) || common.has(access.address)) return true;
  const bool is_common =
      common.begin >= own.begin && access.address >= common.begin && common.end > common.begin;
  const Range& range = is_common ? common : own;
  const u32 given = (range.end - range.begin) / 4;
  const u32 index = (access.address - range.begin) / 4;
  raise(Rule::ArgumentNotGiven, one.author,
        fmt::format("it reads {} {}, but {} {} given to {}'s kernel",
                    is_common ? "common argument" : "argument", index,
                    given == 0 ? "none" : fmt::format("only {}", given), given == 1 ? "is" : "are",
                    name_of(one.author.agent)));
  return true;
}

void TileChecker::check_load(const trace::Instruction& one, const trace::CoreAccess& access) {
  if (!in_kernel(one.author.pc)) return;
  if (access.region == tile::Region::L1) {
    if (has(CheckGroup::Uninitialised) && check_argument(one, access)) return;
    return read(access.address, access.size, one.author, "it reads");
  }
  if (!has(CheckGroup::Uninitialised)) return;
  const u32 offset = access.address - kOwnLdm;
  if (ldm_[one.core].any(offset, access.size)) return;
  const u32 sp = one.state->x[2] - kOwnLdm;
  raise(Rule::UninitialisedLdm, one.author,
        fmt::format("it reads {} bytes of its local memory at {:#x}, which it has not written: {}",
                    access.size, offset,
                    offset >= sp ? "a local variable without a value"
                                 : "neither a variable of the firmware nor of its stack"));
}

std::string TileChecker::source_of(const tensix::Touch& touch, u32 row) const {
  switch (touch.space) {
    case Space::Dst:
      return fmt::format(
          "row {} of Dst, which no instruction of the matrix or vector unit, and no "
          "unpacker, has written (nor ZEROACC cleared)",
          row);
    case Space::SrcA:
    case Space::SrcB:
      return fmt::format("row {} of bank {} of {}, which unpacker {} has not written",
                         row % tensix::kSrcRows, row / tensix::kSrcRows,
                         touch.space == Space::SrcA ? "SrcA" : "SrcB",
                         touch.space == Space::SrcA ? 0 : 1);
    case Space::LReg:
      return fmt::format("LReg {}, into which the vector unit has loaded nothing", row);
    default:
      return fmt::format("general purpose register {} of thread {}, which nobody has set",
                         row % tensix::kGprs, row / tensix::kGprs);
  }
}

/// The instruction writes this LReg, too: what it reads of it is the half or the lanes that stay.
bool TileChecker::keeps(const trace::Issue& one, u32 lreg) {
  for (const tensix::Touch& touch : *one.touches)
    if (touch.space == Space::LReg && tensix::writes(touch.access) && lreg >= touch.begin &&
        lreg < touch.end())
      return true;
  return false;
}

void TileChecker::check_touch(const trace::Issue& one, const tensix::Touch& touch) {
  const Author& author = one.operation.author;
  if (touch.space == Space::L1) return read(touch.begin, touch.size, author, "it reads");
  if (!has(CheckGroup::Uninitialised)) return;
  const auto complain = [&](u32 row) {
    raise(Rule::UninitialisedRegister, author, fmt::format("it reads {}", source_of(touch, row)));
  };
  if (touch.space == Space::Gpr) {
    // A store of four takes neighbours along that mean nothing.
    for (u32 row = touch.begin; row < touch.end(); ++row)
      if (gpr_[row] != 0) return;
    return complain(touch.begin);
  }
  for (u32 row = touch.begin; row < touch.end(); ++row) {
    switch (touch.space) {
      case Space::Dst:
        if ((dst_[row] & touch.mask) == 0 && (touch.mask & 0xFFFF) != 0) return complain(row);
        break;
      case Space::SrcA:
      case Space::SrcB:
        if ((src_[touch.space == Space::SrcB][row] & touch.mask) == 0 && (touch.mask & 0xFFFF) != 0)
          return complain(row);
        break;
      case Space::LReg:
        if (row < lreg_.size() && (lreg_[row] & touch.mask) == 0 && touch.mask != 0 &&
            !keeps(one, row))
          return complain(row);
        break;
      default:
        return;
    }
  }
}

void TileChecker::note_touch(const tensix::Touch& touch) {
  for (u64 row = touch.begin; row < touch.end(); ++row) {
    switch (touch.space) {
      case Space::L1:
        return written(touch.begin, touch.size, {Agent::Thread0, 0, 0, node_});
      case Space::Dst:
        dst_[row] |= static_cast<u16>(touch.mask);
        break;
      case Space::SrcA:
      case Space::SrcB:
        src_[touch.space == Space::SrcB][row] |= static_cast<u16>(touch.mask);
        break;
      case Space::LReg:
        if (row < lreg_.size()) lreg_[row] |= touch.mask;
        break;
      case Space::Gpr:
        gpr_[row] = 1;
        break;
      default:
        return;
    }
  }
}

}  // namespace bhemu::check
