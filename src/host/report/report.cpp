#include "host/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/wakeup.hpp"
#include "host/report/callers.hpp"
#include "host/report/cause.hpp"
#include "host/report/launch_mistakes.hpp"
#include "host/report/wrong_image.hpp"
#include "noc/packet.hpp"
#include "riscv/disasm.hpp"
#include "tensix/disasm.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

bool is_thread(Agent agent) {
  return agent >= Agent::Thread0 && agent <= Agent::Thread2;
}

/// What `pc` of a fault means, as text; empty when it cannot be known.
std::string instruction_at(Device& device, const Fault& fault, Coord tile) {
  if (is_thread(fault.agent)) return tensix::disassemble(fault.pc);
  u32 word = 0;
  const bool readable = is_core(fault.agent) && fault.pc % 4 == 0 && fault.pc < kL1Size &&
                        device.tile_of(fault.node) != nullptr;
  if (!readable || !device.read32(tile, fault.pc, word)) return "";
  return riscv::disassemble(word, fault.pc);
}

std::string pc_text(Agent agent, u32 pc) {
  if (is_core(agent)) return fmt::format("pc {:#x}", pc);
  return is_thread(agent) ? fmt::format("instruction {:#010x}", pc) : "";
}

}  // namespace

void CodeMap::add(CoreId core, const Elf& elf, u32 run_base, u32 link_base, u32 bytes,
                  std::optional<Coord> tile, Cycle since, bool as_linked) {
  // What is added later lies over what was there.
  entries_.insert(entries_.begin(),
                  {core, &elf, run_base, link_base, bytes, tile, since, as_linked});
}

void CodeMap::add(const CodeMap& other) {
  entries_.insert(entries_.end(), other.entries_.begin(), other.entries_.end());
}

CodeMap::Location CodeMap::locate(Agent agent, u32 pc, std::optional<Coord> tile,
                                  Cycle when) const {
  Location location;
  if (!is_core(agent)) return location;
  for (const Entry& entry : entries_) {
    if (agent_of(entry.core) != agent || pc < entry.run_base || pc - entry.run_base >= entry.bytes)
      continue;
    if ((entry.tile && entry.tile != tile) || entry.since > when) continue;
    const u32 linked = pc - entry.run_base + entry.link_base;
    location.image = entry.elf->name();
    if (const Symbol* function = entry.elf->function_at(linked)) location.function = function->name;
    if (const auto line = entry.elf->line_at(linked))
      location.source = fmt::format("{}:{}", line->file, line->line);
    location.frames = entry.elf->frames_at(linked);
    location.linked = linked;
    location.elf = entry.elf;
    return location;
  }
  return location;
}

namespace {

std::string frame_text(const SourceFrame& frame, bool whole_path) {
  const size_t slash = whole_path ? std::string::npos : frame.file.rfind('/');
  const std::string file = slash == std::string::npos ? frame.file : frame.file.substr(slash + 1);
  const std::string place = fmt::format("{}:{}", file, frame.line);
  return frame.function.empty() ? place : fmt::format("{} ({})", frame.function, place);
}

/// What calls a kernel's function says nothing that the function does not.
bool is_entry(const SourceFrame& frame) {
  return frame.function == "_start";
}

}  // namespace

std::string CodeMap::Location::text() const {
  if (image.empty()) return "";
  std::string chain;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (i != 0 && is_entry(frames[i])) continue;
    // Only a chain that leads to somebody else's code can do without the folders of a library.
    const bool whole = !frames[i].is_library() || frames.size() == 1;
    chain += (i == 0 ? "" : " < ") + frame_text(frames[i], whole);
  }
  if (!chain.empty()) return chain;
  const std::string& place = source.empty() ? image : source;
  return function.empty() ? place : fmt::format("{} ({})", function, place);
}

