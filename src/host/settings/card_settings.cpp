#include "host/settings/card_settings.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "host/error.hpp"
#include "host/suggest.hpp"

namespace bhemu::host {
namespace {

constexpr const char* kFileName = "bhemu.yaml";
constexpr std::array kKeys{"board",       "harvest-dram", "harvest-columns",
                           "timing",      "threads",      "seed",
                           "rule",        "faults",       "elf",
                           "trace",       "trace-format", "trace-what",
                           "trace-tiles", "trace-cores",  "trace-cycles",
                           "trace-limit", "clock",        "hang",
                           "bundle",      "gdb",          "gdb-tiles",
                           "gdb-script",  "race",         "race-suppress",
                           "race-json",   "race-sarif",   "check"};

/// Null when the key is none of a trace's.
std::string* trace_setting(TraceSettings& trace, const std::string& key) {
  if (key == "trace") return &trace.file;
  if (key == "trace-format") return &trace.format;
  if (key == "trace-what") return &trace.what;
  if (key == "trace-tiles") return &trace.tiles;
  if (key == "trace-cores") return &trace.cores;
  if (key == "trace-cycles") return &trace.cycles;
  return key == "trace-limit" ? &trace.limit : nullptr;
}

/// Where the value of a debugger's key goes; null when the key is none of its.
std::string* gdb_setting(GdbSettings& gdb, const std::string& key) {
  if (key == "gdb") return &gdb.where;
  if (key == "gdb-tiles") return &gdb.tiles;
  return key == "gdb-script" ? &gdb.script : nullptr;
}

/// Null when the key is none of the race detector's.
std::string* race_setting(RaceSettings& race, const std::string& key) {
  if (key == "race") return &race.level;
  if (key == "race-suppress") return &race.suppress;
  if (key == "race-json") return &race.json;
  return key == "race-sarif" ? &race.sarif : nullptr;
}

struct Name {
  std::string name;  // as messages give it
  std::string file;
  std::string place;
};

FaultMode mode_of(const std::string& text, const Name& name) {
  if (text == "throw") return FaultMode::Throw;
  if (text == "report") return FaultMode::Report;
  if (text == "exit") return FaultMode::Exit;
  throw InputError(name.file, name.place,
                   fmt::format("{}: '{}' is no way to take faults{}", name.name, text,
                               suggestion(text, {"throw", "report", "exit"})));
}

ClockMode clock_of(const std::string& text, const Name& name) {
  if (text == "auto") return ClockMode::Auto;
  if (text == "calls") return ClockMode::Calls;
  if (text == "free") return ClockMode::Free;
  throw InputError(name.file, name.place,
                   fmt::format("{}: '{}' is no way to give a card its time{}", name.name, text,
                               suggestion(text, {"auto", "calls", "free"})));
}

template <class Number>
Number number_of(const std::string& text, Number least, Number most, const Name& name) {
  Number value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < least ||
      value > most)
    throw InputError(
        name.file, name.place,
        fmt::format("{}: '{}' must be a number from {} to {}", name.name, text, least, most));
  return value;
}

void add_all(const std::string& list, std::vector<std::string>& items) {
  std::ranges::move(items_of(list), std::back_inserter(items));
}

void set(CardSettings& settings, const std::string& key, const std::string& text,
         const Name& name) {
  constexpr unsigned kMostThreads = 256;
  constexpr unsigned kMostSeconds = 24 * 3600;
  DeviceSettings& device = settings.device;
  if (key == "board") {
    device.board = text;
  } else if (key == "harvest-dram") {
    device.harvest_dram = text;
  } else if (key == "harvest-columns") {
    device.harvest_columns = text;
  } else if (key == "bundle") {
    device.bundle = text;
  } else if (key == "timing") {
    device.timing = text;
  } else if (key == "threads") {
    device.threads = number_of(text, 1u, kMostThreads, name);
  } else if (key == "seed") {
    device.seed = number_of(text, u64{0}, ~u64{0}, name);
  } else if (key == "rule") {
    add_all(text, device.rules);
  } else if (key == "check") {
    device.check = text;
  } else if (key == "faults") {
    settings.faults = mode_of(text, name);
  } else if (key == "clock") {
    settings.clock = clock_of(text, name);
  } else if (key == "hang") {
    settings.hang_seconds = number_of(text, 0u, kMostSeconds, name);
  } else if (key == "elf") {
    add_all(text, settings.elves);
  } else if (std::string* trace = trace_setting(device.trace, key)) {
    *trace = text;
  } else if (std::string* gdb = gdb_setting(device.gdb, key)) {
    *gdb = text;
  } else if (std::string* race = race_setting(device.race, key)) {
    *race = text;
  } else {
    throw InputError(name.file, name.place,
                     fmt::format("there is no setting '{}'{}", key,
                                 suggestion(key, {kKeys.begin(), kKeys.end()})));
  }
}

void read_file(CardSettings& settings, const std::string& path) {
  try {
    const YAML::Node root = YAML::LoadFile(path);
    if (root.IsNull()) return;
    if (!root.IsMap())
      throw InputError(path, "1:1", "a list of settings is expected, `name: value`");
    for (const auto& entry : root) {
      const YAML::Mark mark = entry.first.Mark();
      const Name name{entry.first.as<std::string>(), path,
                      fmt::format("{}:{}", mark.line + 1, mark.column + 1)};
      if (entry.second.IsSequence()) {
        std::string list;
        const char* const separator = name.name == "rule" || name.name == "check" ? "," : " ";
        for (const auto& item : entry.second)
          list += (list.empty() ? "" : separator) + item.as<std::string>();
        set(settings, name.name, list, name);
      } else {
        set(settings, name.name, entry.second.as<std::string>(), name);
      }
    }
  } catch (const YAML::BadFile&) {
    throw InputError(path, "", "the file cannot be read");
  } catch (const YAML::Exception& error) {
    throw InputError(path, fmt::format("{}:{}", error.mark.line + 1, error.mark.column + 1),
                     error.msg);
  }
}

/// Where tt-metal puts what it compiles, and what it brings along compiled:
/// tt_metal/llrt/rtoptions.cpp (TT_METAL_CACHE), jit_build/build.cpp (get_default_root_path),
/// tt_metal/pre-compiled.
std::vector<std::string> metal_caches(const std::function<const char*(const char*)>& get) {
  std::vector<std::string> folders;
  if (const char* cache = get("TT_METAL_CACHE"))
    folders.emplace_back(cache);
  else if (const char* home = get("HOME"))
    folders.push_back(std::string(home) + "/.cache/tt-metal-cache");
  for (const char* variable : {"TT_METAL_RUNTIME_ROOT", "TT_METAL_HOME"})
    if (const char* root = get(variable)) {
      folders.push_back(std::string(root) + "/tt_metal/pre-compiled");
      break;
    }
  return folders;
}

}  // namespace

