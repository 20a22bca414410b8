#include "debug/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "debug/trace/trace_fields.hpp"
#include "host/report/situation.hpp"
#include "tile/tile.hpp"
#include "tile/wait_text.hpp"

namespace bhemu::debug {
namespace {

constexpr u32 kCell = 46;  // pixels from one tile to the next
constexpr u32 kBox = 42;
constexpr u32 kSmall = 7;  // the square of a core
constexpr u32 kLeft = 22;  // for the numbers of rows
constexpr u32 kTop = 16;

/// The more, the more worth looking at.
int weight(Look look) {
  constexpr int kWeights[kLooks] = {0, 1, 2, 4, 3, 5, 6};
  return kWeights[static_cast<unsigned>(look)];
}

Look look_of_core(tile::Tile& tile, const host::LaunchView& launch, CoreId core) {
  switch (host::stand_of(tile, launch, core)) {
    case host::CoreStand::InReset:
      return Look::Reset;
    case host::CoreStand::Faulted:
      return Look::Fault;
    case host::CoreStand::Idle:
      return Look::Idle;
    case host::CoreStand::Ended:
      return Look::Ended;
    case host::CoreStand::Busy:
      break;
  }
  const tile::CoreStatus status = tile.status(core);
  if (status == tile::CoreStatus::Halted) return Look::Halted;
  const bool waits = status == tile::CoreStatus::Blocked || status == tile::CoreStatus::Parked;
  return waits ? Look::Waits : Look::Runs;
}

GridCell cell_of(Device& device, const host::CodeMap& code, tile::Tile& tile, u32 kernel_base) {
  GridCell cell;
  cell.node = tile.id();
  cell.tile = device.coord_of(tile.id());
  const host::LaunchView launch = host::launch_of(tile, kernel_base);
  const tile::WaitNames names{[&](NodeId node) { return device.name_of(node); }, {}};
  for (unsigned i = 0; i < kCores; ++i) {
    const auto core = static_cast<CoreId>(i);
    CellAgent one{agent_of(core), look_of_core(tile, launch, core), tile.core(core).pc, "", ""};
    if (one.look != Look::Reset) one.where = code.locate(one.agent, one.pc, cell.tile).text();
    if (one.look == Look::Waits) one.what = tile::what_of(tile.waiting(core), names);
    cell.agents.push_back(std::move(one));
  }
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const Waits waits = tile.coprocessor().waiting(thread);
    const bool stopped = tile.coprocessor().state().frontend[thread].stopped;
    const Look look = stopped         ? Look::Fault
                      : waits.waiting ? Look::Waits
                      : waits.idle    ? Look::Idle
                                      : Look::Runs;
    cell.agents.push_back(
        {agent_of_thread(thread), look, waits.word, tile::what_of(waits, names), ""});
  }
  return cell;
}

std::string tooltip(const GridCell& cell) {
  std::string text = fmt::format("Tensix tile ({}, {})", cell.tile.x, cell.tile.y);
  for (const CellAgent& one : cell.agents) {
    text += fmt::format("\n{}: {}", name_of(one.agent), name_of(one.look));
    if (!one.what.empty()) text += fmt::format(" for {}", one.what);
  }
  return text;
}

}  // namespace

std::string_view name_of(Look look) {
  constexpr std::string_view kNames[kLooks] = {"reset", "idle",   "ended", "runs",
                                               "waits", "halted", "fault"};
  return kNames[static_cast<unsigned>(look)];
}

Look GridCell::look() const {
  Look most = Look::Reset;
  for (const CellAgent& one : agents)
    if (weight(one.look) > weight(most)) most = one.look;
  return most;
}

