// The C API of include/bhemu/bhemu.h: programs on single cores, register files, faults, copies.
#include "host/report/inspect.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "capi/handle.hpp"
#include "host/error.hpp"
#include "riscv/disasm.hpp"
#include "tensix/disasm.hpp"
#include "tile/tile.hpp"

using namespace bhemu;        // NOLINT: the functions below are global by nature
using namespace bhemu::capi;  // NOLINT

namespace {

CoreId core_numbered(uint32_t core) {
  if (core >= kCores + kEthernetCores) throw host::InputError("", "", "there is no such core");
  return static_cast<CoreId>(core);
}

void check_result(const void* pointer) {
  if (pointer == nullptr) throw host::InputError("", "", "the place for the result is NULL");
}

size_t copy_text(const std::string& from, char* text, size_t capacity) {
  if (text != nullptr && capacity != 0) {
    const size_t count = std::min(from.size(), capacity - 1);
    std::memcpy(text, from.data(), count);
    text[count] = 0;
  }
  return from.size();
}

bhemu_core_status status_of_core(tile::CoreStatus status) {
  switch (status) {
    case tile::CoreStatus::Reset:
      return BHEMU_CORE_RESET;
    case tile::CoreStatus::Running:
      return BHEMU_CORE_RUNNING;
    case tile::CoreStatus::Blocked:
      return BHEMU_CORE_BLOCKED;
    case tile::CoreStatus::Parked:
      return BHEMU_CORE_PARKED;
    case tile::CoreStatus::Halted:
      return BHEMU_CORE_HALTED;
    case tile::CoreStatus::Stopped:
      break;
  }
  return BHEMU_CORE_STOPPED;
}

}  // namespace

extern "C" {

int bhemu_load_elf(bhemu_device* device, uint32_t x, uint32_t y, uint32_t core, const char* path,
                   uint32_t* entry) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    if (path == nullptr) throw host::InputError("", "", "the path is NULL");
    auto elf = std::make_shared<const host::Elf>(host::Elf::load(path));
    const u32 start = host::load_elf(device->device, coord_of(x, y), core_numbered(core), *elf);
    device->code.loaded(coord_of(x, y), core_numbered(core), std::move(elf));
    if (entry != nullptr) *entry = start;
    return BHEMU_OK;
  });
}

int bhemu_register_elf(bhemu_device* device, const char* path) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    if (path == nullptr) throw host::InputError("", "", "the path is NULL");
    device->code.look_in(path);
    return BHEMU_OK;
  });
}

int bhemu_start_core(bhemu_device* device, uint32_t x, uint32_t y, uint32_t core, uint32_t pc) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    if (core_numbered(core) == CoreId::Brisc) device->desk.runs_other_code(coord_of(x, y));
    host::start_core(device->device, coord_of(x, y), core_numbered(core), pc);
    return BHEMU_OK;
  });
}

int bhemu_hold_core(bhemu_device* device, uint32_t x, uint32_t y, uint32_t core) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    if (core_numbered(core) == CoreId::Brisc) device->desk.runs_other_code(coord_of(x, y));
    host::hold_core(device->device, coord_of(x, y), core_numbered(core));
    return BHEMU_OK;
  });
}

int bhemu_read_core(bhemu_device* device, uint32_t x, uint32_t y, uint32_t core,
                    bhemu_core_state* state) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    check_result(state);
    tile::Tile& tile = host::tile_with(device->device, coord_of(x, y), core_numbered(core));
    tile.settle(device->device.cycle());
    const riscv::CoreState& from = tile.core(core_numbered(core));
    state->status = status_of_core(tile.status(core_numbered(core)));
    state->pc = from.pc;
    std::memcpy(state->x, from.x.data(), sizeof state->x);
    std::memcpy(state->f, from.f.data(), sizeof state->f);
    state->instructions = from.instret;
    return BHEMU_OK;
  });
}

