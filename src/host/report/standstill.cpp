#include "host/report/standstill.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/report/wrong_image.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

std::string relation_text(const Standing& one) {
  switch (one.relation) {
    case Relation::Equal:
      return fmt::format("{:#x}", one.wanted);
    case Relation::NotEqual:
      return fmt::format("not {:#x}", one.wanted);
    case Relation::Less:
      return fmt::format("less than {:#x}", one.wanted);
    case Relation::AtLeast:
      return fmt::format("at least {:#x}", one.wanted);
  }
  return "";
}

std::string what_of(const Standing& one, const tile::WaitNames& names) {
  std::string text = one.running ? "runs" : tile::what_of(one.waits, names);
  if (is_core(one.agent) && one.compared)
    text += fmt::format(" (has {:#x}, wants {})", one.value, relation_text(one));
  return text;
}

/// The group that the standing has joined, from `from` on.
size_t add(std::vector<WaiterGroup>& groups, size_t from, const Standing& one,
           const tile::WaitNames& names) {
  const std::string what = what_of(one, names);
  const std::string who = tile::who_of(one.waits, names);
  const auto same = std::find_if(groups.begin() + static_cast<std::ptrdiff_t>(from), groups.end(),
                                 [&](const WaiterGroup& group) {
                                   return group.agent == one.agent && group.pc == one.pc &&
                                          group.what == what && group.who == who &&
                                          group.where == one.where;
                                 });
  if (same != groups.end()) {
    same->tiles.push_back(one.tile);
    return static_cast<size_t>(same - groups.begin());
  }
  WaiterGroup group{{one.tile}, one.agent, one.pc, one.where, what, who, one.waits.all, {}, {}};
  if (one.compared) group.compared = Comparison{one.relation, one.value, one.wanted};
  groups.push_back(std::move(group));
  return groups.size() - 1;
}

/// Who waits for whom, between groups. `group_of`: by standing.
void connect(std::vector<WaiterGroup>& groups, const Situation& situation,
             const std::vector<size_t>& group_of) {
  for (size_t i = 0; i < situation.standing.size(); ++i) {
    std::vector<size_t>& edges = groups[group_of[i]].released_by;
    for (const size_t from : situation.standing[i].from) edges.push_back(group_of[from]);
  }
  for (WaiterGroup& group : groups) {
    std::sort(group.released_by.begin(), group.released_by.end());
    group.released_by.erase(std::unique(group.released_by.begin(), group.released_by.end()),
                            group.released_by.end());
  }
}

const char* headline(Standstill::Reason reason) {
  switch (reason) {
    case Standstill::Reason::Idle:
      return "Hung at cycle {}: nothing can ever happen again.\n";
    case Standstill::Reason::Spinning:
      return "Hung at cycle {}: cores run, but only repeat themselves and get the same answers "
             "every time.\n";
    case Standstill::Reason::Limit:
      return "Stopped at cycle {}: the cycle limit was reached.\n";
    case Standstill::Reason::Asked:
      return "At cycle {}:\n";
  }
  return "";
}

/// Cores that wait in firmware, those of the same tiles in one line.
std::string idle_text(std::span<const WaiterGroup> groups, size_t all_tiles) {
  struct Line {
    std::string agents;
    std::vector<Coord> tiles;
  };
  std::vector<std::pair<Agent, std::vector<Coord>>> by_agent;
  for (const WaiterGroup& group : groups) {
    auto entry = std::find_if(by_agent.begin(), by_agent.end(),
                              [&](const auto& item) { return item.first == group.agent; });
    if (entry == by_agent.end()) entry = by_agent.insert(by_agent.end(), {group.agent, {}});
    entry->second.insert(entry->second.end(), group.tiles.begin(), group.tiles.end());
  }
  std::vector<Line> lines;
  for (const auto& [agent, tiles] : by_agent) {
    const auto same = std::find_if(lines.begin(), lines.end(), [&here = tiles](const Line& line) {
      return line.tiles == here;
    });
    if (same != lines.end())
      same->agents += fmt::format(", {}", name_of(agent));
    else
      lines.push_back({name_of(agent), tiles});
  }
  std::string text;
  for (const Line& line : lines)
    text += fmt::format("{}{} of {}", text.empty() ? "  Idle, in firmware: " : "; ", line.agents,
                        tiles_text(line.tiles, all_tiles));
  return text.empty() ? "" : text + "\n";
}

}  // namespace

Standstill standstill_of(Device& device, const CodeMap& code, std::span<const Coord> tiles,
                         Standstill::Reason reason, std::span<const KnownWord> words,
                         Cycle launched, const Observed* observed) {
  const bool running = reason == Standstill::Reason::Limit || reason == Standstill::Reason::Asked;
  Situation situation = situation_of(device, code, tiles, running, observed);
  situation.launched = launched;
  Standstill result;
  result.reason = reason;
  result.cycle = situation.cycle;
  result.all_tiles = tiles.empty() ? device.board().tensix().size() : tiles.size();
  result.cause = first_cause(device, situation, code);
  FirstCause& cause = result.cause;
  if (const auto image = running || cause.sentence.empty() || cause.only_idle
                             ? std::nullopt
                             : wrong_image(device, cause.tile, code)) {
    cause.sentence = fmt::format("{}. So {}", image->text, cause.sentence);
    cause.remedy = image->remedy;
  }
  const tile::WaitNames names{[&](NodeId node) { return device.name_of(node); }, words};
  std::vector<size_t> group_of;
  for (const Standing& one : situation.standing) {  // those in kernels come first
    group_of.push_back(add(result.waiters, one.firmware ? result.in_kernels : 0, one, names));
    if (!one.firmware) result.in_kernels = result.waiters.size();
  }
  connect(result.waiters, situation, group_of);
  return result;
}

std::string text_of(const Standstill& standstill) {
  std::string text;
  const FirstCause& cause = standstill.cause;
  if (!cause.sentence.empty()) text += fmt::format("First cause: {}\n", cause.sentence);
  if (!cause.remedy.empty()) text += fmt::format("Remedy: {}.\n", cause.remedy);
  text += fmt::format(fmt::runtime(headline(standstill.reason)), standstill.cycle);
  const std::span<const WaiterGroup> all = standstill.waiters;
  if (all.empty() && standstill.reason == Standstill::Reason::Idle)
    text += "  No agent is running or waiting: all cores are in reset.\n";
  // Where no kernel runs, what BRISC's firmware waits for is the matter.
  size_t shown = standstill.in_kernels;
  const bool only_firmware = shown == 0 && !all.empty();
  for (const WaiterGroup& group : all.first(only_firmware ? 1 : shown))
    text += group_text(group, standstill.all_tiles);
  text += idle_text(all.subspan(only_firmware ? 1 : shown), standstill.all_tiles);
  return text;
}

}  // namespace bhemu::host
