// A device: how it is made, its memories, its cores, copies of it.
#include "device.hpp"

#include <fmt/format.h>

#include "device/refusal.hpp"
#include "dicts.hpp"
#include "host/error.hpp"
#include "host/report/inspect.hpp"
#include "host/settings/card_checks.hpp"
#include "native.hpp"

namespace bhemu::python {

using host::InputError;

NativeDevice::NativeDevice(const host::DeviceSettings& settings)
    : device_(host::device_options(settings, BoardModel::P150, host::SettingStyle::File)) {
  const CheckSet checks = device_.options().checks;
  host::watch_launches(device_, checks);
  // Who looks on at everything finds it, and stops there.
  looks_at_dram_ = checks.has(CheckGroup::Noc) && !checks.has(CheckGroup::Uninitialised);
}

NativeDevice::NativeDevice(std::shared_ptr<host::Machine> machine)
    : device_(std::move(machine->device())),
      machine_(std::move(machine)),
      firmware_(machine_, &machine_->firmware()) {
  code_.booted(firmware_);
}

std::vector<std::pair<unsigned, unsigned>> NativeDevice::tensix_tiles() {
  std::vector<std::pair<unsigned, unsigned>> tiles;
  for (const Coord tile : device_.board().tensix()) tiles.emplace_back(tile.x, tile.y);
  return tiles;
}

std::pair<unsigned, unsigned> NativeDevice::dram_tile(unsigned bank, unsigned noc) {
  if (bank >= dram_banks() || noc >= kNocs)
    throw InputError("", "", fmt::format("there is no DRAM bank {} on NoC {}", bank, noc));
  const Coord tile = device_.board().dram_port(bank, noc);
  return {tile.x, tile.y};
}

void NativeDevice::read(std::pair<unsigned, unsigned> tile, u64 address, const py::buffer& target) {
  const py::buffer_info info = target.request(true);
  const std::span<const u8> bytes = span_of(info);
  const std::span<u8> writable(static_cast<u8*>(info.ptr), bytes.size());
  const Coord coord = coord_of(tile);
  py::gil_scoped_release free;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!device().read(coord, address, writable)) nothing(coord, address, bytes.size());
  if (desk_.is_asking()) desk_.looked(fmt::format("({}, {})", coord.x, coord.y), address, writable);
}

std::string NativeDevice::write(std::pair<unsigned, unsigned> tile, u64 address,
                                const py::buffer& source) {
  const py::buffer_info info = source.request();
  const std::span<const u8> bytes = span_of(info);
  const Coord coord = coord_of(tile);
  py::gil_scoped_release free;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string doubts = desk_.before_write(device(), coord, address, bytes);
  if (!device().write(coord, address, bytes)) nothing(coord, address, bytes.size());
  return doubts;
}

std::string NativeDevice::multicast(std::pair<unsigned, unsigned> first,
                                    std::pair<unsigned, unsigned> last, u64 address,
                                    const py::buffer& source) {
  const py::buffer_info info = source.request();
  const std::span<const u8> bytes = span_of(info);
  const Coord from = coord_of(first);
  const Coord to = coord_of(last);
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string doubts = desk_.before_multicast(device(), from, to, address, bytes);
  if (device().multicast(from, to, address, bytes)) return doubts;
  throw InputError("", "",
                   fmt::format("no tile takes this from ({}, {}) on at address {:#x}, {} bytes: {}",
                               from.x, from.y, address, bytes.size(),
                               why_multicast_refused(device(), from, to, address, bytes.size())));
}

void NativeDevice::read_dram(unsigned bank, u64 offset, const py::buffer& target) {
  const py::buffer_info info = target.request(true);
  const std::span<const u8> bytes = span_of(info);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!device().read_dram(bank, offset, {static_cast<u8*>(info.ptr), bytes.size()}))
    no_dram(bank, offset, bytes.size());
  if (desk_.is_asking()) desk_.looked(fmt::format("DRAM bank {}", bank), offset, bytes);
}

void NativeDevice::write_dram(unsigned bank, u64 offset, const py::buffer& source) {
  const py::buffer_info info = source.request();
  const std::span<const u8> bytes = span_of(info);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!device().write_dram(bank, offset, bytes)) no_dram(bank, offset, bytes.size());
}

void NativeDevice::set_host_memory(const py::buffer& memory, u64 base) {
  auto info = std::make_unique<py::buffer_info>(memory.request(true));
  const std::span<const u8> bytes = span_of(*info);
  const std::lock_guard<std::mutex> lock(mutex_);
  host_ = pcie::SpanMemory({static_cast<u8*>(info->ptr), bytes.size()}, base);
  host_buffer_ = std::move(info);
  device_.set_host_memory(&host_);
}

u32 NativeDevice::load_elf(std::pair<unsigned, unsigned> tile, const std::string& core,
                           const std::string& path) {
  auto elf = std::make_shared<const host::Elf>(host::Elf::load(path));
  const std::lock_guard<std::mutex> lock(mutex_);
  const u32 entry = host::load_elf(device(), coord_of(tile), core_named(core), *elf);
  code_.loaded(coord_of(tile), core_named(core), std::move(elf));
  return entry;
}

void NativeDevice::register_elf(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  code_.look_in(path);
}

void NativeDevice::start_core(std::pair<unsigned, unsigned> tile, const std::string& core, u32 pc) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (core_named(core) == CoreId::Brisc) desk_.runs_other_code(coord_of(tile));
  host::start_core(device(), coord_of(tile), core_named(core), pc);
}

void NativeDevice::hold_core(std::pair<unsigned, unsigned> tile, const std::string& core) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (core_named(core) == CoreId::Brisc) desk_.runs_other_code(coord_of(tile));
  host::hold_core(device(), coord_of(tile), core_named(core));
}

std::string NativeDevice::doubts() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return unwritten_ && unwritten_->has_any() ? unwritten_->take(code_map()) : "";
}

u64 NativeDevice::hash() {
  py::gil_scoped_release free;
  const std::lock_guard<std::mutex> lock(mutex_);
  return device().hash();
}

py::bytes NativeDevice::snapshot() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_of(device().snapshot());
}

void NativeDevice::restore(const py::bytes& snapshot) {
  const std::string_view view = snapshot;
  const std::lock_guard<std::mutex> lock(mutex_);
  device().restore({reinterpret_cast<const u8*>(view.data()), view.size()});
  desk_.others_wrote();
}

std::unique_ptr<NativeDevice> NativeDevice::clone() {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto copy = std::make_unique<NativeDevice>(device().clone(), code_);
  copy->firmware_ = firmware_;
  copy->program_ = program_;
  copy->desk_ = desk_;
  return copy;
}

void NativeDevice::nothing(Coord tile, u64 address, size_t bytes) {
  throw InputError(
      "", "",
      fmt::format("nothing answers at ({}, {}) address {:#x}, {} bytes: {}", tile.x, tile.y,
                  address, bytes, why_refused(device(), tile, address, bytes)));
}

void NativeDevice::no_dram(unsigned bank, u64 offset, size_t bytes) {
  throw InputError("", "",
                   fmt::format("DRAM bank {} has nothing at {:#x}, {} bytes: {}", bank, offset,
                               bytes, why_dram_refused(device(), bank, offset, bytes)));
}

}  // namespace bhemu::python
