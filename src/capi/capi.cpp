// The C API of include/bhemu/bhemu.h: devices, memory, time. Exceptions end here.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "capi/handle.hpp"
#include "device/refusal.hpp"
#include "host/boot/boot_cache.hpp"
#include "host/error.hpp"
#include "host/report/standstill.hpp"
#include "host/settings/card_settings.hpp"
#include "host/settings/software.hpp"
#include "host/version.hpp"

namespace bhemu::capi {

using host::InputError;

std::string& last_error() {
  thread_local std::string text;  // tidy: allow global: see above
  return text;
}

int fail(bhemu_status status, std::string text) {
  last_error() = std::move(text);
  return status;
}

Coord coord_of(u32 x, u32 y) {
  constexpr u32 kSpan = 64;
  if (x >= kSpan || y >= kSpan)
    throw InputError("", "", fmt::format("({}, {}) is no coordinate of the NoC", x, y));
  return {static_cast<u8>(x), static_cast<u8>(y)};
}

void check_pointers(const bhemu_device* device, const void* data, size_t bytes) {
  if (device == nullptr) throw InputError("", "", "the device is NULL");
  if (data == nullptr && bytes != 0) throw InputError("", "", "the data is NULL");
}

namespace {

std::string report_of(bhemu_device& handle, host::Standstill::Reason reason) {
  host::Standstill standstill =
      host::standstill_of(handle.device, handle.code.map(handle.device), {}, reason);
  handle.desk.tell(handle.device, standstill);
  return host::text_of(standstill);
}

}  // namespace

int status_of(bhemu_device& handle, const RunResult& result) {
  switch (result.status) {
    case RunStatus::Done:
      return BHEMU_OK;
    case RunStatus::Cycles:
      return fail(BHEMU_LIMIT, report_of(handle, host::Standstill::Reason::Limit));
    case RunStatus::Faulted:
      return fail(BHEMU_FAULT, host::fault_text(host::fault_reports(
                                   handle.device, handle.code.map(handle.device))));
    default:
      break;
  }
  const auto reason = result.status == RunStatus::Spinning ? host::Standstill::Reason::Spinning
                                                           : host::Standstill::Reason::Idle;
  return fail(BHEMU_HANG, report_of(handle, reason));
}

namespace {

int answered(bool answer, const Device& device, Coord tile, u64 address, size_t bytes) {
  if (answer) return BHEMU_OK;
  return fail(BHEMU_BAD_INPUT,
              fmt::format("nothing answers at ({}, {}) address {:#x}, {} bytes: {}", tile.x, tile.y,
                          address, bytes, why_refused(device, tile, address, bytes)));
}

int answered_dram(bool answer, const Device& device, u32 bank, u64 offset, size_t bytes) {
  if (answer) return BHEMU_OK;
  return fail(BHEMU_BAD_INPUT,
              fmt::format("DRAM bank {} has nothing at {:#x}, {} bytes: {}", bank, offset, bytes,
                          why_dram_refused(device, bank, offset, bytes)));
}

DeviceOptions device_options(const bhemu_options* options) {
  if (options == nullptr) throw InputError("", "", "the options are NULL");
  if (options->board != BHEMU_P100A && options->board != BHEMU_P150)
    throw InputError("", "", "unknown board");
  if (options->harvested_dram > 0xFF || options->harvested_columns > 0xFFFF)
    throw InputError("", "", "a harvesting mask has bits that name nothing");
  DeviceOptions result;
  result.board.model = options->board == BHEMU_P100A ? BoardModel::P100A : BoardModel::P150;
  result.board.harvested_dram = static_cast<u8>(options->harvested_dram);
  result.board.harvested_columns = static_cast<u16>(options->harvested_columns);
  result.timing = options->reference_timing != 0 ? TimingModel::Reference : TimingModel::Fast;
  result.threads = options->threads == 0 ? 1 : options->threads;
  result.seed = options->seed;
  const char* const checks = std::getenv("BHEMU_CHECK");
  result.checks = host::check_set(checks != nullptr ? checks : "", host::SettingStyle::Environment);
  result.software = host::launched_software();
  const char* const units = std::getenv("BHEMU_UNITS");
  const std::string_view build = units != nullptr ? units : "plain";
  if (build != "plain" && build != "full")
    throw InputError("BHEMU_UNITS", "", fmt::format("'{}' is neither 'plain' nor 'full'", build));
  result.full = build == "full";
  return result;
}

}  // namespace
}  // namespace bhemu::capi

using namespace bhemu;        // NOLINT: the functions below are global by nature
using namespace bhemu::capi;  // NOLINT

