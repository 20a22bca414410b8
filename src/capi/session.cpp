#include "capi/session.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "arc/arc.hpp"
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
      code_(settings.elves),
      options_(host::device_options(settings.device, BoardModel::P150, SettingStyle::Environment)),
      memory_(read, write),
      has_memory_(read != nullptr && write != nullptr),
      trace_(settings.device.trace) {
  power_on();
}

Session::~Session() {
  power_off();
}

/// Also what a reset of the ASIC leaves: nothing of what was. A trace begins anew, too.
void Session::power_on() {
  power_off();
  device_.emplace(options_);
  if (has_memory_) device_->set_host_memory(&memory_);
  function_.emplace(*device_);
  debug::start_trace(*device_, trace_, SettingStyle::Environment);
}

void Session::power_off() {
  if (!device_) return;
  const trace::Summary trace = device_->stop_trace();
  if (!trace.error.empty()) report_trace(trace.error);
  device_->set_host_memory(nullptr);
  function_.reset();
  device_.reset();
}

void Session::report(const std::string& text) {
  std::fprintf(stderr, "bhemu: %s\n", text.c_str());
}

/// It is neither the client's mistake nor the guest's, so the session goes on without.
void Session::report_trace(const std::string& error) {
  if (trace_.file.empty()) return;
  report(fmt::format("{}: the trace ends here: {}", trace_.file, error));
  trace_.file.clear();
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
      // Said once: the core that broke the rule stays where it is, and whoever wants to know more
      // can look at it and at the rest of the chip.
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

/// Time passes on a bus after each write of the host's: a tenth of a microsecond or two until the
/// next write, a round trip over PCI Express until the answer to a read. Clients that clock after
/// their reads only (tt-umd) rely on it: they release a core, or send a debugger's commands, and
/// look at once. What faults meanwhile is said at the next clock.
void Session::let_writes_work(bool reads) {
  constexpr Cycle kRoundTrip = arc::kAiclkBusy;  // MHz: a microsecond's cycles
  constexpr Cycle kNextWrite = 1;                // the rest of an epoch
  if (!has_written_) return;
  has_written_ = false;
  has_faulted_ |= device_->advance(reads ? kRoundTrip : kNextWrite).status == RunStatus::Faulted;
}

void Session::read(u64 address, std::span<u8> bytes) {
  if (bytes.data() != nullptr) std::fill(bytes.begin(), bytes.end(), u8{0xFF});
  guarded([&] {
    check_buffer(bytes);
    if (bytes.empty()) return;  // nothing goes out on the bus
    let_writes_work(true);
    function_->read(address, bytes);
  });
}

void Session::write(u64 address, std::span<const u8> bytes) {
  guarded([&] {
    check_buffer(bytes);
    if (bytes.empty()) return;
    let_writes_work(false);
    has_written_ = true;
    function_->write(address, bytes);
  });
}

void Session::tile_read(u32 x, u32 y, u64 address, std::span<u8> bytes) {
  if (bytes.data() != nullptr) std::fill(bytes.begin(), bytes.end(), u8{0xFF});
  guarded([&] {
    check_buffer(bytes);
    if (bytes.empty()) return;
    let_writes_work(true);
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
    let_writes_work(false);
    has_written_ = true;
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
  has_written_ = false;
  const RunStatus status = device_->advance(cycles).status;
  if (!trace_.file.empty()) {
    if (const trace::Summary trace = device_->trace_summary(); !trace.error.empty())
      report_trace(trace.error);
  }
  if (status != RunStatus::Faulted && !has_faulted_) return;
  has_faulted_ = false;
  guest_mistake();
}

}  // namespace bhemu::capi
