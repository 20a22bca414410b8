// The Tensix grid as a picture: each tile with the state of its five cores and three threads. The
// same picture is in reports (report_page.hpp) and in notebooks (Python's _repr_html_).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/report/report.hpp"

namespace bhemu::debug {

/// What a core or a thread does, as far as a picture goes.
enum class Look : u8 {
  Reset,
  Idle,   // in firmware without a kernel, or with nothing queued
  Ended,  // its kernel has ended
  Runs,
  Waits,
  Halted,
  Fault,
};
inline constexpr unsigned kLooks = 7;
std::string_view name_of(Look look);  // "waits"

struct CellAgent {
  Agent agent = Agent::Host;
  Look look = Look::Reset;
  u32 pc = 0;         // or the instruction word of a thread
  std::string what;   // it waits for
  std::string where;  // call chain
};

struct GridCell {
  NodeId node = kNoNode;
  Coord tile;
  std::vector<CellAgent> agents;  // cores, then threads
  /// That of the tile: what is most worth looking at.
  Look look() const;
};

/// Of all Tensix tiles, or of one. Time stands still.
std::vector<GridCell> grid_cells(Device& device, const host::CodeMap& code,
                                 std::optional<Coord> only = std::nullopt);

/// SVG text that needs nothing else: light and dark pages, names as tooltips.
std::string grid_svg(const std::vector<GridCell>& cells);

/// One tile with a table of where its cores and threads stand.
std::string tile_html(const std::vector<GridCell>& cells);

/// &, <, > and quotes as HTML wants them.
std::string escaped(std::string_view text);

}  // namespace bhemu::debug
