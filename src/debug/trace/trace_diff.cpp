#include "debug/trace/trace_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "base/json.hpp"
#include "host/error.hpp"

namespace bhemu::debug {
namespace {

struct Line {
  std::string tile;
  std::string agent;
  std::string cycle;
  std::string rest;  // the event and its fields
};

[[noreturn]] void wrong(const std::string& path, u64 number) {
  throw host::InputError(path, fmt::format("line {}", number),
                         "this is no line of a trace of bhemu (text or JSON, see docs/TRACE.md)");
}

enum class Read { Event, Frame, Nothing };

/// The first and the last line are frame. An event's fields keep their order.
Read split_json(const std::string& line, Line& out) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return Read::Nothing;
  const std::string event = json.value("event", Json()).dump();
  if (event == "\"begin\"" || event == "\"end\"") return Read::Frame;
  const Json cycle = json.value("cycle", Json()), tile = json.value("tile", Json()),
             agent = json.value("agent", Json());
  if (event == "null" || !cycle.is_number_unsigned() || tile.size() != 2 || !agent.is_string())
    return Read::Nothing;
  out.cycle = cycle.dump();
  out.tile = fmt::format("{}-{}", tile[0].dump(), tile[1].dump());
  out.agent = agent.get<std::string>();
  for (const char* name : {"cycle", "tile", "agent"}) json.erase(name);
  out.rest = dump(json);
  return Read::Event;
}

Read split_text(const std::string& line, Line& out) {
  if (line.empty() || line[0] == '#') return Read::Frame;
  size_t at = 0;
  const auto word = [&]() {
    at = std::min(line.find_first_not_of(' ', at), line.size());
    const size_t end = std::min(line.find(' ', at), line.size());
    std::string text = line.substr(at, end - at);
    at = end;
    return text;
  };
  out.cycle = word();
  out.tile = word();
  out.agent = word();
  at = std::min(line.find_first_not_of(' ', at), line.size());
  out.rest = line.substr(at);
  const bool whole =
      !out.rest.empty() && out.cycle.find_first_not_of("0123456789") == std::string::npos;
  return whole ? Read::Event : Read::Nothing;
}

struct Entry {
  std::string line;
  std::string compared;
  u64 number = 0;
};
using Agents = std::map<std::pair<std::string, std::string>, std::vector<Entry>>;

Agents read(const std::string& path, bool with_cycles) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw host::InputError(path, "", "cannot be read");
  Agents agents;
  u64 number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    Line parts;
    const Read read = line.starts_with('{') ? split_json(line, parts) : split_text(line, parts);
    if (read == Read::Frame) continue;
    if (read == Read::Nothing) wrong(path, number);
    std::string compared = with_cycles ? parts.cycle + " " + parts.rest : parts.rest;
    agents[{parts.tile, parts.agent}].push_back({std::move(line), std::move(compared), number});
  }
  return agents;
}

}  // namespace

TraceDiff diff_traces(const std::string& first, const std::string& second, bool with_cycles) {
  Agents a = read(first, with_cycles);
  Agents b = read(second, with_cycles);
  for (const auto& [agent, entries] : a) b.try_emplace(agent);
  for (const auto& [agent, entries] : b) a.try_emplace(agent);
  TraceDiff diff;
  diff.agents = a.size();
  for (const auto& [agent, entries] : a) {
    const std::vector<Entry>& others = b[agent];
    size_t same = 0;
    while (same < entries.size() && same < others.size() &&
           entries[same].compared == others[same].compared)
      ++same;
    diff.events += same;
    if (same == entries.size() && same == others.size()) continue;
    TraceDifference difference{agent.first, agent.second, same, "", "", 0, 0};
    if (same < entries.size())
      difference.first = entries[same].line, difference.first_line = entries[same].number;
    if (same < others.size())
      difference.second = others[same].line, difference.second_line = others[same].number;
    diff.differences.push_back(std::move(difference));
  }
  std::stable_sort(diff.differences.begin(), diff.differences.end(),
                   [](const TraceDifference& x, const TraceDifference& y) {
                     const auto key = [](const TraceDifference& one) {
                       return one.first_line != 0 ? one.first_line : ~u64{0};
                     };
                     return key(x) < key(y);
                   });
  return diff;
}

std::string text_of(const TraceDiff& diff) {
  if (diff.differences.empty())
    return fmt::format("The traces are the same: {} events of {} agents.\n", diff.events,
                       diff.agents);
  std::string text;
  for (const TraceDifference& one : diff.differences) {
    const auto side = [](const std::string& line, u64 number) {
      return line.empty() ? std::string("nothing more of this agent")
                          : fmt::format("line {}: {}", number, line);
    };
    text += fmt::format("{} {}, after {} events that are the same:\n  A {}\n  B {}\n", one.tile,
                        one.agent, one.before, side(one.first, one.first_line),
                        side(one.second, one.second_line));
  }
  return text + fmt::format("{} of {} agents differ.\n", diff.differences.size(), diff.agents);
}

}  // namespace bhemu::debug
