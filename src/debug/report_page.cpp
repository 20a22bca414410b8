#include "debug/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.hpp"
#include "debug/grid.hpp"
#include "debug/page/template.hpp"
#include "debug/trace/trace_fields.hpp"
#include "host/boot/mailboxes.hpp"
#include "host/error.hpp"
#include "host/report/explanation.hpp"
#include "host/report/inspect.hpp"
#include "host/report/situation.hpp"
#include "host/version.hpp"
#include "tile/tile.hpp"

namespace bhemu::debug {
namespace {

constexpr size_t kMostLooked = 4;     // tiles whose registers and pages are in the report
constexpr size_t kMostPages = 24;     // of a tile
constexpr u32 kMostPageBytes = 8192;  // a tile of 32 by 32 in four bytes is half of it
constexpr size_t kMostSingle = 16;    // who wait: with more of them, a box is for all alike
constexpr size_t kMostGraph = 40;     // boxes
constexpr u32 kDstRows = 256;         // of the 1024
constexpr u32 kRowCells = 16;

std::string base64(std::span<const u8> bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = std::min<size_t>(bytes.size() - i, 3);
    u32 word = 0;
    for (size_t j = 0; j < 3; ++j) word = word << 8 | (j < left ? bytes[i + j] : 0);
    for (size_t j = 0; j < 4; ++j) out += j <= left ? kDigits[word >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

/// Everything that the page shows, as JSON.
class Data {
 public:
  Data(host::Machine& machine, const ReportInput& input)
      : machine_(machine),
        device_(machine.device()),
        input_(input),
        situation_(host::situation_of(device_, machine.code(), {}, false)) {}

  std::string text(const std::vector<GridCell>& cells) {
    const host::Outcome& outcome = *input_.outcome;
    Json json{{"name", input_.name},
              {"version", host::kVersion},
              {"board", device_.board().name()},
              {"firmware", machine_.firmware().origin()},
              {"status", host::name_of(outcome.status)},
              {"cycle", device_.cycle()},
              {"cycles", outcome.totals.cycles},
              {"tensix_instructions", outcome.totals.tensix_instructions},
              {"riscv_instructions", outcome.totals.riscv_instructions},
              {"noc_packets", outcome.totals.noc_packets},
              {"noc_bytes", outcome.totals.noc_bytes},
              {"explanation", outcome.explanation(device_.board().tensix().size())}};
    const host::FirstCause& cause = outcome.standstill.cause;
    if (!cause.sentence.empty())
      json["cause"] = {{"sentence", cause.sentence},
                       {"remedy", cause.remedy},
                       {"place", cause.place},
                       {"tile", trace_name_of(cause.tile)}};
    json["checks"] = json_list(outcome.checks, json_of_check);
    json["faults"] = json_list(outcome.faults, json_of_fault);
    Json& tiles = json["tiles"] = Json::object();
    for (const GridCell& cell : cells) tiles[trace_name_of(cell.tile)] = json_of_cell(cell);
    json["graph"] = graph();
    json["looks"] = looks(cells);
    if (input_.summary != nullptr) {
      json["profile"] = profile_json(*input_.summary, *input_.profile);
      json["timeline"] = timeline();
    }
    return dump(json);
  }

 private:
  static Json json_of_check(const host::Check& check) {
    return {{"what", check.what},
            {"passed", check.passed},
            {"compared", check.compared},
            {"wrong", check.wrong},
            {"detail", check.detail}};
  }

  static Json json_of_fault(const host::FaultReport& report) {
    return {{"rule", info_of(report.fault.rule).name},
            {"severity", report.fault.severity == Severity::Error ? "error" : "warn"},
            {"tile", trace_name_of(report.tile)},
            {"agent", name_of(report.fault.agent)},
            {"cycle", report.fault.cycle},
            {"text", report.fault.text},
            {"where", report.where},
            {"instruction", report.instruction}};
  }

  Json json_of_cell(const GridCell& cell) {
    Json json = Json::object({{"look", name_of(cell.look())}});
    json["agents"] = json_list(cell.agents, [&](const CellAgent& one) {
      Json agent{{"agent", trace_name_of(one.agent)}, {"look", name_of(one.look)}, {"pc", one.pc}};
      if (!one.what.empty()) agent["what"] = want_of(cell.node, one);
      if (!one.where.empty()) agent["where"] = one.where;
      return agent;
    });
    json["buffers"] = json_list(buffers_of(cell.tile), json_of_buffer);
    add_sync(json, cell.tile);
    return json;
  }

  std::vector<host::CircularBuffer> buffers_of(Coord tile) {
    try {
      return host::circular_buffers(device_, tile);
    } catch (const host::InputError&) {
      return {};  // other software, which lays out nothing that we know
    }
  }

  static Json json_of_buffer(const host::CircularBuffer& buffer) {
    return {{"index", buffer.index},       {"address", buffer.address},
            {"pages", buffer.pages},       {"page_size", buffer.page_size},
            {"received", buffer.received}, {"acked", buffer.acked}};
  }

  void add_sync(Json& json, Coord at) {
    tile::Tile& tile = device_.tile(at);
    const tensix::SyncState& sync = tile.coprocessor().state().sync;
    json["semaphores"] = json_list(sync.semaphore, [](const tensix::Semaphore& semaphore) {
      return Json::array({semaphore.value, semaphore.max});
    });
    json["mutexes"] = json_list(sync.mutex, [](u8 holder) {
      return holder == tensix::kNobody ? -1 : static_cast<int>(holder);
    });
    const host::LaunchView launch = host::launch_of(tile, 0);
    Json& words = json["words"] = Json::array();  // semaphores of the launch, in L1
    for (u32 address = launch.semaphores;
         launch.valid && address + 4 <= std::min(launch.semaphores_end, launch.semaphores + 256);
         address += host::kSemaphoreStride)
      words.push_back(tile.l1().read32(address));
  }

  // --- Who waits for whom.

  /// What a core or thread wants, as the first cause of a hang puts it.
  std::string want_of(const host::Standing& one) const {
    const host::Context context{device_, situation_, machine_.code()};
    std::string want = host::explain(context, one).want;
    if (want.starts_with("for ")) want.erase(0, 4);
    return want.empty() ? one.what : want;
  }
  std::string want_of(NodeId node, const CellAgent& agent) const {
    for (const host::Standing& one : situation_.standing)
      if (one.node == node && one.agent == agent.agent && !one.firmware) return want_of(one);
    return agent.what;
  }

  static bool alike(const host::Standing& a, const host::Standing& b) {
    return a.agent == b.agent && a.where == b.where && a.running == b.running &&
           (a.what == b.what || (a.want == b.want && a.index == b.index));
  }

  Json graph() const {
    const std::vector<host::Standing>& all = situation_.standing;
    std::vector<const host::Standing*> boxes;
    std::vector<std::vector<Coord>> tiles;
    std::vector<size_t> box_of(all.size(), kMostGraph);
    const auto waiting = static_cast<size_t>(std::count_if(
        all.begin(), all.end(), [](const host::Standing& one) { return !one.firmware; }));
    for (size_t i = 0; i < all.size(); ++i) {
      const host::Standing& one = all[i];
      if (one.firmware) continue;
      const auto same = std::find_if(boxes.begin(), boxes.end(), [&](const host::Standing* other) {
        return waiting > kMostSingle && alike(one, *other);
      });
      if (same == boxes.end() && boxes.size() == kMostGraph) continue;
      box_of[i] = static_cast<size_t>(same - boxes.begin());
      if (same == boxes.end()) boxes.push_back(&one), tiles.emplace_back();
      tiles[box_of[i]].push_back(one.tile);
    }
    std::vector<std::vector<size_t>> edges(boxes.size());
    for (size_t i = 0; i < all.size(); ++i) {
      if (box_of[i] == kMostGraph) continue;
      for (const size_t from : all[i].from) {
        std::vector<size_t>& out = edges[box_of[i]];
        if (box_of[from] != kMostGraph &&
            std::find(out.begin(), out.end(), box_of[from]) == out.end())
          out.push_back(box_of[from]);
      }
    }
    Json json = Json::array();
    for (size_t i = 0; i < boxes.size(); ++i)
      json.push_back({{"agent", name_of(boxes[i]->agent)},
                      {"what", want_of(*boxes[i])},
                      {"who", boxes[i]->who},
                      {"place", boxes[i]->user},
                      {"count", tiles[i].size()},
                      {"tile", trace_name_of(tiles[i].front())},
                      {"tiles", host::tiles_text(tiles[i], device_.board().tensix().size())},
                      {"from", edges[i]}});
    return json;
  }

  // --- Registers and pages of some tiles.

  std::vector<Coord> chosen(const std::vector<GridCell>& cells) const {
    std::vector<Coord> all;
    const auto add = [&](Coord tile) {
      const bool tensix = std::any_of(cells.begin(), cells.end(),
                                      [&](const GridCell& cell) { return cell.tile == tile; });
      if (tensix && all.size() < kMostLooked &&
          std::find(all.begin(), all.end(), tile) == all.end())
        all.push_back(tile);
    };
    if (!input_.outcome->standstill.cause.sentence.empty())
      add(input_.outcome->standstill.cause.tile);
    for (const host::FaultReport& report : input_.outcome->faults) add(report.tile);
    for (const host::WaiterGroup& group : input_.outcome->standstill.waiters)
      add(group.tiles.front());
    for (const GridCell& cell : cells)
      if (cell.look() != Look::Reset && cell.look() != Look::Idle) add(cell.tile);
    return all;
  }

  std::string registers(Coord tile, host::RegisterFile file, size_t words, bool halves = false) {
    std::vector<u32> values(words);
    host::read_registers(device_, tile, file, 0, values);
    std::vector<u8> bytes;
    for (const u32 value : values)
      for (unsigned i = 0; i < (halves ? 2u : 4u); ++i)
        bytes.push_back(static_cast<u8>(value >> (8 * i)));
    return base64(bytes);
  }

  Json looks(const std::vector<GridCell>& cells) {
    using File = host::RegisterFile;
    Json json = Json::object();
    for (const Coord tile : chosen(cells)) {
      const auto whole = [&](File file) {
        return registers(tile, file, host::register_words(file));
      };
      json[trace_name_of(tile)] = {
          {"dst", registers(tile, File::Dst16, size_t{kDstRows} * kRowCells, true)},
          {"srca", whole(File::SrcA)},
          {"srcb", whole(File::SrcB)},
          {"lreg", whole(File::LReg)},
          {"gpr", whole(File::Gpr)},
          {"pages", pages(tile)}};
    }
    return json;
  }

  Json pages(Coord tile) {
    Json json = Json::array();
    size_t pages = 0;
    for (const host::CircularBuffer& buffer : buffers_of(tile))
      for (u32 page = 0; page < buffer.pages && pages < kMostPages; ++page, ++pages) {
        const u32 address = buffer.address + page * buffer.page_size;
        std::vector<u8> bytes(std::min(buffer.page_size, kMostPageBytes));
        if (!device_.read(tile, address, bytes)) continue;
        json.push_back({{"buffer", buffer.index},
                        {"page", page},
                        {"address", address},
                        {"bytes", base64(bytes)}});
      }
    return json;
  }

  /// A digit per stretch: what most of it was spent on.
  Json timeline() const {
    const Profile& profile = *input_.profile;
    Cycle width = 0;
    for (const TileUse& tile : profile.tiles)
      for (const auto& [agent, lane] : tile.lanes) width = lane.timeline.width();
    Json lanes = Json::object();
    for (const TileUse& tile : profile.tiles)
      for (const auto& [agent, lane] : tile.lanes)
        lanes[trace_name_of(tile.tile)][trace_name_of(agent)] = digits(lane, width);
    return {{"begin", profile.begin}, {"end", profile.end}, {"width", width}, {"lanes", lanes}};
  }

  static std::string digits(const Lane& lane, Cycle width) {
    std::string text;
    for (const Timeline::Stretch& stretch : lane.timeline.stretches()) {
      u64 told = 0;
      unsigned most = 0;
      for (unsigned s = 1; s < kSpents; ++s) {
        told += stretch[s];
        if (stretch[s] > stretch[most]) most = s;
      }
      const u64 idle = width > told ? width - told : 0;
      text += static_cast<char>('0' + (idle > stretch[most] ? 0 : most));
    }
    return text;
  }

  host::Machine& machine_;
  Device& device_;
  const ReportInput& input_;
  const host::Situation situation_;
};

void put(std::string& page, std::string_view mark, std::string_view text) {
  const size_t at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

}  // namespace

std::string report_page(host::Machine& machine, const ReportInput& input) {
  const std::vector<GridCell> cells = grid_cells(machine.device(), machine.code());
  std::string data = Data(machine, input).text(cells);
  // Nothing in the data may end the script that holds it.
  for (size_t at = data.find("</"); at != std::string::npos; at = data.find("</", at + 3))
    data.replace(at, 2, "<\\/");
  std::string page(page_template());
  put(page, "@TITLE@", escaped(input.name));
  put(page, "@GRID@", grid_svg(cells));
  put(page, "@DATA@", data);
  return page;
}

}  // namespace bhemu::debug