namespace {

constexpr size_t kMostUsers = 3;

/// The user's frames, from the innermost on, until `enough` says so.
template <class Enough>
std::string users_of(const CodeMap::Location& location, Enough&& enough) {
  std::string chain;
  size_t count = 0;
  for (const SourceFrame& frame : location.frames) {
    if (frame.is_library() || (is_entry(frame) && location.frames.size() > 1)) continue;
    chain += (chain.empty() ? "" : " < ") + frame_text(frame, true);
    if (++count == kMostUsers || enough(frame)) break;
  }
  return chain.empty() ? location.text() : chain;
}

}  // namespace

std::string CodeMap::Location::user() const {
  // A helper in a header serves many: who calls it says more.
  return users_of(*this, [](const SourceFrame& frame) {
    const size_t dot = frame.file.rfind('.');
    return dot == std::string::npos || !frame.file.substr(dot).starts_with(".h");
  });
}

std::string CodeMap::Location::users() const {
  return users_of(*this, [](const SourceFrame&) { return false; });
}

const char* name_of(Relation relation) {
  constexpr const char* kNames[] = {"==", "!=", "<", ">="};
  return kNames[static_cast<unsigned>(relation)];
}

// tidy: allow function-length: a line or two per kind
std::vector<WaitPart> parts_of(const Wait& wait) {
  std::vector<WaitPart> parts{{"kind", std::string(name_of(wait.kind))}};
  const auto add = [&](const char* name, u64 value) { parts.push_back({name, value}); };
  switch (wait.kind) {
    case Awaited::Word:
    case Awaited::ComparedWord:
      add("address", wait.address);
      add("value", wait.value);
      break;
    case Awaited::Stream:
      add("stream", wait.index);
      add("register", wait.address);
      add("value", wait.value);
      break;
    case Awaited::Pages:
      add("stream", wait.index);
      add("received", wait.value);
      add("acknowledged", wait.other);
      break;
    case Awaited::Answers:
      add("noc", wait.index);
      parts.push_back(
          {"request", std::string(noc::name_of(static_cast<noc::PacketKind>(wait.packet)))});
      add("count", wait.value);
      add("node", wait.node);
      add("address", wait.address);
      add("since", wait.since);
      break;
    case Awaited::Remote:
      add("node", wait.node);
      add("address", wait.address);
      break;
    case Awaited::SemaphoreSeen:
    case Awaited::Semaphore:
      add("semaphore", wait.index);
      add("value", wait.value);
      break;
    case Awaited::StreamPhase:
    case Awaited::StreamMessages:
      add("stream_select", wait.index);
      break;
    case Awaited::Register:
      parts.push_back({"register", std::string(name_of(static_cast<Resource>(wait.index)))});
      break;
    case Awaited::TtSync:
      add("thread", wait.index);
      add("address", wait.address);
      break;
    case Awaited::Condition:
      parts.push_back({"condition", fmt::format("C{}", wait.index)});
      break;
    case Awaited::SourceValid:
    case Awaited::SourceFree:
      parts.push_back({"source", std::string(wait.index == 0 ? "SrcA" : "SrcB")});
      break;
    case Awaited::TdmaRoom:
      add("commands", wait.value);
      if (wait.since != 0) add("until_cycle", wait.since);
      break;
    case Awaited::LastInstruction:
    case Awaited::Time:
    case Awaited::UnitFree:
      if (wait.since != 0) add("until_cycle", wait.since);
      break;
    case Awaited::Nothing:
    case Awaited::PcBufWord:
    case Awaited::PackedTile:
    case Awaited::Debugger:
    case Awaited::Lifted:
    case Awaited::SoftReset:
    case Awaited::Fault:
      break;
    default:
      add("index", wait.index);
  }
  if (wait.until == Until::NotEqual || wait.until == Until::Less || wait.until == Until::AtLeast) {
    parts.push_back({"relation", std::string(name_of(wait.until))});
    add("wanted", wait.wanted);
  }
  std::vector<std::string> holders;
  for (unsigned agent = 0; agent < kAgents; ++agent)
    if (wait.is_held_by(static_cast<Agent>(agent)))
      holders.emplace_back(name_of(static_cast<Agent>(agent)));
  if (!holders.empty()) parts.push_back({"holders", std::move(holders)});
  return parts;
}

