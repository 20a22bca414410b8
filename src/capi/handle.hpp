// What the files of the C API share: the handle, and how failures leave.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../include/bhemu/bhemu.h"
#include "device/device.hpp"
#include "host/elf.hpp"
#include "host/firmware.hpp"
#include "host/report.hpp"

struct bhemu_device {
  explicit bhemu_device(const bhemu::DeviceOptions& options) : device(options) {}
  explicit bhemu_device(bhemu::Device&& other) : device(std::move(other)) {}
  bhemu::Device device;
  std::shared_ptr<const bhemu::host::Firmware> firmware;  // of the last boot, for reports
  struct Loaded {
    bhemu::CoreId core;
    std::shared_ptr<const bhemu::host::Elf> elf;
  };
  std::vector<Loaded> loaded;                    // by bhemu_load_elf, for reports
  std::vector<bhemu::host::FaultReport> faults;  // behind the texts of bhemu_get_fault
};

namespace bhemu::capi {

/// Per thread, as C programs expect of a last error; nothing of a device depends on it.
std::string& last_error();
int fail(bhemu_status status, std::string text);
/// From what a run ended with: a status, and the report as the error text.
int status_of(bhemu_device& handle, const RunResult& result);
host::CodeMap code_map(const bhemu_device& handle);
/// Throw InputError.
Coord coord_of(u32 x, u32 y);
void check_pointers(const bhemu_device* device, const void* data, size_t bytes);

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