CardSettings card_settings(const std::function<const char*(const char*)>& get,
                           std::span<const std::string> beside, FaultMode faults) {
  CardSettings settings;
  settings.faults = faults;
  // Software that works on cards breaks these rules, too: tt-metal's dispatcher changes the source
  // of a write that need not have left (cq_dispatch_subordinate.cpp), and a kernel over a shard
  // takes pages that nobody has pushed (vecadd_sharding).
  settings.device.check = "none";
  if (const char* named = get("BHEMU_CONFIG")) {
    read_file(settings, named);
  } else {
    for (const std::string& directory : beside) {
      const std::filesystem::path path = std::filesystem::path(directory) / kFileName;
      std::error_code error;
      if (directory.empty() || !std::filesystem::exists(path, error)) continue;
      read_file(settings, path.string());
      break;
    }
  }
  for (const char* key : kKeys) {
    const std::string variable = setting_name(SettingStyle::Environment, key);
    if (const char* value = get(variable.c_str())) set(settings, key, value, {variable, "", ""});
  }
  settings.caches = metal_caches(get);
  // tt-metal's fast dispatch (tt_metal/llrt/rtoptions.cpp).
  const bool simulator = get("TT_METAL_SIMULATOR") != nullptr;
  settings.polls_memory = simulator && get("TT_METAL_SLOW_DISPATCH_MODE") == nullptr;
  // Its prints and its watcher, also where it takes us for a card (tt_metal/llrt/rtoptions.cpp).
  settings.looks_at_leisure =
      simulator || get("TT_METAL_HOME") != nullptr || get("TT_METAL_RUNTIME_ROOT") != nullptr;
  const char* const limit = get("TT_METAL_OPERATION_TIMEOUT_SECONDS");
  settings.asks_while_waiting = limit != nullptr && std::strtod(limit, nullptr) > 0;
  return settings;
}

RaceSettings race_settings(const std::function<const char*(const char*)>& get) {
  RaceSettings settings;
  for (const char* key : kKeys)
    if (std::string* const setting = race_setting(settings, key))
      if (const char* value = get(setting_name(SettingStyle::Environment, key).c_str()))
        *setting = value;
  return settings;
}

std::vector<std::string> misspelt_variables(const char* const* environment) {
  constexpr std::string_view kPrefix = "BHEMU_";
  // Settings that have no key in bhemu.yaml.
  std::vector<std::string> known{"BHEMU_CONFIG", "BHEMU_CC",    "BHEMU_SDK",       "BHEMU_CACHE",
                                 "BHEMU_JIT",    "BHEMU_UNITS", "BHEMU_BOOT_CACHE"};
  for (const char* key : kKeys) known.push_back(setting_name(SettingStyle::Environment, key));
  std::vector<std::string> lines;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with(kPrefix) || std::ranges::find(known, name) != known.end()) continue;
    const size_t most = std::max<size_t>(1, (name.size() - kPrefix.size()) / 3);
    const auto nearest = std::ranges::min_element(
        known, {}, [&](const std::string& other) { return edit_distance(name, other); });
    if (edit_distance(name, *nearest) <= most)
      lines.push_back(
          fmt::format("{} is no setting and is not looked at; did you mean {}?", name, *nearest));
  }
  return lines;
}

}  // namespace bhemu::host