namespace {

/// "BRISC pc 0x8a10" in a text becomes "Fill (writer.c:12)" where that is known; `user`: the first
/// such place.
std::string with_places(std::string text, const CodeMap& code, Coord tile, std::string& user) {
  for (unsigned i = 0; i < kAgents; ++i) {
    const Agent agent = static_cast<Agent>(i);
    if (!is_core(agent)) continue;
    const std::string mark = fmt::format("{} pc 0x", name_of(agent));
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
      size_t end = at + mark.size();
      while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
      const u32 pc = static_cast<u32>(std::stoul(text.substr(at + mark.size(), end), nullptr, 16));
      const std::string place = code.locate(agent, pc, tile).user();
      if (user.empty()) user = place;
      if (!place.empty()) text.replace(at, end - at, place);
      at += place.empty() ? mark.size() : place.size();
    }
  }
  return text;
}

}  // namespace

namespace {

/// A request that a NIU refuses was asked for by a core, of another tile as a rule: "issued by
/// BRISC of Tensix (3,2) at pc 0x8770" names both.
void find_issuer(FaultReport& report, const CodeMap& code) {
  static const std::string kMark = "issued by ";
  std::string& text = report.fault.text;
  const size_t at = text.find(kMark);
  const size_t place = text.find(" at pc 0x", at);
  if (at == std::string::npos || place == std::string::npos) return;
  const size_t open = text.rfind('(', place);
  unsigned x = 0;
  unsigned y = 0;
  if (open == std::string::npos || open < at ||
      std::sscanf(text.c_str() + open, "(%u,%u)", &x, &y) != 2)
    return;
  for (unsigned i = 0; i < kAgents; ++i) {
    const Agent agent = static_cast<Agent>(i);
    if (!is_core(agent) || !text.substr(at + kMark.size()).starts_with(name_of(agent))) continue;
    report.issuer = {agent, {static_cast<u8>(x), static_cast<u8>(y)}};
    const CodeMap::Location location = code.locate(agent, report.fault.pc, report.issuer->tile);
    report.where = location.text();
    report.user = location.users();
    if (!report.user.empty()) text.replace(place, std::string::npos, " at " + report.user);
    return;
  }
}

/// What the text of a fault says beyond its rule may want something else done.
const char* remedy_for(const Fault& fault) {
  const auto says = [&](const char* words) { return fault.text.find(words) != std::string::npos; };
  if (fault.rule == Rule::CbPushBeforeRead && says("two cores fill this buffer"))
    return "let one core fill a buffer, or give each of them one of its own: the write pointer is "
           "a core's own, and only the count of pages is common";
  if (fault.rule == Rule::CbOverrun && says("and it does neither"))
    return "keep what a kernel writes for itself off the circular buffers (give it an address of "
           "its own), or have it take part: reserve a page, fill it and push it";
  if (fault.rule == Rule::UninitialisedL1 && is_core(fault.agent) && says("it has pushed a page") &&
      index_of(core_of(fault.agent)) >= index_of(CoreId::Trisc0))
    return "have the thread hand the page over, behind the packer (STALLWAIT on PACK, then "
           "STOREREG; "
           "cb_push_back): a store of the core does not wait for what it has pushed";
  if (fault.rule == Rule::UninitialisedL1 && says("(L1 accumulation is on)"))
    return "let the first tile of a sum be packed with L1 accumulation off (Pack_L1_Acc; "
           "pack_reconfig_l1_acc), so that it writes over what was there, or clear the page before";
  return remedy_of(fault.rule);
}

/// An assertion knows its own line; the instruction there may belong to the next one.
void find_assertion(FaultReport& report) {
  const std::string& text = report.fault.text;
  const size_t end = text.rfind(" does not hold");
  const size_t begin = text.rfind(" at ", end);
  if (end == std::string::npos || begin == std::string::npos) return;
  const std::string place = text.substr(begin + 4, end - begin - 4);
  if (report.user.find(place) == std::string::npos) report.user = place;
}

}  // namespace

