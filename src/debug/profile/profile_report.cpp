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

void write_spent(host::JsonWriter& json, const std::array<u64, kSpents>& cycles) {
  for (unsigned s = 0; s < kSpents; ++s) json.member(kSpentNames[s], cycles[s]);
}

void write_roles(host::JsonWriter& json, const ProfileSummary& summary) {
  json.key("agents");
  json.begin_array();
  for (const RoleUse& use : summary.roles) {
    json.begin_object();
    json.member("agent", trace_name_of(use.agent));
    json.member("tiles", use.tiles);
    json.member("instructions", use.instructions);
    write_spent(json, use.cycles);
    json.key("waits");
    json.begin_array();
    for (const RoleWait& wait : use.waits) {
      json.begin_object();
      json.member("for", text_of(wait.wait));
      json.member("cycles", wait.cycles);
      json.member("share", use.share(wait.cycles));
      json.member("at", wait.at);
      json.member("where", wait.where);
      json.member("place", wait.place);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_units(host::JsonWriter& json, const char* key, const std::vector<RoleUnit>& units) {
  json.key(key);
  json.begin_array();
  for (const RoleUnit& unit : units) {
    json.begin_object();
    json.member("name", unit.name);
    json.member("cycles", unit.cycles);
    json.member("instructions", unit.instructions);
    json.member("share", unit.share);
    json.end_object();
  }
  json.end_array();
}

void write_agents(host::JsonWriter& json, const char* key, const std::vector<Agent>& agents) {
  json.key(key);
  json.begin_array();
  for (const Agent agent : agents) json.value(trace_name_of(agent));
  json.end_array();
}

void write_buffers(host::JsonWriter& json, const ProfileSummary& summary) {
  json.key("buffers");
  json.begin_array();
  for (const RoleBuffer& buffer : summary.buffers) {
    json.begin_object();
    json.member("index", buffer.index);
    json.member("tiles", buffer.tiles);
    json.member("pages", buffer.pages);
    json.member("pushed", buffer.pushed);
    json.member("popped", buffer.popped);
    json.member("average", buffer.average);
    json.member("most", buffer.most);
    json.member("empty", buffer.empty);
    json.member("full", buffer.full);
    write_agents(json, "producers", buffer.producers);
    write_agents(json, "consumers", buffer.consumers);
    json.end_object();
  }
  json.end_array();
}

void write_traffic(host::JsonWriter& json, const std::array<std::array<Traffic, 6>, kNocs>& all) {
  json.key("noc");
  json.begin_array();
  for (u32 noc = 0; noc < kNocs; ++noc)
    for (unsigned kind = 0; kind < 6; ++kind) {
      const Traffic& traffic = all[noc][kind];
      if (traffic.packets == 0) continue;
      json.begin_object();
      json.member("noc", noc);
      json.member("kind", kind_name(kind));
      json.member("packets", traffic.packets);
      json.member("bytes", traffic.bytes);
      json.end_object();
    }
  json.end_array();
}

void write_tile(host::JsonWriter& json, const TileUse& tile) {
  json.begin_object();
  json.key("tile");
  json.begin_array();
  json.value(u32{tile.tile.x});
  json.value(u32{tile.tile.y});
  json.end_array();
  json.key("agents");
  json.begin_object();
  for (const auto& [agent, lane] : tile.lanes) {
    json.key(trace_name_of(agent));
    json.begin_object();
    json.member("instructions", lane.instructions);
    write_spent(json, lane.cycles);
    if (lane.first != kNever) {
      json.member("first", lane.first);
      json.member("last", lane.last);
    }
    json.end_object();
  }
  json.end_object();
  write_traffic(json, tile.sent);
  json.end_object();
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

void write_profile(host::JsonWriter& json, const ProfileSummary& summary, const Profile& profile) {
  json.begin_object();
  json.member("verdict", summary.verdict);
  json.member("warning", summary.warning);
  json.member("begin", summary.begin);
  json.member("end", summary.end);
  json.member("tiles", summary.tiles);
  write_roles(json, summary);
  write_units(json, "units", summary.units);
  write_units(json, "instructions", summary.opcodes);
  write_buffers(json, summary);
  write_traffic(json, summary.traffic);
  json.key("per_tile");
  json.begin_array();
  for (const TileUse& tile : profile.tiles)
    if (!tile.lanes.empty()) write_tile(json, tile);
  json.end_array();
  json.end_object();
}

}  // namespace bhemu::debug