std::vector<GridCell> grid_cells(Device& device, const host::CodeMap& code,
                                 std::optional<Coord> only) {
  for (NodeId node = 0; node < device.board().node_count(); ++node)
    if (tile::Tile* tile = device.tile_of(node)) tile->settle(device.cycle());
  // Tiles without a launch know where kernels begin from those that had one.
  u32 kernel_base = 0;
  for (const Coord tile : device.board().tensix())
    if (const host::LaunchView view = host::launch_of(device.tile(tile), 0); view.valid) {
      kernel_base = view.kernel_base;
      break;
    }
  std::vector<GridCell> cells;
  for (const Coord tile : device.board().tensix())
    if (!only || *only == tile)
      cells.push_back(cell_of(device, code, device.tile(tile), kernel_base));
  return cells;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string grid_svg(const std::vector<GridCell>& cells) {
  std::vector<u8> columns;
  std::vector<u8> rows;
  const auto note = [](std::vector<u8>& all, u8 value) {
    if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
  };
  for (const GridCell& cell : cells) note(columns, cell.tile.x), note(rows, cell.tile.y);
  std::sort(columns.begin(), columns.end());
  std::sort(rows.begin(), rows.end());
  const auto place = [](const std::vector<u8>& all, u8 value) {
    return static_cast<u32>(std::find(all.begin(), all.end(), value) - all.begin()) * kCell;
  };
  // Colours that people who see red and green alike can tell apart (Okabe and Ito).
  std::string svg = fmt::format(
      "<svg class=\"bh-grid\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"group\" aria-label=\"Tensix tiles\"><style>"
      ".bh-grid text{{font:10px sans-serif;fill:currentColor}}"
      ".bh-box{{fill:#8883;stroke:#8888}}.bh-reset{{fill:#8884}}.bh-idle{{fill:#999}}"
      ".bh-ended{{fill:#56b4e9}}.bh-runs{{fill:#009e73}}.bh-waits{{fill:#e69f00}}"
      ".bh-halted{{fill:#cc79a7}}.bh-fault{{fill:#d32f2f}}"
      ".bh-cell:focus .bh-box,.bh-cell:hover .bh-box,.bh-cell.on .bh-box{{stroke:currentColor;"
      "stroke-width:2}}.bh-cell{{outline:none;cursor:pointer}}</style>",
      kLeft + columns.size() * kCell + 4, kTop + rows.size() * kCell + 4);
  for (const u8 x : columns)
    svg += fmt::format("<text x=\"{}\" y=\"11\" text-anchor=\"middle\">{}</text>",
                       kLeft + place(columns, x) + kBox / 2, x);
  for (const u8 y : rows)
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", kLeft - 5,
                       kTop + place(rows, y) + kBox / 2 + 4, y);
  for (const GridCell& cell : cells) {
    const u32 x = kLeft + place(columns, cell.tile.x);
    const u32 y = kTop + place(rows, cell.tile.y);
    const std::string_view look = name_of(cell.look());
    svg += fmt::format(
        "<g class=\"bh-cell\" data-tile=\"{}\" data-look=\"{}\" tabindex=\"-1\" role=\"button\" "
        "aria-label=\"tile {} {}: {}\"><title>{}</title><rect class=\"bh-box\" x=\"{}\" y=\"{}\" "
        "width=\"{}\" height=\"{}\" rx=\"4\"/><rect class=\"bh-{}\" x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"10\" rx=\"2\"/>",
        trace_name_of(cell.tile), look, cell.tile.x, cell.tile.y, look, escaped(tooltip(cell)), x,
        y, kBox, kBox, look, x + 2, y + 2, kBox - 4);
    for (size_t i = 0; i < cell.agents.size(); ++i) {
      const bool thread = i >= kCores;
      const size_t column = thread ? i - kCores : i;
      svg += fmt::format(
          "<rect class=\"bh-{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
          name_of(cell.agents[i].look), x + 3 + column * (kSmall + 0), y + (thread ? 28 : 16),
          kSmall - 1, kSmall + 2, thread ? 3 : 1);
    }
    svg += "</g>";
  }
  return svg + "</svg>";
}

std::string tile_html(const std::vector<GridCell>& cells) {
  std::string html = grid_svg(cells);
  for (const GridCell& cell : cells) {
    html += fmt::format("<table><caption>Tensix tile ({}, {})</caption>", cell.tile.x, cell.tile.y);
    for (const CellAgent& one : cell.agents)
      html +=
          fmt::format("<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td></tr>", name_of(one.agent),
                      name_of(one.look), escaped(one.what), escaped(one.where));
    html += "</table>";
  }
  return html;
}

}  // namespace bhemu::debug