FaultReport report_of(const Fault& fault, Coord tile, std::string instruction,
                      const CodeMap& code) {
  const CodeMap::Location location = code.locate(fault.agent, fault.pc, tile);
  FaultReport report{fault, tile, location.text(), location.users(), std::move(instruction)};
  report.remedy = remedy_for(fault);
  std::string asked;
  report.fault.text = with_places(fault.text, code, tile, asked);
  if (!is_core(fault.agent) && !is_thread(fault.agent)) find_issuer(report, code);
  if (fault.rule == Rule::KernelAssert) find_assertion(report);
  // What came over the NoC has no place of its own but that of the core which asked for it.
  if (!is_thread(fault.agent) && (!is_core(fault.agent) || report.user.empty()) && !report.issuer)
    report.user = asked;
  // Checks know who has pushed an instruction of a thread.
  constexpr const char* kPushed = " (pushed at ";
  if (const size_t at = report.fault.text.find(kPushed);
      is_thread(fault.agent) && at != std::string::npos && !asked.empty()) {
    std::string pushed = report.fault.text.substr(at + std::string_view(kPushed).size());
    pushed.erase(pushed.rfind(')'));
    if (pushed.find(" pc 0x") == std::string::npos) report.user = std::move(pushed);
    report.fault.text.erase(at);
  }
  return report;
}

