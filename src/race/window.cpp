#include "race/window.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bhemu::race {
namespace {

using tensix::info_of_word;
using tensix::opcode_of;
using tensix::Unit;
namespace op = tensix::op;

constexpr unsigned kNever = 0xFF;
constexpr u32 kThcon = 1u << 0;
constexpr u32 kMath = 1u << 4;
constexpr u32 kSfpu = 1u << 11;
constexpr u32 kConfigUnit = 1u << 12;

constexpr u32 kVd = 4;  // positions that the vector unit's instructions share
constexpr u32 kVc = 8;
constexpr u32 kVb = 12;
constexpr unsigned kIndirectVd = 8;
constexpr unsigned kFirstBackdoor = 12;
constexpr u64 kBackdoorSwitch = 18;  // Location LReg: LaneConfig.DISABLE_BACKDOOR_LOAD
constexpr unsigned kStateIdWord = 0;

u8 opcode(const Instruction& one) {
  return opcode_of(one.site.pc);
}
template <class... Op>
bool is_one_of(const Instruction& one) {
  return ((opcode(one) == Op::kOpcode) || ...);
}
Unit unit(const Instruction& one) {
  return info_of_word(one.site.pc).unit;
}

bool overlap(const std::vector<Location>& a, const std::vector<Location>& b, u32 places) {
  for (const Location& x : a) {
    if ((place_bit(x.place) & places) == 0) continue;
    for (const Location& y : b)
      if (x.place == y.place && x.begin < y.end() && y.begin < x.end()) return true;
  }
  return false;
}
bool uses(const Instruction& first, const Instruction& second, u32 places) {
  return overlap(first.writes, second.reads, places) ||
         overlap(first.writes, second.writes, places);
}

constexpr u32 kDst = place_bit(Place::Dst);

bool fpu_then_vector(const Instruction& first, const Instruction& second) {
  return unit(first) == Unit::Fpu && unit(second) == Unit::Sfpu && uses(first, second, kDst);
}

bool move_then_reader(const Instruction& first, const Instruction& second) {
  if (!is_one_of<op::MOVA2D, op::MOVB2D>(first)) return false;
  // Those that hardware holds (MOVA2D.md); those of the vector unit have a row of their own.
  if (is_one_of<op::MOVD2A, op::MOVD2B, op::ELWMUL, op::MVMUL, op::DOTPV, op::GMPOOL, op::GAPOOL,
                op::MFCONV3S1, op::CONV3S1, op::MPOOL3S1, op::APOOL3S1, op::CONV3S2, op::MPOOL3S2,
                op::APOOL3S2>(second) ||
      unit(second) == Unit::Sfpu)
    return false;
  // PACR and accumulating instructions are held by the interlock of the block (row 23).
  if (unit(second) == Unit::Pack) return false;
  return overlap(first.writes, second.reads, kDst);
}

bool macro_store_then_load(const Instruction& first, const Instruction& second) {
  return is_one_of<op::SFPLOADMACRO>(first) && is_one_of<op::SFPLOAD, op::SFPLOADMACRO>(second) &&
         overlap(first.macro_stores, second.reads, kDst);
}

/// A macro that a core pushes word by word: between it and what follows there can be bubbles.
bool macro_then_vector(const Instruction& first, const Instruction& second) {
  const auto by_core = [](const Instruction& one) {
    return one.site.origin == Origin::Queue || one.site.origin == Origin::Brisc;
  };
  return is_one_of<op::SFPLOADMACRO>(first) && first.macro_by_cycles && by_core(second) &&
         unit(second) == Unit::Sfpu && !is_one_of<op::SFPNOP>(second);
}

/// LRegs that a multiplying instruction writes, as a mask; 0 when it is none.
u32 written_by_multiplier(const Instruction& one) {
  const u32 word = one.site.pc;
  if (is_one_of<op::SFPLUT>(one)) {
    const op::SFPLUT view{word};
    return (view.instr_mod0() & kIndirectVd) != 0 ? 0xFFu : 1u << view.lreg_ind();
  }
  if (!is_one_of<op::SFPMAD, op::SFPADD, op::SFPMUL, op::SFPADDI, op::SFPMULI, op::SFPLUTFP32,
                 op::SFPMUL24>(one))
    return 0;
  const bool can_be_indirect = is_one_of<op::SFPMAD, op::SFPLUTFP32, op::SFPMUL24>(one);
  if (can_be_indirect && (bits(word, 0, 4) & kIndirectVd) != 0) return 0xFF;
  return 1u << bits(word, kVd, 4);
}

/// LRegs that an instruction reads and the automatic stall does not know of (SFPMAD.md, caution).
u32 read_unseen(const Instruction& one) {
  const u32 word = one.site.pc;
  const u32 mod1 = bits(word, 0, 4);
  const u32 vd = 1u << bits(word, kVd, 4);
  const u32 vc = 1u << bits(word, kVc, 4);
  const u32 vb = 1u << bits(word, kVb, 4);
  constexpr u32 kImmediate = 1;
  switch (opcode(one)) {
    case op::SFPAND::kOpcode:
    case op::SFPOR::kOpcode:
      // With USE_VB the stall looks at VD, which is then not read.
      return (mod1 & 1) != 0 ? vb & ~vd : 0;
    case op::SFPIADD::kOpcode:
      return (mod1 & kImmediate) != 0 ? 0 : vd & ~vc;
    case op::SFPSHFT::kOpcode:
      // VD is shifted, unless an immediate shifts VC.
      return (mod1 & 5) == 5 ? 0 : vd & ~vc;
    case op::SFPCONFIG::kOpcode:
      return (mod1 & 1) != 0 && bits(word, kVd, 4) > 3 ? 0 : 1;
    case op::SFPSWAP::kOpcode:
      return mod1 != 0 ? vd | vc : 0;
    case op::SFPSHFT2::kOpcode:
      if (mod1 == 2) return vc | 0xF;  // also moves LRegs 0 to 3 along
      if (mod1 == 3 || mod1 == 4) return vc;
      return mod1 == 5 || mod1 == 6 ? vb & ~vd : 0;
    default:
      return 0;
  }
}

bool mad_then_blind_reader(const Instruction& first, const Instruction& second) {
  return (written_by_multiplier(first) & read_unseen(second)) != 0;
}

bool wrcfg_then_user(const Instruction& first, const Instruction& second) {
  return is_one_of<op::WRCFG>(first) && overlap(first.writes, second.reads, place::AnyConfig);
}

bool shiftmask_then_user(const Instruction& first, const Instruction& second) {
  return is_one_of<op::CFGSHIFTMASK>(first) && unit(second) != Unit::Cfg &&
         overlap(first.writes, second.reads, place::AnyConfig);
}

/// A change of StateID is not seen by what comes after it in the same fused bundle.
bool state_id_in_bundle(const Instruction& first, const Instruction& second) {
  if (!is_one_of<op::SETC16>(first) || op::SETC16{first.site.pc}.setc16_reg() != kStateIdWord)
    return false;
  if (first.in_bundle == 0 || second.in_bundle <= first.in_bundle) return false;
  for (const Location& where : second.reads)
    if (where.place == Place::Config) return true;
  return false;
}

bool setdmareg_then_config(const Instruction& first, const Instruction& second) {
  if (!is_one_of<op::SETDMAREG>(first)) return false;
  const u32 written = op::SETDMAREG{first.site.pc}.reg_index_16b() / 2;
  if (is_one_of<op::WRCFG>(second)) {
    const op::WRCFG view{second.site.pc};
    return view.wr128b() != 0 ? view.gpr_address() / 4 == written / 4
                              : view.gpr_address() == written;
  }
  return is_one_of<op::REG2FLOP>(second) && op::REG2FLOP{second.site.pc}.reg_index() == written;
}

/// Loads into "LReg" 12 to 15 write instruction templates, or not, by the switch.
bool backdoor_then_load(const Instruction& first, const Instruction& second) {
  if (!is_one_of<op::SFPCONFIG>(first) || unit(second) != Unit::Sfpu) return false;
  bool switches = false;
  for (const Location& where : first.writes)
    switches |= where.place == Place::LReg && where.begin == kBackdoorSwitch;
  if (!switches || is_one_of<op::SFPNOP>(second)) return false;
  const bool load = is_one_of<op::SFPLOAD, op::SFPLOADI, op::SFPLUT>(second);
  return bits(second.site.pc, load ? 20 : kVd, 4) >= kFirstBackdoor;
}

struct WindowRow {
  EdgeId edge;
  bool (*matches)(const Instruction& first, const Instruction& second);
  unsigned gap;
  u32 conditions;
};
constexpr WindowRow kWindows[] = {
#define WINDOW(edge, matcher, gap, conditions) {EdgeId::edge, matcher, gap, conditions},
#include "race/windows.def"
#undef WINDOW
};

Finding found(EdgeId edge, u16 tile, const Instruction& first, const Instruction& second) {
  Finding finding;
  finding.kind = FindingKind::Window;
  finding.edge = edge;
  finding.tile = tile;
  for (const Location& where : second.reads) finding.where = where;
  if (!first.writes.empty()) finding.where = first.writes.front();
  // With all lanes switched off nothing is touched, this time.
  if (first.writes.empty() && unit(first) == Unit::Sfpu)
    finding.where = {Place::LReg, 1, bits(first.site.pc, kVd, 4)};
  const auto side = [](const Instruction& one) {
    const Part part = part_of_word(one.site.pc);
    const u32 kind = part == Part::Fpu ? kind::Fpu : part == Part::Sfpu ? kind::Sfpu : kind::Gate;
    const unsigned thread =
        static_cast<unsigned>(one.site.agent) - static_cast<unsigned>(Agent::Thread0);
    return Side{one.site,     {1, part_of(thread, part), one.site.tile}, kind, Mode::Read, true,
                one.pushed_at};
  };
  finding.first = side(first);
  finding.first.mode = Mode::Write;
  finding.second = side(second);
  return finding;
}

}  // namespace

