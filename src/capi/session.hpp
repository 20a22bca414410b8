// One emulated card behind the libttsim ABI: device, PCI function, host memory, and what happens
// when something goes wrong.
//
// Settings, strongest first: environment variables BHEMU_BOARD, BHEMU_HARVEST_DRAM,
// BHEMU_HARVEST_COLUMNS, BHEMU_THREADS, BHEMU_TIMING, BHEMU_SEED, BHEMU_RULE (comma separated),
// BHEMU_FAULTS, BHEMU_TRACE and BHEMU_TRACE_* (docs/TRACE.md); then the YAML file that BHEMU_CONFIG
// names, or bhemu.yaml beside the library (which clients may have copied elsewhere: then beside
// what TT_METAL_SIMULATOR names).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "card/function.hpp"
#include "device/device.hpp"
#include "host/settings.hpp"
#include "pcie/host_memory.hpp"

namespace bhemu::capi {

/// What a mistake of the host's or the guest's does to the process.
enum class FaultMode : u8 {
  Throw,   // std::runtime_error with the report (default)
  Report,  // printed once; from then on reads give all ones, and nothing else happens
  Exit,    // printed; the process ends with status 2 (host) or 4 (guest)
};

struct SessionSettings {
  host::DeviceSettings device;
  FaultMode faults = FaultMode::Throw;
};
/// `get(name)` is the environment (null: not set); `beside` the directories in which bhemu.yaml is
/// looked for. Throws host::InputError.
SessionSettings session_settings(const std::function<const char*(const char*)>& get,
                                 std::span<const std::string> beside);

/// Host memory by the functions that a client has given.
class CallbackMemory final : public pcie::HostMemory {
 public:
  using Read = void (*)(u64 address, void* target, u32 bytes);
  using Write = void (*)(u64 address, const void* source, u32 bytes);

  CallbackMemory(Read read, Write write) : read_(read), write_(write) {}
  bool read(u64 address, void* target, u32 bytes) override;
  bool write(u64 address, const void* source, u32 bytes) override;

 private:
  Read read_;
  Write write_;
};

class Session {
 public:
  Session(const SessionSettings& settings, CallbackMemory::Read read, CallbackMemory::Write write);
  ~Session();

  u32 config_read(u32 bus_device_function, u32 offset);
  void config_write(u32 bus_device_function, u32 offset, u32 value);
  void read(u64 address, std::span<u8> bytes);
  void write(u64 address, std::span<const u8> bytes);
  void tile_read(u32 x, u32 y, u64 address, std::span<u8> bytes);
  void tile_write(u32 x, u32 y, u64 address, std::span<const u8> bytes);
  void clock(u32 cycles);

  Device& device() { return device_; }

 private:
  template <class Body>
  void guarded(Body body);
  void host_mistake(const std::string& text);
  void guest_mistake();
  void report(const std::string& text);
  void report_trace(const std::string& error);

  FaultMode mode_;
  Device device_;
  CallbackMemory memory_;
  card::Function function_;
  std::mutex mutex_;  // clients lock around us; those that do not are still served one by one
  bool latched_ = false;
  std::string trace_file_;  // as long as it is written
};

}  // namespace bhemu::capi