int bhemu_circular_buffers(bhemu_device* device, uint32_t x, uint32_t y,
                           bhemu_circular_buffer* buffers, size_t capacity, size_t* count) {
  return guarded([&] {
    check_pointers(device, buffers, capacity);
    const Use use(device);
    check_result(count);
    const auto found = host::circular_buffers(device->device, coord_of(x, y));
    for (size_t i = 0; i < std::min(found.size(), capacity); ++i)
      buffers[i] = {found[i].index,     found[i].address,  found[i].size, found[i].pages,
                    found[i].page_size, found[i].received, found[i].acked};
    *count = found.size();
    return BHEMU_OK;
  });
}

size_t bhemu_register_words(uint32_t file) {
  return file < host::kRegisterFiles ? host::register_words(static_cast<host::RegisterFile>(file))
                                     : 0;
}

int bhemu_read_registers(bhemu_device* device, uint32_t x, uint32_t y, uint32_t file, size_t first,
                         size_t count, uint32_t* words) {
  return guarded([&] {
    check_pointers(device, words, count);
    const Use use(device);
    if (file >= host::kRegisterFiles)
      throw host::InputError("", "", "there is no such register file");
    host::read_registers(device->device, coord_of(x, y), static_cast<host::RegisterFile>(file),
                         first, {words, count});
    return BHEMU_OK;
  });
}

size_t bhemu_disassemble_riscv(uint32_t word, uint32_t pc, char* text, size_t capacity) {
  return copy_text(riscv::disassemble(word, pc), text, capacity);
}

size_t bhemu_disassemble_tensix(uint32_t word, char* text, size_t capacity) {
  return copy_text(tensix::disassemble(word), text, capacity);
}

int bhemu_set_rule(bhemu_device* device, const char* rule, uint32_t level) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    check_result(rule);
    const Rule known = rule_named(rule);
    if (known == Rule::Count)
      throw host::InputError("", "", std::string("there is no rule '") + rule + "'");
    if (level > BHEMU_RULE_SILICON) throw host::InputError("", "", "there is no such level");
    device->device.set_rule(known, static_cast<Severity>(level));
    return BHEMU_OK;
  });
}

size_t bhemu_fault_count(bhemu_device* device) {
  return device == nullptr ? 0 : device->device.faults().size();
}

int bhemu_get_fault(bhemu_device* device, size_t index, bhemu_fault* fault) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    check_result(fault);
    device->faults = host::fault_reports(device->device, device->code.map(device->device));
    if (index >= device->faults.size()) throw host::InputError("", "", "there is no such fault");
    const host::FaultReport& report = device->faults[index];
    *fault = {info_of(report.fault.rule).name,
              report.fault.severity == Severity::Error,
              report.tile.x,
              report.tile.y,
              name_of(report.fault.agent),
              report.fault.pc,
              report.fault.cycle,
              report.fault.text.c_str()};
    return BHEMU_OK;
  });
}

void bhemu_clear_faults(bhemu_device* device) {
  if (device != nullptr) device->device.clear_faults();
}

int bhemu_snapshot(bhemu_device* device, void** data, size_t* bytes) {
  return guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    check_result(data);
    check_result(bytes);
    const std::vector<u8> snapshot = device->device.snapshot();
    *data = std::malloc(snapshot.size());
    if (*data == nullptr) throw std::bad_alloc();
    std::memcpy(*data, snapshot.data(), snapshot.size());
    *bytes = snapshot.size();
    return BHEMU_OK;
  });
}

void bhemu_free(void* data) {
  std::free(data);
}

int bhemu_restore(bhemu_device* device, const void* data, size_t bytes) {
  return guarded([&] {
    check_pointers(device, data, bytes);
    const Use use(device);
    device->device.restore({static_cast<const u8*>(data), bytes});
    device->desk.others_wrote();
    return BHEMU_OK;
  });
}

bhemu_device* bhemu_clone(bhemu_device* device) {
  bhemu_device* result = nullptr;
  guarded([&] {
    check_pointers(device, nullptr, 0);
    const Use use(device);
    result = new bhemu_device(device->device.clone(), device->code);
    result->desk = device->desk;
    return BHEMU_OK;
  });
  return result;
}

}  // extern "C"