extern "C" {

const char* bhemu_version(void) {
  return host::kVersion;
}
const char* bhemu_last_error(void) {
  return last_error().c_str();
}

bhemu_options bhemu_default_options(bhemu_board board) {
  const bool p150 = board == BHEMU_P150;
  const BoardOptions defaults = BoardOptions::defaults(p150 ? BoardModel::P150 : BoardModel::P100A);
  return {board, defaults.harvested_dram, defaults.harvested_columns, 1, 0, 0};
}

bhemu_device* bhemu_create(const bhemu_options* options) {
  bhemu_device* result = nullptr;
  guarded([&] {
    result = new bhemu_device(
        device_options(options),
        host::race_settings([](const char* name) -> const char* { return std::getenv(name); }));
    return BHEMU_OK;
  });
  return result;
}

void bhemu_destroy(bhemu_device* device) {
  const std::unique_ptr<bhemu_device> owned(device);
  if (device == nullptr) return;
  guarded([&] {
    const std::string races = device->races.finish([device](std::span<const Author> sites) {
      return device->code.map(device->device, sites);
    });
    if (!races.empty()) fmt::print(stderr, "bhemu: {}", races);
    return BHEMU_OK;
  });
}

size_t bhemu_tensix_tiles(const bhemu_device* device, uint8_t* x, uint8_t* y, size_t capacity) {
  if (device == nullptr) return 0;
  const auto& tiles = device->device.board().tensix();
  for (size_t i = 0; i < tiles.size() && i < capacity; ++i) {
    if (x != nullptr) x[i] = tiles[i].x;
    if (y != nullptr) y[i] = tiles[i].y;
  }
  return tiles.size();
}

uint32_t bhemu_dram_banks(const bhemu_device* device) {
  return device == nullptr ? 0 : device->device.board().dram_banks();
}

int bhemu_read(bhemu_device* device, uint32_t x, uint32_t y, uint64_t address, void* target,
               size_t bytes) {
  return guarded([&] {
    check_pointers(device, target, bytes);
    const Use use(device);
    const std::span<u8> span(static_cast<u8*>(target), bytes);
    const Coord tile = coord_of(x, y);
    const bool answer = device->device.read(tile, address, span);
    if (answer && device->desk.is_asking())
      device->desk.looked(fmt::format("({}, {})", x, y), address, span);
    return answered(answer, device->device, tile, address, bytes);
  });
}

int bhemu_write(bhemu_device* device, uint32_t x, uint32_t y, uint64_t address, const void* source,
                size_t bytes) {
  return guarded([&] {
    check_pointers(device, source, bytes);
    const Use use(device);
    const std::span<const u8> span(static_cast<const u8*>(source), bytes);
    const Coord tile = coord_of(x, y);
    device->desk.before_write(device->device, tile, address, span);
    return answered(device->device.write(tile, address, span), device->device, tile, address,
                    bytes);
  });
}

int bhemu_multicast(bhemu_device* device, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                    uint64_t address, const void* source, size_t bytes) {
  return guarded([&] {
    check_pointers(device, source, bytes);
    const Use use(device);
    const std::span<const u8> span(static_cast<const u8*>(source), bytes);
    const Coord first = coord_of(x0, y0);
    const Coord last = coord_of(x1, y1);
    device->desk.before_multicast(device->device, first, last, address, span);
    if (device->device.multicast(first, last, address, span)) return BHEMU_OK;
    return static_cast<bhemu_status>(
        fail(BHEMU_BAD_INPUT,
             fmt::format("no tile takes this from ({}, {}) on at address {:#x}, {} bytes: {}", x0,
                         y0, address, bytes,
                         why_multicast_refused(device->device, first, last, address, bytes))));
  });
}

int bhemu_read_dram(bhemu_device* device, uint32_t bank, uint64_t offset, void* target,
                    size_t bytes) {
  return guarded([&] {
    check_pointers(device, target, bytes);
    const Use use(device);
    const bool known = bank < device->device.board().dram_banks();
    const std::span<u8> span(static_cast<u8*>(target), bytes);
    const bool answer = known && device->device.read_dram(bank, offset, span);
    if (answer && device->desk.is_asking())
      device->desk.looked(fmt::format("DRAM bank {}", bank), offset, span);
    return answered_dram(answer, device->device, bank, offset, bytes);
  });
}

int bhemu_write_dram(bhemu_device* device, uint32_t bank, uint64_t offset, const void* source,
                     size_t bytes) {
  return guarded([&] {
    check_pointers(device, source, bytes);
    const Use use(device);
    const bool known = bank < device->device.board().dram_banks();
    const std::span<const u8> span(static_cast<const u8*>(source), bytes);
    return answered_dram(known && device->device.write_dram(bank, offset, span), device->device,
                         bank, offset, bytes);
  });
}

int bhemu_run(bhemu_device* device, uint64_t max_cycles, bhemu_predicate done, void* user) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    std::function<bool()> predicate;
    if (done != nullptr)
      predicate = [&] {
        device->desk.asks("");
        const bool answer = done(device, user) != 0;
        device->desk.asked();
        return answer;
      };
    const RunResult result = device->device.run(max_cycles, predicate);
    // Without a condition the limit is what was asked for: a host that goes on stretch by stretch
    // is not to pay for a report each time.
    if (result.status == RunStatus::Cycles && done == nullptr)
      return fail(BHEMU_LIMIT,
                  fmt::format("the cycle limit was reached at cycle {}", result.cycle));
    return status_of(*device, result);
  });
}

uint64_t bhemu_cycle(const bhemu_device* device) {
  return device == nullptr ? 0 : device->device.cycle();
}

int bhemu_advance(bhemu_device* device, uint64_t cycles) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    const RunResult result = device->device.advance(cycles);
    return result.status == RunStatus::Faulted ? status_of(*device, result) : BHEMU_OK;
  });
}

uint64_t bhemu_hash(bhemu_device* device) {
  return device == nullptr ? 0 : device->device.hash();
}

int bhemu_boot(bhemu_device* device, const char* directory) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    const auto firmware = std::make_shared<const host::Firmware>(
        directory == nullptr ? host::Firmware::embedded() : host::Firmware::load(directory));
    device->code.booted(firmware);
    device->desk.booted(device->device);
    host::BootCache boots = host::BootCache::from_environment();
    if (boots.resume(device->device, *firmware))
      return status_of(*device, {RunStatus::Done, device->device.cycle()});
    host::upload(device->device, *firmware);
    host::GoWatcher watcher(device->device, *firmware, device->device.board().tensix());
    const auto ready = [&watcher] { return watcher.all_done(); };
    const int status = status_of(*device, device->device.run(kNever, ready));
    if (status == BHEMU_OK) boots.keep(device->device);
    return status;
  });
}

}  // extern "C"