/// A STALLWAIT after the first waits for its unit and holds the second.
bool WindowChecker::drained(std::size_t first, const Instruction& second, u32 conditions) const {
  for (std::size_t i = first + 1; i < recent_.size(); ++i) {
    if (!is_one_of<op::STALLWAIT>(recent_[i])) continue;
    const op::STALLWAIT view{recent_[i].site.pc};
    const u32 waits = view.wait_res() != 0 ? view.wait_res() : 0x0F;
    const u32 block = view.stall_res() != 0 ? view.stall_res() : 1u << 6;
    if ((waits & conditions) != 0 && (blocked_by(second.site.pc) & block) != 0) return true;
  }
  return false;
}

void WindowChecker::judge(std::size_t first, const Instruction& second) {
  // Of the matrix unit's instructions only its moves to Dst have others than the vector unit to
  // fear, and most instructions that come here are products.
  if (unit(recent_[first]) == Unit::Fpu && unit(second) != Unit::Sfpu &&
      !is_one_of<op::MOVA2D, op::MOVB2D>(recent_[first]))
    return;
  const std::size_t between = recent_.size() - first - 1;
  for (const WindowRow& row : kWindows) {
    if (row.gap != kNever && between >= row.gap) continue;
    if (!row.matches(recent_[first], second) || drained(first, second, row.conditions)) continue;
    Finding finding = found(row.edge, tile_, recent_[first], second);
    finding.detail =
        row.gap == kNever
            ? fmt::format(
                  "{} instructions lie between; no number is known to be "
                  "enough",
                  between)
            : fmt::format("{} instructions lie between, {} are needed", between, row.gap);
    const auto known = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& one) {
      return one.edge == finding.edge && same_finding(one, finding);
    });
    if (known != findings_.end()) {
      ++known->times;
    } else {
      findings_.push_back(std::move(finding));
    }
  }
}

/// Of a REPLAY, which is met in front of the gate.
void WindowChecker::recorded(const Instruction& one) {
  const op::REPLAY replay{one.site.pc};
  if (is_one_of<op::REPLAY>(one) && replay.load_mode() != 0 && one.gathering) {
    Finding finding = found(EdgeId::ReplayGathering, tile_, one, one);
    finding.where = {Place::Replay, replay.len() != 0 ? replay.len() : 32u,
                     thread_of_component(finding.first.epoch.component) * 32u + replay.start_idx()};
    finding.detail = "the core may fuse what it pushes while the REPLAY records";
    const auto same = [&](const Finding& other) {
      return other.edge == finding.edge && same_finding(other, finding);
    };
    if (std::none_of(findings_.begin(), findings_.end(), same))
      findings_.push_back(std::move(finding));
  }
}

void WindowChecker::issue(Instruction one) {
  for (std::size_t i = 0; i < recent_.size(); ++i) judge(i, one);
  recorded(one);
  recent_.push_back(std::move(one));
  if (recent_.size() > kReach) recent_.pop_front();
}

}  // namespace bhemu::race
