#include "capi/session.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "debug/trace_file.hpp"
#include "host/error.hpp"
#include "host/report.hpp"
#include "host/suggest.hpp"

namespace bhemu::capi {
namespace {

using host::InputError;
using host::SettingStyle;

constexpr int kHostStatus = 2;
constexpr int kGuestStatus = 4;
constexpr const char* kFileName = "bhemu.yaml";
constexpr std::array kKeys{
    "board",      "harvest-dram", "harvest-columns", "timing",       "threads",
    "seed",       "rule",         "faults",          "trace",        "trace-format",
    "trace-what", "trace-tiles",  "trace-cores",     "trace-cycles", "trace-limit"};

/// Null when the key is none of a trace's.
std::string* trace_setting(host::TraceSettings& trace, const std::string& key) {
  if (key == "trace") return &trace.file;
  if (key == "trace-format") return &trace.format;
  if (key == "trace-what") return &trace.what;
  if (key == "trace-tiles") return &trace.tiles;
  if (key == "trace-cores") return &trace.cores;
  if (key == "trace-cycles") return &trace.cycles;
  return key == "trace-limit" ? &trace.limit : nullptr;
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
                               host::suggestion(text, {"throw", "report", "exit"})));
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

void add_rules(const std::string& list, std::vector<std::string>& rules) {
  for (size_t at = 0; at < list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    rules.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
}

void set(SessionSettings& settings, const std::string& key, const std::string& text,
         const Name& name) {
  constexpr unsigned kMostThreads = 256;
  host::DeviceSettings& device = settings.device;
  if (key == "board") {
    device.board = text;
  } else if (key == "harvest-dram") {
    device.harvest_dram = text;
  } else if (key == "harvest-columns") {
    device.harvest_columns = text;
  } else if (key == "timing") {
    device.timing = text;
  } else if (key == "threads") {
    device.threads = number_of(text, 1u, kMostThreads, name);
  } else if (key == "seed") {
    device.seed = number_of(text, u64{0}, ~u64{0}, name);
  } else if (key == "rule") {
    add_rules(text, device.rules);
  } else if (key == "faults") {
    settings.faults = mode_of(text, name);
  } else if (std::string* trace = trace_setting(device.trace, key)) {
    *trace = text;
  } else {
    throw InputError(name.file, name.place,
                     fmt::format("there is no setting '{}'{}", key,
                                 host::suggestion(key, {kKeys.begin(), kKeys.end()})));
  }
}

void read_file(SessionSettings& settings, const std::string& path) {
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
        const char* const separator = name.name == "rule" ? "," : " ";
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

}  // namespace

SessionSettings session_settings(const std::function<const char*(const char*)>& get,
                                 std::span<const std::string> beside) {
  SessionSettings settings;
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
    const std::string variable = host::setting_name(SettingStyle::Environment, key);
    if (const char* value = get(variable.c_str())) set(settings, key, value, {variable, "", ""});
  }
  return settings;
}

// A callback that throws must not end a worker thread: what it could not do is not there.
bool CallbackMemory::read(u64 address, void* target, u32 bytes) {
  if (read_ == nullptr) return false;
  try {
    read_(address, target, bytes);
  } catch (...) {
    return false;
  }
  return true;
}

bool CallbackMemory::write(u64 address, const void* source, u32 bytes) {
  if (write_ == nullptr) return false;
  try {
    write_(address, source, bytes);
  } catch (...) {
    return false;
  }
  return true;
}

Session::Session(const SessionSettings& settings, CallbackMemory::Read read,
                 CallbackMemory::Write write)
    : mode_(settings.faults),
      device_(host::device_options(settings.device, BoardModel::P150, SettingStyle::Environment)),
      memory_(read, write),
      function_(device_) {
  if (read != nullptr && write != nullptr) device_.set_host_memory(&memory_);
  debug::start_trace(device_, settings.device.trace, SettingStyle::Environment);
  trace_file_ = settings.device.trace.file;
}

Session::~Session() {
  const trace::Summary trace = device_.stop_trace();
  if (!trace.error.empty()) report_trace(trace.error);
  device_.set_host_memory(nullptr);
}

void Session::report(const std::string& text) {
  std::fprintf(stderr, "bhemu: %s\n", text.c_str());
}

/// It is neither the client's mistake nor the guest's, so the session goes on without.
void Session::report_trace(const std::string& error) {
  if (!trace_file_.empty()) report(fmt::format("{}: the trace ends here: {}", trace_file_, error));
  trace_file_.clear();
}

void Session::host_mistake(const std::string& text) {
  switch (mode_) {
    case FaultMode::Throw:
      throw std::runtime_error("bhemu: " + text);
    case FaultMode::Exit:
      report(text);
      std::_Exit(kHostStatus);
    case FaultMode::Report:
      if (!latched_) report(text);
      latched_ = true;
  }
}

void Session::guest_mistake() {
  const std::string text = host::fault_text(host::fault_reports(device_, host::CodeMap()));
  switch (mode_) {
    case FaultMode::Throw:
      throw std::runtime_error("bhemu: " + text);
    case FaultMode::Exit:
      report(text);
      std::_Exit(kGuestStatus);
    case FaultMode::Report:
      if (!latched_) report(text);
      latched_ = true;
  }
}

template <class Body>
void Session::guarded(Body body) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (latched_) return;
  std::string mistake;
  try {
    body();
    return;
  } catch (const card::AccessError& error) {
    mistake = error.what();
  }
  // A rule that the access broke says more than that nothing answered.
  const auto reports = host::fault_reports(device_, host::CodeMap());
  if (!reports.empty()) mistake += "\n" + host::fault_text(reports);
  device_.clear_faults();
  host_mistake(mistake);
}

