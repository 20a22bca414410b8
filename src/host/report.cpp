#include "host/report.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    return location;
  }
  return location;
}

std::string CodeMap::Location::text() const {
  if (image.empty()) return "";
  const std::string& place = source.empty() ? image : source;
  return function.empty() ? place : fmt::format("{} ({})", function, place);
}

std::vector<WaiterGroup> group_waiters(std::span<const WaiterOf> waiters, const CodeMap& code) {
  std::vector<WaiterGroup> groups;
  for (const WaiterOf& item : waiters) {
    const Waiter& waiter = item.waiter;
    std::string where = code.locate(waiter.agent, waiter.pc, item.tile).text();
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const WaiterGroup& group) {
      return group.agent == waiter.agent && group.pc == waiter.pc && group.what == waiter.what &&
             group.who == waiter.who && group.where == where;
    });
    if (same != groups.end()) {
      same->tiles.push_back(item.tile);
      continue;
    }
    groups.push_back(
        {{item.tile}, waiter.agent, waiter.pc, std::move(where), waiter.what, waiter.who});
  }
  return groups;
}

std::vector<WaiterGroup> waiter_groups(Device& device, const CodeMap& code,
                                       std::span<const Coord> tiles) {
  std::vector<WaiterOf> waiters;
  for (Waiter& waiter : device.waiters()) {
    const Coord tile = device.coord_of(waiter.node);
    if (tiles.empty() || std::find(tiles.begin(), tiles.end(), tile) != tiles.end())
      waiters.push_back({tile, std::move(waiter)});
  }
  return group_waiters(waiters, code);
}

void name_words(std::span<WaiterGroup> groups, std::span<const KnownWord> words) {
  for (WaiterGroup& group : groups) {
    const bool only_word = group.what.find(';') == std::string::npos;
    for (const KnownWord& word : words) {
      const std::string plain = fmt::format("L1[0x{:05x}]", word.address);
      const size_t at = group.what.find(plain);
      if (at == std::string::npos) continue;
      group.what.replace(at, plain.size(), fmt::format("{} ({})", word.name, plain));
      if (only_word) group.who = word.who;
    }
  }
}

FaultReport report_of(const Fault& fault, Coord tile, std::string instruction,
                      const CodeMap& code) {
  return {fault, tile, code.locate(fault.agent, fault.pc, tile).text(), std::move(instruction)};
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

std::string hang_text(std::span<const WaiterGroup> groups, Cycle cycle, size_t all_tiles,
                      bool spinning) {
  std::string text = fmt::format("Hung at cycle {}: {}.\n", cycle,
                                 spinning ? "cores run, but only repeat themselves and get the "
                                            "same answers every time"
                                          : "nothing can ever happen again");
  if (groups.empty() && !spinning)
    text += "  No agent is running or waiting: all cores are in reset.\n";
  for (const WaiterGroup& group : groups) {
    text += fmt::format("  {} of {}", name_of(group.agent), tiles_text(group.tiles, all_tiles));
    const std::string pc = pc_text(group.agent, group.pc);
    if (!pc.empty()) text += fmt::format(", {}", pc);
    if (!group.where.empty()) text += fmt::format(" in {}", group.where);
    text += fmt::format("\n    waits for: {}\n", group.what);
    if (!group.who.empty()) text += fmt::format("    could be released by: {}\n", group.who);
  }
  return text;
}

std::string fault_text(std::span<const FaultReport> reports) {
  std::string text;
  for (const FaultReport& report : reports) {
    const Fault& fault = report.fault;
    const RuleInfo& rule = info_of(fault.rule);
    text += fmt::format("{} [{}] {}\n", fault.severity == Severity::Error ? "Fault" : "Warning",
                        rule.name, fault.text);
    text += fmt::format("  {} of tile ({}, {}), cycle {}", name_of(fault.agent), report.tile.x,
                        report.tile.y, fault.cycle);
    const std::string pc = pc_text(fault.agent, fault.pc);
    if (!pc.empty()) text += fmt::format(", {}", pc);
    if (!report.instruction.empty()) text += fmt::format(": {}", report.instruction);
    if (!report.where.empty()) text += fmt::format("\n  in {}", report.where);
    text += fmt::format("\n  rule: {} ({})\n", rule.summary, rule.section);
  }
  return text;
}

}  // namespace bhemu::host
