#include "host/settings/trace_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "host/error.hpp"
#include "host/suggest.hpp"

namespace bhemu::host {
namespace {

std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find_first_of(separators, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool parse(std::string_view text, u64& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && !text.empty();
}

/// A bit per name of a list; "all" is every bit.
u32 mask_of(const std::string& setting, const std::string& list, const char* kind,
            const std::vector<std::string>& names) {
  u32 mask = 0;
  for (const std::string& name : split(list, ", ")) {
    if (name.empty()) continue;
    if (name == "all") {
      mask |= (1u << names.size()) - 1;
      continue;
    }
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      std::vector<std::string> known = names;
      known.push_back("all");
      throw InputError(
          setting, "",
          fmt::format("'{}' is no {} of a trace{}", name, kind, suggestion(name, known)));
    }
    mask |= 1u << (found - names.begin());
  }
  if (mask == 0) throw InputError(setting, "", fmt::format("names no {} of a trace", kind));
  return mask;
}

/// One pair of numbers with `separator` between.
bool parse_coord(const std::string& text, char separator, Coord& coord) {
  const size_t middle = text.find(separator);
  u64 x = 0;
  u64 y = 0;
  if (middle == std::string::npos || !parse(text.substr(0, middle), x) ||
      !parse(text.substr(middle + 1), y) || x > 255 || y > 255)
    return false;
  coord = {static_cast<u8>(x), static_cast<u8>(y)};
  return true;
}

class Tiles {
 public:
  Tiles(const Board& board, std::string setting)
      : board_(board), setting_(std::move(setting)), nodes_(board.node_count()) {}

  void add(const std::string& text) {
    const size_t colon = text.find(':');
    Coord first;
    Coord last;
    if (!parse_coord(text.substr(0, colon), '-', first)) wrong(text);
    if (colon == std::string::npos) return add_tile(first);
    if (!parse_coord(text.substr(colon + 1), '-', last) || last.x < first.x || last.y < first.y)
      wrong(text);
    bool any = false;
    for (u32 y = first.y; y <= last.y; ++y)
      for (u32 x = first.x; x <= last.x; ++x)
        any |= add_node({static_cast<u8>(x), static_cast<u8>(y)});
    if (!any) throw InputError(setting_, "", fmt::format("there is no tile in {}", text));
  }
  void add_tile(Coord tile) {
    if (!add_node(tile))
      throw InputError(setting_, "",
                       fmt::format("the board {} has no tile {}-{} (translated coordinates, see "
                                   "bhemu info)",
                                   board_.name(), tile.x, tile.y));
  }
  [[noreturn]] void wrong(const std::string& text) const {
    throw InputError(setting_, "",
                     fmt::format("'{}' must be a list of tiles like 1-2,3-4 or 1-2:4-5 (a "
                                 "rectangle), or pairs like 1,2 with spaces between",
                                 text));
  }
  std::vector<bool> take() { return std::move(nodes_); }

 private:
  bool add_node(Coord tile) {
    const NodeId node = board_.node_at_translated(tile);
    if (node == kNoNode) return false;
    nodes_[node] = true;
    return true;
  }

  const Board& board_;
  std::string setting_;
  std::vector<bool> nodes_;
};

void set_cycles(const std::string& setting, const std::string& text, trace::Selection& selection) {
  const size_t dash = text.find('-');
  const bool bounded = dash != std::string::npos && dash + 1 < text.size();
  u64 from = 0;
  u64 last = kNever - 1;
  if (dash == std::string::npos || text == "-" ||
      (dash != 0 && !parse(text.substr(0, dash), from)) ||
      (bounded && !parse(text.substr(dash + 1), last)) || from > last || last == kNever)
    throw InputError(setting, "",
                     fmt::format("'{}' must be two cycles like 1000-2000, the first no later than "
                                 "the last; 1000- has no end",
                                 text));
  selection.from = from;
  selection.until = last + 1;
}

TraceFormat format_of(const std::string& setting, const TraceSettings& settings) {
  const auto ends = [&](const char* end) { return settings.file.ends_with(end); };
  if (settings.format.empty()) {
    if (ends(".jsonl") || ends(".json")) return TraceFormat::Json;
    return ends(".pftrace") || ends(".perfetto-trace") ? TraceFormat::Perfetto : TraceFormat::Text;
  }
  const std::vector<std::string> known = {"text", "json", "perfetto"};
  const auto found = std::find(known.begin(), known.end(), settings.format);
  if (found == known.end())
    throw InputError(setting, "",
                     fmt::format("'{}' is no format of a trace{}", settings.format,
                                 suggestion(settings.format, known)));
  return static_cast<TraceFormat>(found - known.begin());
}

}  // namespace

std::vector<bool> nodes_of_tiles(const std::string& setting, const std::string& text,
                                 const Board& board) {
  Tiles tiles(board, setting);
  for (const std::string& group : split(text, " ;")) {
    if (group.empty()) continue;
    Coord pair;
    if (group.find('-') == std::string::npos) {
      if (!parse_coord(group, ',', pair)) tiles.wrong(group);
      tiles.add_tile(pair);
      continue;
    }
    for (const std::string& part : split(group, ",")) tiles.add(part);
  }
  std::vector<bool> nodes = tiles.take();
  if (std::find(nodes.begin(), nodes.end(), true) == nodes.end())
    throw InputError(setting, "", "names no tile");
  return nodes;
}

std::optional<TraceOptions> trace_options(const TraceSettings& settings, const Board& board,
                                          SettingStyle style) {
  const auto name = [style](const char* key) { return setting_name(style, key); };
  if (settings.file.empty()) return std::nullopt;
  TraceOptions options;
  options.file = settings.file;
  options.format = format_of(name("trace-format"), settings);
  if (options.format == TraceFormat::Perfetto && options.file == "-")
    throw InputError(name("trace"), "", "a Perfetto trace is no text: it wants a file");
  trace::Selection& selection = options.selection;
  if (!settings.what.empty()) {
    std::vector<std::string> names;
    for (unsigned i = 0; i < trace::kWhats; ++i)
      names.emplace_back(trace::name_of(static_cast<trace::What>(i)));
    selection.what = mask_of(name("trace-what"), settings.what, "kind", names);
  }
  if (!settings.cores.empty())
    selection.cores =
        mask_of(name("trace-cores"), settings.cores, "core",
                {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2", "erisc0", "erisc1"});
  if (!settings.tiles.empty())
    selection.nodes = nodes_of_tiles(name("trace-tiles"), settings.tiles, board);
  if (settings.cycles == "run") {
    if (style != SettingStyle::Option)
      throw InputError(name("trace-cycles"), "", "'run' is for bhemu run");
    options.launch_only = true;
  } else if (!settings.cycles.empty()) {
    set_cycles(name("trace-cycles"), settings.cycles, selection);
  }
  if (!settings.limit.empty() && (!parse(settings.limit, selection.limit) || selection.limit == 0))
    throw InputError(name("trace-limit"), "",
                     fmt::format("'{}' must be a number of events, at least 1", settings.limit));
  return options;
}

}  // namespace bhemu::host
