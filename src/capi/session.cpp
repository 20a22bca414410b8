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
constexpr std::array kKeys{"board", "harvest-dram", "harvest-columns", "timing", "threads",
                           "seed",  "rule",         "faults",          "elf"};

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

void add_all(const std::string& list, std::vector<std::string>& items) {
  for (size_t at = 0; at < list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    items.push_back(list.substr(at, comma - at));
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
    add_all(text, device.rules);
  } else if (key == "faults") {
    settings.faults = mode_of(text, name);
  } else if (key == "elf") {
    add_all(text, settings.elves);
  } else {
    throw InputError(name.file, name.place,
                     fmt::format("there is no setting '{}'{}", key,
                                 host::suggestion(key, {kKeys.begin(), kKeys.end()})));
  }
}

void check_buffer(std::span<const u8> bytes) {
  if (bytes.data() == nullptr && !bytes.empty())
    throw card::AccessError(fmt::format("the buffer for {} bytes is null", bytes.size()));
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
        for (const auto& item : entry.second)
          set(settings, name.name, item.as<std::string>(), name);
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
  if (bytes == 0) return true;
  try {
    read_(address, target, bytes);
  } catch (...) {
    return false;
  }
  return true;
}

bool CallbackMemory::write(u64 address, const void* source, u32 bytes) {
  if (write_ == nullptr) return false;
  if (bytes == 0) return true;
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
      code_(settings.elves),
      options_(host::device_options(settings.device, BoardModel::P150, SettingStyle::Environment)),
      memory_(read, write),
      has_memory_(read != nullptr && write != nullptr) {
  power_on();
}

Session::~Session() {
  device_->set_host_memory(nullptr);
}

/// Also what a reset of the ASIC leaves: nothing of what was.
void Session::power_on() {
  function_.reset();
  device_.emplace(options_);
  if (has_memory_) device_->set_host_memory(&memory_);
  function_.emplace(*device_);
}

void Session::report(const std::string& text) {
  std::fprintf(stderr, "bhemu: %s\n", text.c_str());
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

/// What is to be said about the faults so far, which are forgotten then.
std::string Session::take_faults() {
  const auto reports = host::fault_reports(*device_, code_.locate(*device_));
  device_->clear_faults();
  return reports.empty() ? "" : host::fault_text(reports);
}

void Session::guest_mistake() {
  const std::string text = take_faults();
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
  if (const std::string text = take_faults(); !text.empty()) mistake += "\n" + text;
  host_mistake(mistake);
}

u32 Session::config_read(u32 bus_device_function, u32 offset) {
  u32 value = ~0u;
  // Nobody else is on this bus: an empty slot reads all ones.
  if (bus_device_function == 0) guarded([&] { value = function_->config_read(offset); });
  return value;
}

void Session::config_write(u32 bus_device_function, u32 offset, u32 value) {
  guarded([&] {
    if (bus_device_function != 0)
      throw card::AccessError(
          fmt::format("no PCI function {:#x}: the card is function 0", bus_device_function));
    function_->config_write(offset, value);
    if (function_->wants_reset()) power_on();
  });
}

void Session::read(u64 address, std::span<u8> bytes) {
  if (bytes.data() != nullptr) std::fill(bytes.begin(), bytes.end(), u8{0xFF});
  guarded([&] {
    check_buffer(bytes);
    if (bytes.empty()) return;  // nothing goes out on the bus
    function_->read(address, bytes);
  });
}

void Session::write(u64 address, std::span<const u8> bytes) {
  guarded([&] {
    check_buffer(bytes);
    if (bytes.empty()) return;
    function_->write(address, bytes);
  });
}

void Session::tile_read(u32 x, u32 y, u64 address, std::span<u8> bytes) {
  if (bytes.data() != nullptr) std::fill(bytes.begin(), bytes.end(), u8{0xFF});
  guarded([&] {
    check_buffer(bytes);
    if (bytes.empty()) return;
    const bool there = x < noc::Routing::kSpan && y < noc::Routing::kSpan;
    if (!there || !device_->read({static_cast<u8>(x), static_cast<u8>(y)}, address, bytes))
      throw card::AccessError(fmt::format("nothing can be read at ({}, {}) address {:#x}, {} bytes",
                                          x, y, address, bytes.size()));
  });
}

void Session::tile_write(u32 x, u32 y, u64 address, std::span<const u8> bytes) {
  guarded([&] {
    check_buffer(bytes);
    if (bytes.empty()) return;
    const bool there = x < noc::Routing::kSpan && y < noc::Routing::kSpan;
    const NodeId node =
        there ? device_->board().node_at_translated({static_cast<u8>(x), static_cast<u8>(y)})
              : kNoNode;
    const bool stopped = node != kNoNode && device_->node(node).faults().stopped();
    if (!device_->write(node, address, bytes))
      throw card::AccessError(
          fmt::format("nothing can be written at ({}, {}) address {:#x}, {} bytes", x, y, address,
                      bytes.size()));
    if (!stopped && device_->node(node).faults().stopped())
      throw card::AccessError(
          fmt::format("the write to ({}, {}) address {:#x} has broken a rule", x, y, address));
  });
}

void Session::clock(u32 cycles) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (latched_ || cycles == 0) return;
  if (device_->advance(cycles).status == RunStatus::Faulted) guest_mistake();
}

}  // namespace bhemu::capi
