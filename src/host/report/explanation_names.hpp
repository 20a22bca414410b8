// Of the explanations of waits: who is who, what each one does, and the words of comparisons.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "base/bits.hpp"
#include "host/boot/mailboxes.hpp"
#include "host/report/explanation.hpp"
#include "noc/niu_state.hpp"
#include "noc/registers.hpp"
#include "tensix/state.hpp"
#include "tile/tile.hpp"

namespace bhemu::host::explaining {

inline std::string text_of(Coord tile) {
  return fmt::format("({}, {})", tile.x, tile.y);
}

inline std::string counted(u32 count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

inline std::string wanted_text(Relation relation, u32 wanted) {
  switch (relation) {
    case Relation::Equal:
      return fmt::format("exactly {:#x}", wanted);
    case Relation::NotEqual:
      return fmt::format("anything but {:#x}", wanted);
    case Relation::Less:
      return fmt::format("less than {:#x}", wanted);
    case Relation::AtLeast:
      return fmt::format("at least {:#x}", wanted);
  }
  return "";
}
inline std::string wanted_text(const Standing& one) {
  return wanted_text(one.relation, one.wanted);
}

/// "NAME to be at least 0x4; it is 0x3", "bit 2 of NAME to be set; it is 0x3".
inline std::string compared_text(const Standing& one, const std::string& name) {
  if (!one.compared) return fmt::format("{} to change; it is {:#x}", name, one.whole);
  if (one.mask == ~0u)
    return fmt::format("{} to be {}; it is {:#x}", name, wanted_text(one), one.value);
  const u32 low = static_cast<u32>(std::countr_zero(one.mask));
  const bool single = std::popcount(one.mask) == 1;
  if (one.mask == 0xFFu << low && low % 8 == 0 && one.value == (one.whole >> low & 0xFF))
    return fmt::format("byte {} of {} to be {}; it is {:#x} (the word is {:#010x})", low / 8, name,
                       wanted_text(one), one.value, one.whole);
  const std::string which =
      single ? fmt::format("bit {}", low) : fmt::format("the bits {:#x}", one.mask);
  const bool any = one.relation == Relation::NotEqual && one.wanted == 0;
  const bool none = one.relation == Relation::Equal && one.wanted == 0;
  if (any || none)
    return fmt::format("{} of {} to be {}; the word is {:#x}", which, name, any ? "set" : "clear",
                       one.whole);
  return fmt::format("{} of {} to be {}; they are {:#x} (the word is {:#x})", which, name,
                     wanted_text(one), one.value, one.whole);
}

/// The uses that tt-metal's and tt-llk's kernels make of the coprocessor's semaphores
/// (tt-llk tt_llk_blackhole/common/inc/ckernel_structs.h).
inline std::string semaphore_name(u32 index) {
  static constexpr const char* kNames[] = {"", "MATH_PACK", "UNPACK_TO_DEST", "", "", "UNPACK_SYNC",
                                           "", "MATH_DONE"};
  const std::string name = kNames[index % 8];
  return name.empty() ? fmt::format("Tensix semaphore {}", index)
                      : fmt::format("Tensix semaphore {} ({})", index, name);
}

class Names {
 public:
  explicit Names(const Context& context)
      : device_(context.device), situation_(context.situation), code_(context.code) {}

  tile::Tile& tile_of(const Standing& one) const { return *device_.tile_of(one.node); }

  // --- Who is who.

  std::string name(const Standing& one, bool alone) const {
    size_t tiles = 0;
    for (const Standing& other : situation_.standing)
      tiles += other.agent == one.agent && other.pc == one.pc && other.want == one.want &&
               other.index == one.index && other.value == one.value;
    std::string text = fmt::format("{} of {}", bhemu::name_of(one.agent), text_of(one.tile));
    if (tiles > 1 && !alone)
      text += fmt::format(" (and of {})", counted(static_cast<u32>(tiles - 1), "more tile"));
    return text;
  }

  /// "has ended", "is held in reset", "waits itself at ..."
  std::string doing(tile::Tile& tile, NodeId node, Agent agent) const {
    const CoreId core = core_of(agent);
    switch (stand_of(tile, launch_of(tile, situation_.kernel_base), core)) {
      case CoreStand::InReset:
        return "is held in reset";
      case CoreStand::Idle:
        return "has no kernel in this launch";
      case CoreStand::Ended:
        return "has ended its kernel";
      case CoreStand::Faulted:
        return "was stopped by a fault";
      case CoreStand::Busy:
        break;
    }
    const CodeMap::Location place = code_.locate(agent, tile.core(core).pc, device_.coord_of(node));
    const auto waiting =
        std::find_if(situation_.standing.begin(), situation_.standing.end(),
                     [&](const Standing& one) { return one.node == node && one.agent == agent; });
    if (waiting == situation_.standing.end()) return "runs" + at(place.user());
    return fmt::format("waits itself{}{}", at(place.users()), briefly(*waiting));
  }

  /// " for room in CB 24", of one who is not the matter; nothing where that takes more words.
  static std::string briefly(const Standing& one) {
    switch (one.want) {
      case Want::CbPages:
        return fmt::format(" for {} in CB {}", counted(one.wanted, "page"), one.index);
      case Want::CbRoom:
        return fmt::format(" for room in CB {}", one.index);
      case Want::Semaphore:
        return " for " + semaphore_name(one.index);
      case Want::Word:
        return fmt::format(" for L1[{:#07x}]", one.address);
      case Want::Mutex:
        return fmt::format(" for mutex {}", one.index);
      case Want::Answers:
        return fmt::format(" for answers on NoC {}", one.index);
      default:
        return "";
    }
  }

  static std::string plural(std::string text) {
    static constexpr std::pair<const char*, const char*> kForms[] = {
        {"is held", "are held"},
        {"has ended its kernel", "have ended their kernels"},
        {"was stopped", "were stopped"},
        {"waits itself", "wait themselves"},
        {"runs", "run"},
        {"has no", "have no"}};
    for (const auto& [one, many] : kForms)
      if (text.starts_with(one)) return many + text.substr(std::string(one).size());
    return text;
  }

  /// What the cores of a tile do, those that do the same together.
  std::string cores_of(tile::Tile& tile, NodeId node, Agent except) const {
    std::vector<std::pair<std::string, std::string>> groups;
    for (unsigned i = 0; i < tile.shape().cores; ++i) {
      const Agent agent = agent_of(tile.shape().core[i]);
      if (agent == except) continue;
      const std::string does = doing(tile, node, agent);
      if (does == "has no kernel in this launch") continue;
      const auto same = std::find_if(groups.begin(), groups.end(),
                                     [&](const auto& group) { return group.second == does; });
      if (same != groups.end())
        same->first += fmt::format(", {}", name_of(agent));
      else
        groups.emplace_back(name_of(agent), does);
    }
    std::string text;
    for (const auto& [who, does] : groups)
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", who,
                          who.find(',') == std::string::npos ? does : plural(does));
    return text.empty() ? "no other core of the tile runs a kernel" : text;
  }

  // --- What was sent to many.

  /// A multicast that is still in a command buffer.
  struct Multicast {
    Written to;
    noc::Command command;
    bool around_sender = false;  // its sender is in the rectangle
    u32 reached = 0;
  };
  /// A rectangle that ends before it begins goes round the torus.
  static bool in_span(u32 value, u32 first, u32 last) {
    return first <= last ? value >= first && value <= last : value >= first || value <= last;
  }
  /// The last ones of this tile on a NoC.
  std::vector<Multicast> multicasts_of(const Standing& one, unsigned noc) const {
    const noc::NiuState& state = tile_of(one).niu(noc).state();
    std::vector<Multicast> sent;
    for (u32 buffer = 0; buffer < 4; ++buffer) {
      const auto field = [&](u32 offset) { return state.words[(buffer * 0x800 + offset) / 4]; };
      Deed deed;
      deed.kind = Deed::Kind::Request;
      deed.noc = noc;
      deed.command.control = field(noc::niu::NOC_CTRL);
      deed.command.target_coordinate = field(noc::niu::NOC_TARG_ADDR_HI);
      deed.command.return_coordinate = field(noc::niu::NOC_RET_ADDR_HI);
      deed.command.target_address = field(noc::niu::NOC_TARG_ADDR_LO);
      deed.command.return_address = field(noc::niu::NOC_RET_ADDR_LO);
      deed.command.length = field(noc::niu::NOC_AT_LEN_BE);
      if (!deed.command.broadcast()) continue;
      const std::optional<Written> written = written_by(deed);
      if (!written) continue;
      Multicast multicast{*written, deed.command, false, 0};
      for (const Coord tile : device_.board().tensix()) {
        if (!in_span(tile.x, written->first.x, written->last.x) ||
            !in_span(tile.y, written->first.y, written->last.y))
          continue;
        multicast.around_sender |= tile == one.tile;
        multicast.reached += !(tile == one.tile) || deed.command.include_source();
      }
      sent.push_back(multicast);
    }
    return sent;
  }

  /// A thread of the coprocessor acts for its core.
  static Agent core_behind(Agent agent) {
    const unsigned thread = static_cast<unsigned>(agent) - static_cast<unsigned>(Agent::Thread0);
    return thread < kThreads ? agent_of(static_cast<CoreId>(index_of(CoreId::Trisc0) + thread))
                             : agent;
  }

 protected:
  Device& device_;
  const Situation& situation_;
  const CodeMap& code_;
};

}  // namespace bhemu::host::explaining
