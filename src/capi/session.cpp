#include "capi/session.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "debug/trace_file.hpp"
#include "host/report.hpp"

namespace bhemu::capi {

using host::SettingStyle;

namespace {

void check_buffer(std::span<const u8> bytes) {
  if (bytes.data() == nullptr && !bytes.empty())
    throw card::AccessError(fmt::format("the buffer for {} bytes is null", bytes.size()));
}

}  // namespace

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
      std::_Exit(host::kExitHost);
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
      std::_Exit(host::kExitGuest);
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
  if (bytes.data() != nullptr) std::fill(bytes.begin(), bytes.end(), u8{0xFF});
  guarded([&] {
    check_buffer(bytes);
    function_.read(address, bytes);
  });
}

void Session::write(u64 address, std::span<const u8> bytes) {
  guarded([&] {
    check_buffer(bytes);
    function_.write(address, bytes);
  });
}

void Session::tile_read(u32 x, u32 y, u64 address, std::span<u8> bytes) {
  if (bytes.data() != nullptr) std::fill(bytes.begin(), bytes.end(), u8{0xFF});
  guarded([&] {
    check_buffer(bytes);
    if (bytes.empty()) return;
    const bool there = x < noc::Routing::kSpan && y < noc::Routing::kSpan;
    if (!there || !device_.read({static_cast<u8>(x), static_cast<u8>(y)}, address, bytes))
      throw card::AccessError(fmt::format("nothing can be read at ({}, {}) address {:#x}, {} bytes",
                                          x, y, address, bytes.size()));
  });
}

void Session::tile_write(u32 x, u32 y, u64 address, std::span<const u8> bytes) {
  guarded([&] {
    check_buffer(bytes);
    if (bytes.empty()) return;
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
