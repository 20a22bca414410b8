// Reads of what nobody has written.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/bits.hpp"
#include "check/tile_checker.hpp"
#include "tensix/isa.hpp"
#include "tensix/operation.hpp"
#include "tile/regions.hpp"

namespace bhemu::check {
namespace {

using tensix::Space;
constexpr u32 kOwnLdm = 0xFFB00000;

/// The first of the four registers that an instruction takes at once; of others nothing.
std::optional<u32> four_registers(u32 word) {
  namespace op = tensix::op;
  const op::STOREIND store{word};
  const op::WRCFG write{word};
  switch (tensix::opcode_of(word)) {
    case op::STOREIND::kOpcode:
      if (store.mem_hier_sel() == 0 || store.size_sel() != 0 || store.reg_size_sel() != 0)
        return std::nullopt;
      return store.data_reg_index() & ~3u;
    case op::WRCFG::kOpcode:
      if (write.wr128b() == 0) return std::nullopt;
      return write.gpr_address() & ~3u;
    default:
      return std::nullopt;
  }
}

}  // namespace

/// A load among the arguments, by a kernel: its own, or what it takes for them.
bool TileChecker::check_argument(const trace::Instruction& one, const trace::CoreAccess& access) {
  if (!layout_->settings.has(access.address) || layout_->semaphores.has(access.address))
    return false;
  const Range own = layout_->arguments[one.core];
  const Range common = layout_->common_arguments[one.core];
  if (own.has(access.address) || common.has(access.address)) return true;
  const bool has_either = common.end > common.begin || own.end > own.begin;
  const bool is_common = has_either && common.begin >= own.end && access.address >= common.begin;
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
  if (touch.space == Space::L1) {
    // What the packer reads of L1 it adds to.
    const bool packs = tensix::opcode_of(author.pc) == tensix::op::PACR::kOpcode;
    return read(touch.begin, touch.size, author,
                packs ? "it adds to (L1 accumulation is on)" : "it reads");
  }
  if (!has(CheckGroup::Uninitialised)) return;
  const auto complain = [&](u32 row) {
    raise(Rule::UninitialisedRegister, author, fmt::format("it reads {}", source_of(touch, row)));
  };
  if (touch.space == Space::Gpr) {
    const std::optional<u32> group = four_registers(author.pc);
    for (u32 row = touch.begin; row < touch.end(); ++row) {
      if (gpr_[row] != 0) continue;
      const u32 first = row & ~3u;
      // What takes four takes neighbours along that mean nothing.
      const bool beside = group && first % tensix::kGprs == *group &&
                          std::any_of(&gpr_[first], &gpr_[first] + 4, [](u8 set) { return set; });
      if (!beside) return complain(row);
    }
    return;
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

/// How counters go on after an instruction is a thread's own setting: another thread's does not
/// count.
void TileChecker::check_address_mode(const trace::Issue& one) {
  constexpr u32 kFirst = tensix::thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord;
  const u32 mode = tensix::op::PACR{one.operation.author.pc}.addr_mode();
  const u32 word = kFirst + mode;
  if (thread_config_[one.thread * tensix::kThreadConfigWords + word]) return;
  std::string others;
  for (u32 other = 0; other < kThreads; ++other)
    if (thread_config_[other * tensix::kThreadConfigWords + word])
      others += fmt::format("; thread {} has set its own", other);
  raise(Rule::UninitialisedRegister, one.operation.author,
        fmt::format("it uses address mode {} of the packer, which thread {} has not set in "
                    "this launch (ADDR_MOD_PACK_SEC{}; each thread has its own){}",
                    mode, one.thread, mode, others));
}

/// A tile all of which is as it was cleared: the matrix or vector unit has worked elsewhere, or not
/// at all.
void TileChecker::check_computed(const trace::Issue& one) {
  const u32 word = one.operation.author.pc;
  const u32 opcode = word >> 24;
  const bool clears = opcode == tensix::op::ZEROACC::kOpcode;
  const bool packs = opcode == tensix::op::PACR::kOpcode;
  for (const tensix::Touch& touch : *one.touches) {
    if (touch.space != Space::Dst) continue;
    const u32 end = static_cast<u32>(std::min<u64>(touch.end(), tensix::kDstRows));
    if (touch.begin >= end) continue;
    if (packs && tensix::reads(touch.access)) {
      for (u32 row = touch.begin; row < end; ++row) cleared_.any_packed |= !cleared_.rows[row];
      cleared_.first_packed = std::min(cleared_.first_packed, touch.begin);
    } else if (tensix::writes(touch.access)) {
      std::fill(cleared_.rows.begin() + touch.begin, cleared_.rows.begin() + end, clears);
      if (!clears) cleared_.computed_row = end - 1;
      (clears ? cleared_.last : cleared_.computed) = one.operation.author;
      (clears ? cleared_.last_pusher : cleared_.computed_pusher) = pusher_of(one);
    }
  }
  if (!packs || tensix::op::PACR{word}.last() == 0) return;
  if (!cleared_.any_packed && cleared_.first_packed < tensix::kDstRows) {
    const Author& computed = cleared_.computed;
    const std::string last_at = place_of(cleared_.last_pusher);
    const std::string computed_at = place_of(cleared_.computed_pusher);
    raise(
        Rule::UninitialisedRegister, one.operation.author,
        fmt::format(
            "it packs Dst from row {} on, where nothing was computed since {} cleared it in cycle "
            "{}{}{}{}; {}",
            cleared_.first_packed, name_of(cleared_.last.agent), cleared_.last.cycle,
            last_at.empty() ? "" : " at ", last_at,
            cleared_.last.agent == one.operation.author.agent &&
                    computed.cycle < cleared_.last.cycle
                ? " (Dst has to be packed before it is cleared and handed back)"
                : "",
            computed.cycle == 0
                ? std::string("nothing was computed anywhere in Dst in this launch")
                : fmt::format("what was computed last is row {}, by {} in cycle {}{}{}",
                              cleared_.computed_row, name_of(computed.agent), computed.cycle,
                              computed_at.empty() ? "" : " at ", computed_at)));
  }
  cleared_.any_packed = false;
  cleared_.first_packed = tensix::kDstRows;
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
