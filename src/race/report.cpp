#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/json.hpp"
#include "race/finding.hpp"

namespace bhemu::race {
namespace {

constexpr int kIndent = 1;  // of the files that are written

bool same_side(const Side& a, const Side& b) {
  if (a.site.agent != b.site.agent || a.mode != b.mode) return false;
  if (place_in_code(a) != place_in_code(b)) return false;
  return a.pushed_at == 0 || (a.site.origin == b.site.origin &&
                              tensix::opcode_of(a.site.pc) == tensix::opcode_of(b.site.pc));
}

const char* name_of(Mode mode) {
  return mode == Mode::Read ? "reads" : mode == Mode::Write ? "writes" : "changes atomically";
}

/// STALLWAIT's condition that drains what a side did, and the block that would hold it.
const char* condition_of(const Side& side) {
  if (side.kind == kind::Unpack)
    return part_of_component(side.epoch.component) == Part::Unpack1 ? "UNPACK1" : "UNPACK0";
  switch (side.kind) {
    case kind::Fpu:
      return "MATH";
    case kind::Sfpu:
      return "SFPU";
    case kind::Pack:
      return "PACK";
    case kind::Thcon:
      return "THCON";
    case kind::Mover:
      return "XMOV";
    case kind::Config:
      return "CFGEXU";
    case kind::StoreConfig:
      return "TRISC_CFG";
    default:
      return "MATH|SFPU|PACK|UNPACK0|UNPACK1";
  }
}

const char* block_of(const Side& side) {
  if ((side.kind & kind::Thread) == 0 || !side.known) return "SYNC";
  const u16 by = blocked_by(side.site.pc);
  constexpr const char* kNames[9] = {"TDMA",  "SYNC", "PACK", "UNPACK", "XMOV",
                                     "THCON", "MATH", "CFG",  "SFPU"};
  // The narrowest block that holds it: bit 0 holds many.
  for (unsigned bit = 1; bit < 9; ++bit)
    if ((by >> bit & 1) != 0) return kNames[bit];
  return (by & 1) != 0 ? kNames[0] : "SYNC";
}

FixNames names_for(const Finding& finding, const Names& names) {
  const auto name = [&](const Side& side) {
    return side.known ? names.short_side(side) : std::string("the first access");
  };
  const Side& from = finding.late ? finding.second : finding.first;
  const Side& to = finding.late ? finding.first : finding.second;
  return {name(from), name(to), condition_of(from), block_of(to)};
}

/// The agent of an access whose place in the code is no longer remembered.
std::string actor_text(Component component) {
  if (is_core_component(component))
    return name_of(static_cast<Agent>(core_of_component(component)));
  if (is_thread_component(component))
    return fmt::format("thread {}'s {}", thread_of_component(component),
                       name_of(part_of_component(component)));
  return is_noc_component(component) ? "a packet" : "the host";
}

std::string side_text(const Side& side, const Names& names) {
  const std::string where =
      side.known ? fmt::format("{}, cycle {}", names.side(side), side.site.cycle)
                 : fmt::format("{} (too long ago: which instruction is not remembered)",
                               actor_text(side.epoch.component));
  return fmt::format("{}, {} {}", names.tile(side.site.tile), where, name_of(side.mode));
}

Json side_json(const Side& side, const Names& names) {
  const Names::Line line = names.line(side);
  return {{"tile", names.tile(side.site.tile)},
          {"agent", name_of(side.site.agent)},
          {"at", names.side(side)},
          {"pc", side.site.pc},
          {"pushed_at", side.pushed_at},
          {"cycle", side.site.cycle},
          {"access", name_of(side.mode)},
          {"file", line.file},
          {"line", line.line},
          {"known", side.known}};
}

/// Where an editor shows a side: its line, or else its name.
Json sarif_place(const Side& side, const Names& names) {
  const Names::Line line = names.line(side);
  Json place = Json::object();
  if (line.line != 0)
    place["physicalLocation"] = {{"artifactLocation", Json::object({{"uri", line.file}})},
                                 {"region", Json::object({{"startLine", line.line}})}};
  Json name = Json::object({{"fullyQualifiedName", names.side(side)}});
  place["logicalLocations"] = Json::array({std::move(name)});
  return place;
}

bool parse_hex(std::string_view text, u32& value) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Takes the next word off a line.
std::string_view next_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace

const char* name_of(FindingKind kind) {
  constexpr const char* kNames[kFindingKinds] = {
      "race", "contract", "window", "lost-sync", "stale-cache", "exit-in-flight", "injected"};
  return kNames[static_cast<unsigned>(kind)];
}

u32 place_in_code(const Side& side) {
  return side.pushed_at != 0 ? side.pushed_at : side.site.pc;
}

bool same_finding(const Finding& a, const Finding& b) {
  if (a.kind != b.kind || a.where.place != b.where.place) return false;
  return (same_side(a.first, b.first) && same_side(a.second, b.second)) ||
         (same_side(a.first, b.second) && same_side(a.second, b.first));
}

std::vector<Finding> merge_levels(std::span<const Finding> custom,
                                  std::span<const Finding> documented) {
  std::vector<Finding> all(custom.begin(), custom.end());
  for (const Finding& one : documented) {
    Finding as_race = one;
    if (one.kind == FindingKind::Contract) as_race.kind = FindingKind::Race;
    const bool known = std::any_of(custom.begin(), custom.end(), [&](const Finding& other) {
      return same_finding(other, as_race) || same_finding(other, one);
    });
    if (!known) all.push_back(one);
  }
  return all;
}

std::string Names::tile(u16 node) const {
  return fmt::format("tile {}", node);
}

std::string Names::place(u16, const Location& where) const {
  return describe(where);
}

Names::Line Names::line(const Side&) const {
  return {};
}

std::string Names::side(const Side& side) const {
  const Site& site = side.site;
  if (site.agent == Agent::Host) return "the host";
  const bool thread = site.agent >= Agent::Thread0 && site.agent <= Agent::Thread2;
  if (!thread) return fmt::format("{} at {:#x}", name_of(site.agent), site.pc);
  const char* name = tensix::info_of_word(site.pc).name;
  constexpr const char* kOrigins[] = {"", "", " (pushed by BRISC)", " (of a MOP)",
                                      " (of a replay)"};
  return fmt::format("{} {} {:#010x}{}", name_of(site.agent), name != nullptr ? name : "?", site.pc,
                     kOrigins[static_cast<unsigned>(site.origin)]);
}

std::string Suppressions::parse(std::string_view text) {
  for (unsigned number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const std::string_view kind = next_word(line);
    if (kind.empty()) continue;
    Row row{FindingKind::Race, 0, 0, {}};
    bool found = false;
    for (unsigned i = 0; i < kFindingKinds; ++i) {
      if (kind != name_of(static_cast<FindingKind>(i))) continue;
      row.kind = static_cast<FindingKind>(i);
      found = true;
    }
    if (!found) return fmt::format("line {}: '{}' is no kind of finding", number, kind);
    u32 a = 0;
    u32 b = 0;
    if (!parse_hex(next_word(line), a) || !parse_hex(next_word(line), b))
      return fmt::format("line {}: two program counters in hexadecimal are expected", number);
    row.low = std::min(a, b);
    row.high = std::max(a, b);
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return fmt::format("line {}: a reason is missing", number);
    row.reason = line.substr(begin);
    rows_.push_back(std::move(row));
  }
  return {};
}

const std::string* Suppressions::reason_for(const Finding& finding) const {
  const auto [low, high] = std::minmax(finding.first.site.pc, finding.second.site.pc);
  for (const Row& row : rows_)
    if (row.kind == finding.kind && row.low == low && row.high == high) return &row.reason;
  return nullptr;
}

std::string missing_edge_of(const Finding& finding, const Names& names) {
  return fix_text(info_of(finding.edge), names_for(finding, names));
}

std::string witness_of(const Finding& finding, const Names& names) {
  const bool pair = finding.kind == FindingKind::Race || finding.kind == FindingKind::Contract;
  if (!pair || finding.late || !finding.first.known ||
      finding.second.site.cycle < finding.first.site.cycle)
    return {};
  return fmt::format("hold {} for at least {} cycles", names.short_side(finding.first),
                     finding.second.site.cycle - finding.first.site.cycle + 1);
}

std::string text_of(const Finding& finding, const Names& names) {
  const Edge& edge = info_of(finding.edge);
  std::string text =
      fmt::format("{}: {} of {}\n", name_of(finding.kind), names.place(finding.tile, finding.where),
                  names.tile(finding.tile));
  if (finding.first.epoch) text += fmt::format("  first   {}\n", side_text(finding.first, names));
  text += fmt::format("  second  {}\n", side_text(finding.second, names));
  if (!finding.detail.empty()) text += fmt::format("  {}\n", finding.detail);
  text += fmt::format("  missing {} (ORDERING.md, row {}: {} → {})\n",
                      missing_edge_of(finding, names), edge.number, edge.producer, edge.consumer);
  if (const std::string witness = witness_of(finding, names); !witness.empty())
    text += fmt::format("  witness {}\n", witness);
  text += fmt::format("  known from {}: {}\n", name_of(edge.source), edge.document);
  if (finding.times > 1) text += fmt::format("  {} times\n", finding.times);
  return text;
}

std::string json_of(std::span<const Finding> findings, const Names& names) {
  const Json list = json_list(findings, [&names](const Finding& one) {
    const Edge& edge = info_of(one.edge);
    return Json{{"kind", name_of(one.kind)},
                {"tile", names.tile(one.tile)},
                {"where", names.place(one.tile, one.where)},
                {"times", one.times},
                {"first", side_json(one.first, names)},
                {"second", side_json(one.second, names)},
                {"edge",
                 {{"row", edge.number},
                  {"name", edge.name},
                  {"level", name_of(edge.level)},
                  {"source", name_of(edge.source)}}},
                {"missing", missing_edge_of(one, names)},
                {"witness", witness_of(one, names)},
                {"detail", one.detail}};
  });
  return dump(Json::object({{"findings", list}}), kIndent) + "\n";
}

std::string sarif_of(std::span<const Finding> findings, const Names& names) {
  Json rules = Json::array();
  for (unsigned i = 0; i < kFindingKinds; ++i)
    rules.push_back(Json::object({{"id", name_of(static_cast<FindingKind>(i))}}));
  const Json driver{{"name", "bhemu --race"}, {"rules", rules}};
  const Json results = json_list(findings, [&names](const Finding& one) {
    const bool mild = one.kind == FindingKind::Contract || one.kind == FindingKind::Injected;
    return Json{{"ruleId", name_of(one.kind)},
                {"level", mild ? "warning" : "error"},
                {"message", Json::object({{"text", text_of(one, names)}})},
                {"locations", Json::array({sarif_place(one.second, names)})},
                {"relatedLocations", Json::array({sarif_place(one.first, names)})}};
  });
  const Json run{{"tool", Json::object({{"driver", driver}})}, {"results", results}};
  return dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", Json::array({run})}},
              kIndent) +
         "\n";
}

}  // namespace bhemu::race
