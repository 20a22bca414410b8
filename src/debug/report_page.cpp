#include "debug/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

using host::JsonWriter;

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

void write_tile_name(JsonWriter& json, const char* key, Coord tile) {
  json.member(key, trace_name_of(tile));
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
    json_.begin_object();
    json_.member("name", input_.name);
    json_.member("version", host::kVersion);
    json_.member("board", device_.board().name());
    json_.member("firmware", machine_.firmware().origin());
    json_.member("status", host::name_of(outcome.status));
    json_.member("cycle", device_.cycle());
    json_.member("cycles", outcome.totals.cycles);
    json_.member("tensix_instructions", outcome.totals.tensix_instructions);
    json_.member("riscv_instructions", outcome.totals.riscv_instructions);
    json_.member("noc_packets", outcome.totals.noc_packets);
    json_.member("noc_bytes", outcome.totals.noc_bytes);
    json_.member("explanation", outcome.explanation(device_.board().tensix().size()));
    write_cause(outcome);
    write_checks(outcome);
    write_faults(outcome);
    write_cells(cells);
    write_graph();
    write_looks(cells);
    if (input_.summary != nullptr) {
      json_.key("profile");
      write_profile(json_, *input_.summary, *input_.profile);
      write_timeline();
    }
    json_.end_object();
    return json_.text();
  }

 private:
  void write_cause(const host::Outcome& outcome) {
    const host::FirstCause& cause = outcome.standstill.cause;
    if (cause.sentence.empty()) return;
    json_.key("cause");
    json_.begin_object();
    json_.member("sentence", cause.sentence);
    json_.member("remedy", cause.remedy);
    json_.member("place", cause.place);
    write_tile_name(json_, "tile", cause.tile);
    json_.end_object();
  }

  void write_checks(const host::Outcome& outcome) {
    json_.key("checks");
    json_.begin_array();
    for (const host::Check& check : outcome.checks) {
      json_.begin_object();
      json_.member("what", check.what);
      json_.member("passed", check.passed);
      json_.member("compared", u64{check.compared});
      json_.member("wrong", u64{check.wrong});
      json_.member("detail", check.detail);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_faults(const host::Outcome& outcome) {
    json_.key("faults");
    json_.begin_array();
    for (const host::FaultReport& report : outcome.faults) {
      json_.begin_object();
      json_.member("rule", info_of(report.fault.rule).name);
      json_.member("severity", report.fault.severity == Severity::Error ? "error" : "warn");
      write_tile_name(json_, "tile", report.tile);
      json_.member("agent", name_of(report.fault.agent));
      json_.member("cycle", report.fault.cycle);
      json_.member("text", report.fault.text);
      json_.member("where", report.where);
      json_.member("instruction", report.instruction);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_cells(const std::vector<GridCell>& cells) {
    json_.key("tiles");
    json_.begin_object();
    for (const GridCell& cell : cells) {
      json_.key(trace_name_of(cell.tile));
      json_.begin_object();
      json_.member("look", name_of(cell.look()));
      json_.key("agents");
      json_.begin_array();
      for (const CellAgent& one : cell.agents) {
        json_.begin_object();
        json_.member("agent", trace_name_of(one.agent));
        json_.member("look", name_of(one.look));
        json_.member("pc", one.pc);
        if (!one.what.empty()) json_.member("what", want_of(cell.node, one));
        if (!one.where.empty()) json_.member("where", one.where);
        json_.end_object();
      }
      json_.end_array();
      write_buffers(cell.tile);
      write_sync(cell.tile);
      json_.end_object();
    }
    json_.end_object();
  }

  std::vector<host::CircularBuffer> buffers_of(Coord tile) {
    try {
      return host::circular_buffers(device_, tile);
    } catch (const host::InputError&) {
      return {};  // other software, which lays out nothing that we know
    }
  }

  void write_buffers(Coord tile) {
    json_.key("buffers");
    json_.begin_array();
    for (const host::CircularBuffer& buffer : buffers_of(tile)) {
      json_.begin_object();
      json_.member("index", buffer.index);
      json_.member("address", buffer.address);
      json_.member("pages", buffer.pages);
      json_.member("page_size", buffer.page_size);
      json_.member("received", buffer.received);
      json_.member("acked", buffer.acked);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_sync(Coord at) {
    tile::Tile& tile = device_.tile(at);
    const tensix::SyncState& sync = tile.coprocessor().state().sync;
    json_.key("semaphores");
    json_.begin_array();
    for (const tensix::Semaphore& semaphore : sync.semaphore) {
      json_.begin_array();
      json_.value(u32{semaphore.value});
      json_.value(u32{semaphore.max});
      json_.end_array();
    }
    json_.end_array();
    json_.key("mutexes");
    json_.begin_array();
    for (const u8 holder : sync.mutex)
      json_.value(holder == tensix::kNobody ? -1 : static_cast<int>(holder));
    json_.end_array();
    const host::LaunchView launch = host::launch_of(tile, 0);
    json_.key("words");  // semaphores of the launch, in L1
    json_.begin_array();
    for (u32 address = launch.semaphores;
         launch.valid && address + 4 <= std::min(launch.semaphores_end, launch.semaphores + 256);
         address += host::kSemaphoreStride)
      json_.value(tile.l1().read32(address));
    json_.end_array();
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

  void write_graph() {
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
    json_.key("graph");
    json_.begin_array();
    for (size_t i = 0; i < boxes.size(); ++i) {
      json_.begin_object();
      json_.member("agent", name_of(boxes[i]->agent));
      json_.member("what", want_of(*boxes[i]));
      json_.member("who", boxes[i]->who);
      json_.member("place", boxes[i]->user);
      json_.member("count", u64{tiles[i].size()});
      write_tile_name(json_, "tile", tiles[i].front());
      json_.member("tiles", host::tiles_text(tiles[i], device_.board().tensix().size()));
      json_.key("from");
      json_.begin_array();
      for (const size_t from : edges[i]) json_.value(u64{from});
      json_.end_array();
      json_.end_object();
    }
    json_.end_array();
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

  void write_registers(Coord tile, const char* key, host::RegisterFile file, size_t words,
                       bool halves) {
    std::vector<u32> values(words);
    host::read_registers(device_, tile, file, 0, values);
    std::vector<u8> bytes;
    for (const u32 value : values)
      for (unsigned i = 0; i < (halves ? 2u : 4u); ++i)
        bytes.push_back(static_cast<u8>(value >> (8 * i)));
    json_.member(key, base64(bytes));
  }

  void write_looks(const std::vector<GridCell>& cells) {
    json_.key("looks");
    json_.begin_object();
    for (const Coord tile : chosen(cells)) {
      json_.key(trace_name_of(tile));
      json_.begin_object();
      using File = host::RegisterFile;
      write_registers(tile, "dst", File::Dst16, size_t{kDstRows} * kRowCells, true);
      write_registers(tile, "srca", File::SrcA, host::register_words(File::SrcA), false);
      write_registers(tile, "srcb", File::SrcB, host::register_words(File::SrcB), false);
      write_registers(tile, "lreg", File::LReg, host::register_words(File::LReg), false);
      write_registers(tile, "gpr", File::Gpr, host::register_words(File::Gpr), false);
      json_.key("pages");
      json_.begin_array();
      size_t pages = 0;
      for (const host::CircularBuffer& buffer : buffers_of(tile))
        for (u32 page = 0; page < buffer.pages && pages < kMostPages; ++page, ++pages)
          write_page(tile, buffer, page);
      json_.end_array();
      json_.end_object();
    }
    json_.end_object();
  }

  void write_page(Coord tile, const host::CircularBuffer& buffer, u32 page) {
    const u32 address = buffer.address + page * buffer.page_size;
    std::vector<u8> bytes(std::min(buffer.page_size, kMostPageBytes));
    if (!device_.read(tile, address, bytes)) return;
    json_.begin_object();
    json_.member("buffer", buffer.index);
    json_.member("page", page);
    json_.member("address", address);
    json_.member("bytes", base64(bytes));
    json_.end_object();
  }

  /// A digit per stretch: what most of it was spent on.
  void write_timeline() {
    const Profile& profile = *input_.profile;
    json_.key("timeline");
    json_.begin_object();
    json_.member("begin", profile.begin);
    json_.member("end", profile.end);
    Cycle width = 0;
    for (const TileUse& tile : profile.tiles)
      for (const auto& [agent, lane] : tile.lanes) width = lane.timeline.width();
    json_.member("width", width);
    json_.key("lanes");
    json_.begin_object();
    for (const TileUse& tile : profile.tiles) {
      if (tile.lanes.empty()) continue;
      json_.key(trace_name_of(tile.tile));
      json_.begin_object();
      for (const auto& [agent, lane] : tile.lanes)
        json_.member(trace_name_of(agent), digits(lane, width));
      json_.end_object();
    }
    json_.end_object();
    json_.end_object();
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
  JsonWriter json_;
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
