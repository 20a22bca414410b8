#include "debug/profile/profile_report.hpp"

#include <fmt/format.h>

#include <iterator>

#include "debug/trace/trace_fields.hpp"

namespace bhemu::debug {
namespace {

constexpr size_t kShownWaits = 3;  // of a role
constexpr size_t kShownOpcodes = 6;
constexpr std::string_view kSpentNames[kSpents] = {"idle",        "busy",        "firmware",
                                                   "wait_buffer", "wait_noc",    "wait_sync",
                                                   "wait_thread", "wait_source", "wait_other"};

std::string agents_text(const std::vector<Agent>& agents) {
  std::string text;
  for (const Agent agent : agents)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(agent));
  return text.empty() ? "nobody" : text;
}

std::string role_lines(const RoleUse& use) {
  const auto part = [&](Spent spent) {
    return percent(use.share(use.cycles[static_cast<unsigned>(spent)]));
  };
  std::string text =
      fmt::format("  {:<18} {:>6} {:>8} {:>7} {:>9}", name_of(use.agent), part(Spent::Busy),
                  percent(use.share(use.waited())), part(Spent::Idle), part(Spent::Firmware));
  size_t shown = 0;
  for (const RoleWait& wait : use.waits) {
    const double share = use.share(wait.cycles);
    if (shown == kShownWaits || (shown != 0 && share < 0.01)) break;
    text += shown == 0 ? "  " : fmt::format("\n  {:53}", "");
    text += fmt::format("{} {}{}{}", percent(share), text_of(wait.wait),
                        wait.where.empty() ? "" : " at ", wait.where);
    ++shown;
  }
  return text + "\n";
}

std::string buffer_line(const RoleBuffer& buffer) {
  const std::string places = buffer.pages == 0 ? "" : fmt::format(" of {}", buffer.pages);
  return fmt::format(
      "  CB {:<2} {:.1f}{} pages on average, most {}; empty {}, full {}; {} pushed by {}, {} taken "
      "by {}\n",
      buffer.index, buffer.average, places, buffer.most, percent(buffer.empty),
      buffer.pages == 0 ? "?" : percent(buffer.full), buffer.pushed, agents_text(buffer.producers),
      buffer.popped, agents_text(buffer.consumers));
}

void add_spent(Json& json, const std::array<u64, kSpents>& cycles) {
  for (unsigned s = 0; s < kSpents; ++s) json[kSpentNames[s]] = cycles[s];
}

Json json_of(const RoleUse& use) {
  Json json{{"agent", trace_name_of(use.agent)},
            {"tiles", use.tiles},
            {"instructions", use.instructions}};
  add_spent(json, use.cycles);
  json["waits"] = json_list(use.waits, [&use](const RoleWait& wait) {
    return Json{{"for", text_of(wait.wait)},
                {"cycles", wait.cycles},
                {"share", use.share(wait.cycles)},
                {"at", wait.at},
                {"where", wait.where},
                {"place", wait.place}};
  });
  return json;
}

Json json_of(const RoleUnit& unit) {
  return {{"name", unit.name},
          {"cycles", unit.cycles},
          {"instructions", unit.instructions},
          {"share", unit.share}};
}

Json json_of(const RoleBuffer& buffer) {
  const auto name = [](Agent agent) { return trace_name_of(agent); };
  return {{"index", buffer.index},
          {"tiles", buffer.tiles},
          {"pages", buffer.pages},
          {"pushed", buffer.pushed},
          {"popped", buffer.popped},
          {"average", buffer.average},
          {"most", buffer.most},
          {"empty", buffer.empty},
          {"full", buffer.full},
          {"producers", json_list(buffer.producers, name)},
          {"consumers", json_list(buffer.consumers, name)}};
}

Json json_of(const std::array<std::array<Traffic, 6>, kNocs>& all) {
  Json json = Json::array();
  for (u32 noc = 0; noc < kNocs; ++noc)
    for (unsigned kind = 0; kind < 6; ++kind) {
      const Traffic& traffic = all[noc][kind];
      if (traffic.packets == 0) continue;
      json.push_back({{"noc", noc},
                      {"kind", kind_name(kind)},
                      {"packets", traffic.packets},
                      {"bytes", traffic.bytes}});
    }
  return json;
}

Json json_of(const TileUse& tile) {
  Json agents = Json::object();
  for (const auto& [agent, lane] : tile.lanes) {
    Json& json = agents[trace_name_of(agent)];
    json["instructions"] = lane.instructions;
    add_spent(json, lane.cycles);
    if (lane.first == kNever) continue;
    json["first"] = lane.first;
    json["last"] = lane.last;
  }
  return {{"tile", bhemu::json_of(tile.tile)}, {"agents", agents}, {"noc", json_of(tile.sent)}};
}

}  // namespace

