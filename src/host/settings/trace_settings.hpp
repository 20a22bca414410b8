// What a user can set about a trace, as text, and what it means.
#pragma once

#include <optional>
#include <string>

#include "device/board.hpp"
#include "host/settings/setting_style.hpp"
#include "trace/selection.hpp"

namespace bhemu::host {

struct TraceSettings {
  std::string file;    // "-": standard error; empty: no trace
  std::string format;  // "text", "json" or "perfetto"; empty: as the file's name says
  std::string what;    // "riscv,noc"; empty or "all": everything
  std::string tiles;   // "1-2,3-4", "1-2:4-5" (a rectangle), "1,2 3,4"; empty: all
  std::string cores;   // "brisc,trisc1"; empty: all
  std::string cycles;  // "1000-2000", "1000-", "-2000"; "run": the launch only; empty: all
  std::string limit;   // events; empty: no limit
};

enum class TraceFormat : u8 { Text, Json, Perfetto };

struct TraceOptions {
  std::string file;
  TraceFormat format = TraceFormat::Text;
  bool launch_only = false;  // it begins when the program starts, not when the chip boots
  trace::Selection selection;
};

/// The nodes of the tiles in such a list. Throws InputError, with `setting` as its file.
std::vector<bool> nodes_of_tiles(const std::string& setting, const std::string& list,
                                 const Board& board);

/// None when there is no file. Throws InputError; nothing is opened.
std::optional<TraceOptions> trace_options(const TraceSettings& settings, const Board& board,
                                          SettingStyle style);

}  // namespace bhemu::host