namespace {

/// Where the word of a thread's fault was pushed from, if the tile has kept that in mind.
std::vector<std::string> places_of_pushes(tile::Tile& tile, const Fault& fault, Coord where,
                                          const CodeMap& code) {
  std::vector<std::string> places;
  const tile::Checks* checks = tile.checks();
  if (checks == nullptr || checks->pushes() == nullptr) return places;
  for (const tile::PushLog::From& from : checks->pushes()->origins_of(fault)) {
    std::string place = code.locate(from.core, from.pc, where).users();
    if (place.empty()) continue;
    if (from.by_mop) place = "the MOP with what was set at " + place;
    if (std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(std::move(place));
  }
  return places;
}

/// Where the word of a thread's fault stands in its kernel or was pushed from; else where the
/// thread's core is now.
std::string place_of_thread(Device& device, const Fault& fault, Coord tile, const CodeMap& code) {
  tile::Tile* at = device.tile_of(fault.node);
  if (at == nullptr || !at->shape().is_tensix()) return "";
  const unsigned thread =
      static_cast<unsigned>(fault.agent) - static_cast<unsigned>(Agent::Thread0);
  constexpr size_t kMost = 3;
  const LaunchView launch = launch_of(*at, 0);
  std::vector<std::string> places = places_of_word(*at, launch, tile, thread, fault.pc, code);
  if (places.size() != 1) {
    std::vector<std::string> pushes = places_of_pushes(*at, fault, tile, code);
    if (!pushes.empty() && (places.empty() || pushes.size() < places.size()))
      places = std::move(pushes);
  }
  if (!places.empty() && places.size() <= kMost)
    return fmt::format("{}", fmt::join(places, " or "));
  const CoreId core = static_cast<CoreId>(static_cast<unsigned>(CoreId::Trisc0) + thread);
  const u32 pc = at->core(core).pc;
  if (launch.valid && pc < launch.kernel_base) return "";
  const std::string place = code.locate(agent_of(core), pc, tile).user();
  return place.empty()
             ? ""
             : fmt::format("an instruction that {} pushed before {}", name_of(core), place);
}

/// The calls that have led to the place of an error: its core stands there still.
void look_at_callers(Device& device, FaultReport& report, const CodeMap& code) {
  tile::Tile* tile = device.tile_of(report.fault.node);
  if (tile == nullptr || report.fault.severity != Severity::Error || report.issuer) return;
  const riscv::CoreState& core = tile->core(core_of(report.fault.agent));
  const std::vector<u32> sites =
      call_sites(core, report.fault.pc, report.fault.agent, report.tile, code);
  add_callers(report.user, report.where, sites, report.fault.agent, report.tile, code);
}

/// What the registers of the core that has stopped add to it: a stack that has left local memory,
/// the place from which something was called that is no code.
void look_at_core(Device& device, FaultReport& report, const CodeMap& code) {
  const Fault& fault = report.fault;
  tile::Tile* tile = device.tile_of(fault.node);
  if (tile == nullptr || fault.severity != Severity::Error) return;
  const riscv::CoreState& core = tile->core(core_of(fault.agent));
  constexpr u32 kReturn = 1;
  constexpr u32 kStackPointer = 2;
  constexpr u32 kNear = 1u << 20;
  const u32 sp = core.x[kStackPointer];
  if (fault.rule == Rule::TileUnmappedAddress && sp < riscv::kLdmBase &&
      sp >= riscv::kLdmBase - kNear) {
    report.fault.text += fmt::format(
        ": its stack pointer is {:#x}, but local memory begins at {:#x}, so the stack has "
        "overflowed",
        sp, riscv::kLdmBase);
    report.remedy = remedy_of(Rule::GuardStack);
    return;
  }
  if (fault.rule != Rule::RiscvIllegalInstruction && fault.rule != Rule::RiscvBadPc) return;
  if (!report.where.empty()) return;
  const std::string caller = code.locate(fault.agent, core.x[kReturn] - 4, report.tile).user();
  if (caller.empty()) return;
  report.user = caller;
  report.fault.text +=
      fmt::format(" ({:#x} lies in no kernel; the last call was made there)", fault.pc);
}

/// A core that never had code to run, or a launch message that no good can come of.
void look_at_launch(Device& device, FaultReport& report, const CodeMap& code) {
  if (report.fault.severity != Severity::Error || report.issuer) return;
  if (const auto mistake = launch_behind(device, report.fault, report.tile)) {
    report.behind = mistake->text;
    report.remedy = mistake->remedy;
  } else if (const auto image = wrong_image(device, report.tile, code)) {
    report.behind = image->text;
    report.remedy = image->remedy;
  }
}

}  // namespace

std::vector<FaultReport> fault_reports(Device& device, const CodeMap& code) {
  std::vector<FaultReport> reports;
  for (const Fault& fault : device.faults()) {
    const Coord tile = device.coord_of(fault.node);
    reports.push_back(report_of(fault, tile, instruction_at(device, fault, tile), code));
    if (is_thread(fault.agent) && reports.back().user.empty())
      reports.back().user = place_of_thread(device, fault, tile, code);
    look_at_launch(device, reports.back(), code);
    if (!is_core(fault.agent)) continue;
    look_at_callers(device, reports.back(), code);
    look_at_core(device, reports.back(), code);
  }
  return reports;
}

std::string tiles_text(std::span<const Coord> tiles, size_t all) {
  constexpr size_t kShown = 4;
  if (tiles.size() > 1 && tiles.size() == all) return fmt::format("all {} tiles", all);
  std::string text;
  for (size_t i = 0; i < std::min(tiles.size(), kShown); ++i)
    text += fmt::format("{}({}, {})", i == 0 ? "" : ", ", tiles[i].x, tiles[i].y);
  if (tiles.size() > kShown) text += fmt::format(" and {} more tiles", tiles.size() - kShown);
  return text;
}

std::string group_text(const WaiterGroup& group, size_t all_tiles) {
  std::string text =
      fmt::format("  {} of {}", name_of(group.agent), tiles_text(group.tiles, all_tiles));
  const std::string pc = pc_text(group.agent, group.pc);
  if (!pc.empty()) text += fmt::format(", {}", pc);
  if (!group.where.empty()) text += fmt::format(" in {}", group.where);
  text += fmt::format("\n    waits for: {}\n", group.what);
  if (!group.who.empty()) text += fmt::format("    could be released by: {}\n", group.who);
  return text;
}

namespace {

bool alike(const FaultReport& a, const FaultReport& b) {
  return a.fault.rule == b.fault.rule && a.fault.severity == b.fault.severity &&
         a.fault.agent == b.fault.agent && a.fault.pc == b.fault.pc && a.where == b.where;
}

}  // namespace

const FaultReport* first_of(std::span<const FaultReport> reports) {
  const FaultReport* warning = nullptr;
  for (const FaultReport& report : reports) {
    if (report.fault.severity == Severity::Error) return &report;
    if (warning == nullptr && is_check(report.fault.rule)) warning = &report;
  }
  return warning;
}

std::string sentence_of(const FaultReport& report, std::span<const FaultReport> all) {
  const std::string at = report.user.empty() ? report.instruction : report.user;
  std::vector<Coord> others;
  for (const FaultReport& other : all)
    if (alike(report, other) && !(other.tile == report.tile) &&
        std::find(others.begin(), others.end(), other.tile) == others.end())
      others.push_back(other.tile);
  const std::string more = others.empty() ? ""
                                          : fmt::format(" (and of {} more tile{})", others.size(),
                                                        others.size() == 1 ? "" : "s");
  const Agent agent = report.issuer ? report.issuer->agent : report.fault.agent;
  const Coord tile = report.issuer ? report.issuer->tile : report.tile;
  std::string text = report.fault.text;
  if (report.issuer) {
    const size_t issued = text.find(", issued by ");
    text = fmt::format("{} of ({}, {})", text.substr(0, issued), report.tile.x, report.tile.y);
  }
  std::string behind = report.behind;
  if (!behind.empty()) {
    behind[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(behind[0])));
    behind += ". So ";
  }
  return fmt::format("{}{} of ({}, {}){}{}{} broke the rule {}: {}", behind, name_of(agent), tile.x,
                     tile.y, more, at.empty() ? "" : " at ", at, info_of(report.fault.rule).name,
                     text);
}

