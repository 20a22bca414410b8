#include "host/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/wakeup.hpp"
#include "noc/packet.hpp"
#include "riscv/disasm.hpp"
#include "tensix/disasm.hpp"

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
                  std::optional<Coord> tile) {
  // What is added later lies over what was there.
  entries_.insert(entries_.begin(), {core, &elf, run_base, link_base, bytes, tile});
}

void CodeMap::add(const CodeMap& other) {
  entries_.insert(entries_.end(), other.entries_.begin(), other.entries_.end());
}

CodeMap::Location CodeMap::locate(Agent agent, u32 pc, std::optional<Coord> tile) const {
  Location location;
  if (!is_core(agent)) return location;
  for (const Entry& entry : entries_) {
    if (agent_of(entry.core) != agent || pc < entry.run_base || pc - entry.run_base >= entry.bytes)
      continue;
    if (entry.tile && entry.tile != tile) continue;
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

std::string CodeMap::Location::user() const {
  for (const SourceFrame& frame : frames)
    if (!frame.is_library() && !(is_entry(frame) && frames.size() > 1))
      return frame_text(frame, true);
  return text();
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
    case Awaited::LastInstruction:
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

FaultReport report_of(const Fault& fault, Coord tile, std::string instruction,
                      const CodeMap& code) {
  const CodeMap::Location location = code.locate(fault.agent, fault.pc, tile);
  return {fault, tile, location.text(), location.user(), std::move(instruction)};
}

std::vector<FaultReport> fault_reports(Device& device, const CodeMap& code) {
  std::vector<FaultReport> reports;
  for (const Fault& fault : device.faults()) {
    const Coord tile = device.coord_of(fault.node);
    reports.push_back(report_of(fault, tile, instruction_at(device, fault, tile), code));
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
         a.fault.agent == b.fault.agent && a.fault.pc == b.fault.pc && a.where == b.where &&
         a.fault.text == b.fault.text;
}

std::string first_cause_text(const FaultReport& report) {
  const std::string at = report.user.empty() ? report.instruction : report.user;
  return fmt::format("First cause: {} of ({}, {}){}{} broke the rule {}: {}\n",
                     name_of(report.fault.agent), report.tile.x, report.tile.y,
                     at.empty() ? "" : " at ", at, info_of(report.fault.rule).name,
                     report.fault.text);
}

}  // namespace

std::string fault_text(std::span<const FaultReport> reports, size_t all_tiles) {
  std::string text;
  // The first error: what comes later may be its consequence.
  const auto first = std::find_if(reports.begin(), reports.end(), [](const FaultReport& report) {
    return report.fault.severity == Severity::Error;
  });
  if (first != reports.end()) text += first_cause_text(*first);
  std::vector<bool> told(reports.size());
  for (size_t i = 0; i < reports.size(); ++i) {
    if (told[i]) continue;
    std::vector<Coord> tiles;
    for (size_t j = i; j < reports.size(); ++j) {
      if (told[j] || !alike(reports[i], reports[j])) continue;
      told[j] = true;
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
    if (!report.where.empty()) text += fmt::format("\n  in {}", report.where);
    text += fmt::format("\n  rule: {} ({})\n", rule.summary, rule.section);
  }
  return text;
}

}  // namespace bhemu::host