u32 Session::config_read(u32 bus_device_function, u32 offset) {
  u32 value = ~0u;
  // Nobody else is on this bus: an empty slot reads all ones.
  if (bus_device_function == 0) guarded([&] { value = function_.config_read(offset); });
  return value;
}

void Session::config_write(u32 bus_device_function, u32 offset, u32 value) {
  guarded([&] {
    if (bus_device_function != 0)
      throw card::AccessError(
          fmt::format("no PCI function {:#x}: the card is function 0", bus_device_function));
    function_.config_write(offset, value);
  });
}

void Session::read(u64 address, std::span<u8> bytes) {
  std::memset(bytes.data(), 0xFF, bytes.size());
  guarded([&] { function_.read(address, bytes); });
}

void Session::write(u64 address, std::span<const u8> bytes) {
  guarded([&] { function_.write(address, bytes); });
}

void Session::tile_read(u32 x, u32 y, u64 address, std::span<u8> bytes) {
  std::memset(bytes.data(), 0xFF, bytes.size());
  guarded([&] {
    const bool there = x < noc::Routing::kSpan && y < noc::Routing::kSpan;
    if (!there || !device_.read({static_cast<u8>(x), static_cast<u8>(y)}, address, bytes))
      throw card::AccessError(fmt::format("nothing can be read at ({}, {}) address {:#x}, {} bytes",
                                          x, y, address, bytes.size()));
  });
}

void Session::tile_write(u32 x, u32 y, u64 address, std::span<const u8> bytes) {
  guarded([&] {
    const bool there = x < noc::Routing::kSpan && y < noc::Routing::kSpan;
    if (!there || !device_.write({static_cast<u8>(x), static_cast<u8>(y)}, address, bytes))
      throw card::AccessError(
          fmt::format("nothing can be written at ({}, {}) address {:#x}, {} bytes", x, y, address,
                      bytes.size()));
  });
}

void Session::clock(u32 cycles) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (latched_ || cycles == 0) return;
  const RunStatus status = device_.advance(cycles).status;
  if (!trace_file_.empty()) {
    if (const trace::Summary trace = device_.trace_summary(); !trace.error.empty())
      report_trace(trace.error);
  }
  if (status == RunStatus::Faulted) guest_mistake();
}

}  // namespace bhemu::capi