FirstCause cause_of(const FaultReport& report, std::span<const FaultReport> all) {
  FirstCause cause;
  cause.sentence = sentence_of(report, all) + ".";
  cause.remedy = report.remedy;
  cause.rule = report.fault.rule;
  cause.place = report.user;
  cause.tile = report.issuer ? report.issuer->tile : report.tile;
  cause.agent = report.issuer ? report.issuer->agent : report.fault.agent;
  return cause;
}

std::string fault_text(std::span<const FaultReport> reports, size_t all_tiles, bool first_cause) {
  std::string text;
  // What comes later may be its consequence.
  if (const FaultReport* first = first_of(reports); first != nullptr && first_cause) {
    text += fmt::format("First cause: {}.\n", sentence_of(*first, reports));
    if (!first->remedy.empty()) text += fmt::format("Remedy: {}.\n", first->remedy);
  }
  std::vector<bool> told(reports.size());
  for (size_t i = 0; i < reports.size(); ++i) {
    if (told[i]) continue;
    std::vector<Coord> tiles;
    for (size_t j = i; j < reports.size(); ++j) {
      if (told[j] || !alike(reports[i], reports[j])) continue;
      told[j] = true;
      if (std::find(tiles.begin(), tiles.end(), reports[j].tile) == tiles.end())
        tiles.push_back(reports[j].tile);
    }
    const FaultReport& report = reports[i];
    const Fault& fault = report.fault;
    const RuleInfo& rule = info_of(fault.rule);
    text += fmt::format("{} [{}] {}\n", fault.severity == Severity::Error ? "Fault" : "Warning",
                        rule.name, fault.text);
    const std::string where = tiles.size() == 1
                                  ? fmt::format("tile ({}, {})", report.tile.x, report.tile.y)
                                  : tiles_text(tiles, all_tiles);
    text += fmt::format("  {} of {}, cycle {}", name_of(fault.agent), where, fault.cycle);
    const std::string pc = pc_text(fault.agent, fault.pc);
    if (!pc.empty()) text += fmt::format(", {}", pc);
    if (!report.instruction.empty()) text += fmt::format(": {}", report.instruction);
    if (!report.where.empty())
      text += fmt::format("\n  in {}", report.where);
    else if (!report.user.empty())
      text += fmt::format("\n  at {}", report.user);
    text += fmt::format("\n  rule: {} ({})\n", rule.summary, rule.section);
  }
  return text;
}

}  // namespace bhemu::host