std::string percent(double share) {
  if (share > 0 && share < 0.005) return "<1 %";
  return fmt::format("{:.0f} %", share * 100);
}

std::string_view kind_name(unsigned packet_kind) {
  constexpr std::string_view kNames[] = {"write",         "read",      "atomic",
                                         "read-response", "write-ack", "atomic-response"};
  return kNames[packet_kind];
}

std::string profile_text(const ProfileSummary& summary) {
  std::string text = fmt::format("Profile: {}.\n", summary.verdict);
  text += fmt::format("  {} cycles, {} tile{} with kernels; {}.\n", summary.end - summary.begin,
                      summary.tiles, summary.tiles == 1 ? "" : "s", summary.warning);
  text += fmt::format("  {:<18} {:>6} {:>8} {:>7} {:>9}  {}\n", "", "busy", "waiting", "idle",
                      "firmware", "waits most for");
  for (const RoleUse& use : summary.roles) text += role_lines(use);
  if (!summary.units.empty()) text += fmt::format("  {:<18} {:>6}\n", "", "busy");
  for (const RoleUnit& unit : summary.units)
    text += fmt::format("  {:<18} {:>6}  {} instructions\n", unit.name, percent(unit.share),
                        unit.instructions);
  if (!summary.opcodes.empty()) {
    text += "  instructions:";
    for (size_t i = 0; i < std::min(summary.opcodes.size(), kShownOpcodes); ++i)
      text += fmt::format("{} {} {}", i == 0 ? "" : ",", summary.opcodes[i].name,
                          percent(summary.opcodes[i].share));
    text += "\n";
  }
  for (const RoleBuffer& buffer : summary.buffers) text += buffer_line(buffer);
  for (unsigned noc = 0; noc < kNocs; ++noc) {
    std::string line;
    for (unsigned kind = 0; kind < 6; ++kind) {
      const Traffic& traffic = summary.traffic[noc][kind];
      if (traffic.packets != 0)
        line += fmt::format("{}{} {} with {} bytes", line.empty() ? "" : ", ", traffic.packets,
                            kind_name(kind), traffic.bytes);
    }
    if (!line.empty()) text += fmt::format("  NoC {}: {}\n", noc, line);
  }
  return text;
}

Json profile_json(const ProfileSummary& summary, const Profile& profile) {
  const auto json = [](const auto& one) { return json_of(one); };
  Json tiles = Json::array();
  for (const TileUse& tile : profile.tiles)
    if (!tile.lanes.empty()) tiles.push_back(json_of(tile));
  return {{"verdict", summary.verdict},
          {"warning", summary.warning},
          {"begin", summary.begin},
          {"end", summary.end},
          {"tiles", summary.tiles},
          {"agents", json_list(summary.roles, json)},
          {"units", json_list(summary.units, json)},
          {"instructions", json_list(summary.opcodes, json)},
          {"buffers", json_list(summary.buffers, json)},
          {"noc", json_of(summary.traffic)},
          {"per_tile", tiles}};
}

}  // namespace bhemu::debug
