// What the files of the C API share: the handle, and how failures leave.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../include/bhemu/bhemu.h"
#include "debug/known_code.hpp"
#include "debug/race_session.hpp"
#include "device/device.hpp"
#include "host/error.hpp"
#include "host/report/host_desk.hpp"
#include "host/settings/card_checks.hpp"

struct bhemu_device {
  /// Throws host::InputError.
  bhemu_device(const bhemu::DeviceOptions& options, const bhemu::host::RaceSettings& race)
      : device(options), races(device, race) {
    bhemu::host::watch_launches(device, options.checks);
  }
  bhemu_device(bhemu::Device&& other, const bhemu::debug::KnownCode& known)
      : device(std::move(other)), code(known), races(device, {}) {}
  bhemu::Device device;
  bhemu::debug::KnownCode code;  // for reports
  bhemu::debug::RaceSession races;
  std::vector<bhemu::host::FaultReport> faults;  // behind the texts of bhemu_get_fault
  bhemu::host::HostDesk desk;
  std::atomic<std::thread::id> user{};  // the thread that is in a call
};

namespace bhemu::capi {

/// Per thread, as C programs expect of a last error; nothing of a device depends on it.
std::string& last_error();
int fail(bhemu_status status, std::string text);
/// From what a run ended with: a status, and the report as the error text.
int status_of(bhemu_device& handle, const RunResult& result);
/// Throw InputError.
Coord coord_of(u32 x, u32 y);
void check_pointers(const bhemu_device* device, const void* data, size_t bytes);

/// The device for the time of a call: a predicate's calls come from the same thread, and those of
/// another thread are refused.
class Use {
 public:
  explicit Use(bhemu_device* device) : device_(device) {
    std::thread::id nobody{};
    const std::thread::id self = std::this_thread::get_id();
    outermost_ = device_->user.compare_exchange_strong(nobody, self);
    if (!outermost_ && nobody != self)
      throw host::InputError(
          "", "",
          "another thread is in a call with this device. Remedy: let one thread at a time use a "
          "device (a mutex around the calls), or give each thread its own (bhemu_clone)");
  }
  ~Use() {
    if (outermost_) device_->user.store({});
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  bhemu_device* device_;
  bool outermost_ = false;
};

/// Runs `body`, which returns a status, and turns what it throws into one.
template <class Body>
int guarded(Body body) {
  try {
    last_error().clear();
    return body();
  } catch (const std::exception& error) {
    return fail(BHEMU_BAD_INPUT, error.what());
  } catch (...) {
    return fail(BHEMU_BAD_INPUT, "unknown failure");
  }
}

}  // namespace bhemu::capi
