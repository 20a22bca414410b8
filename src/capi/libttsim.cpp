// The libttsim ABI: how tt-umd (and with it tt-metal, tt-exalens, tt-llk) drives a simulator that
// is a shared library. What each function must do: tenstorrent/ttsim docs/libttsim_api.md;
// tenstorrent/tt-umd device/simulation/tt_sim_communicator.cpp.
//
// One card per process, as the ABI has no handle. What goes wrong is a C++ exception unless
// BHEMU_FAULTS says otherwise (session.hpp). Nothing is exported that stands for several chips.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "capi/session.hpp"
#include "host/error.hpp"

namespace bhemu::capi {
namespace {

struct Process {
  std::unique_ptr<Session> session;
  CallbackMemory::Read read = nullptr;
  CallbackMemory::Write write = nullptr;
  Session* quick = nullptr;  // the card as long as it is this client's
  /// Callbacks were given since: they are for the next card.
  bool is_old() const { return session != nullptr && quick == nullptr; }
};

/// The ABI speaks of one card without naming it.
Process& process() {
  static Process instance;  // tidy: allow global: see above
  return instance;
}

/// For calls that can be done at once; null: they cannot.
Session* quick_session() {
  return process().quick;
}

Session& session() {
  if (!process().session)
    throw std::runtime_error("bhemu: libttsim_init has not been called, or libttsim_exit has");
  if (process().is_old())
    throw std::runtime_error(
        "bhemu: libttsim_set_pci_dma_mem_callbacks has been called after libttsim_init: the "
        "functions are for the card of the next libttsim_init");
  return *process().session;
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// Where bhemu.yaml may be. Clients copy the library to a memfd: then only the variables tell by
/// which tt-metal, tt-umd's tests and tt-exalens' tests are told where the library is.
std::array<std::string, 4> config_directories() {
  std::array<std::string, 4> result;
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&process), &info) != 0 && info.dli_fname != nullptr)
    result[0] = directory_of(info.dli_fname);
  constexpr std::array kVariables{"TT_METAL_SIMULATOR", "TT_UMD_SIMULATOR", "TTEXALENS_SIMULATOR"};
  for (size_t i = 0; i < kVariables.size(); ++i)
    if (const char* named = std::getenv(kVariables[i])) result[i + 1] = directory_of(named);
  return result;
}

}  // namespace
}  // namespace bhemu::capi

using namespace bhemu::capi;  // NOLINT: the functions below are global by nature

extern "C" __attribute__((visibility("default"))) void libttsim_init() {
  Process& state = process();
  if (state.quick != nullptr) throw std::runtime_error("bhemu: libttsim_init was called twice");
  if (state.session) {
    // A client that an exception has thrown out of its card may begin anew, with its callbacks, but
    // without libttsim_exit: tt-metal's tests do, and the next one of the process shall run.
    std::fputs(
        "bhemu: libttsim_init without libttsim_exit: the card of before is given up, and a new one "
        "begins\n",
        stderr);
    state.session.reset();
  }
  const auto beside = config_directories();
  const auto get = [](const char* name) -> const char* { return std::getenv(name); };
  for (const std::string& line : bhemu::host::misspelt_variables(environ))
    std::fprintf(stderr, "bhemu: %s\n", line.c_str());
  const SessionSettings settings = bhemu::host::card_settings(get, beside, FaultMode::Throw);
  state.session = std::make_unique<Session>(settings, state.read, state.write);
  state.quick = state.session.get();
}

extern "C" __attribute__((visibility("default"))) void libttsim_exit() {
  if (!process().is_old()) session();
  process().quick = nullptr;
  process().session.reset();
}

extern "C" __attribute__((visibility("default"))) void libttsim_set_pci_dma_mem_callbacks(
    void (*pci_dma_mem_rd)(uint64_t address, void* target, uint32_t bytes),
    void (*pci_dma_mem_wr)(uint64_t address, const void* source, uint32_t bytes)) {
  Process& state = process();
  state.quick = nullptr;
  state.read = pci_dma_mem_rd;
  state.write = pci_dma_mem_wr;
}

extern "C" __attribute__((visibility("default"))) uint32_t libttsim_pci_config_rd32(
    uint32_t bus_device_function, uint32_t offset) {
  return session().config_read(bus_device_function, offset);
}

extern "C" __attribute__((visibility("default"))) void libttsim_pci_config_wr32(
    uint32_t bus_device_function, uint32_t offset, uint32_t data) {
  session().config_write(bus_device_function, offset, data);
}

extern "C" __attribute__((visibility("default"))) void libttsim_pci_mem_rd_bytes(uint64_t address,
                                                                                 void* target,
                                                                                 uint32_t bytes) {
  if (Session* quick = quick_session(); quick != nullptr)
    if (quick->read_at_once(address, target, bytes)) return;
  session().read(address, {static_cast<uint8_t*>(target), bytes});
}

extern "C" __attribute__((visibility("default"))) void libttsim_pci_mem_wr_bytes(uint64_t address,
                                                                                 const void* source,
                                                                                 uint32_t bytes) {
  if (Session* quick = quick_session(); quick != nullptr)
    if (quick->write_at_once(address, source, bytes)) return;
  session().write(address, {static_cast<const uint8_t*>(source), bytes});
}

extern "C" __attribute__((visibility("default"))) void libttsim_tile_rd_bytes(
    uint32_t x, uint32_t y, uint64_t address, void* target, uint32_t bytes) {
  session().tile_read(x, y, address, {static_cast<uint8_t*>(target), bytes});
}

extern "C" __attribute__((visibility("default"))) void libttsim_tile_wr_bytes(
    uint32_t x, uint32_t y, uint64_t address, const void* source, uint32_t bytes) {
  session().tile_write(x, y, address, {static_cast<const uint8_t*>(source), bytes});
}

extern "C" __attribute__((visibility("default"))) void libttsim_clock(uint32_t cycles) {
  if (Session* quick = quick_session(); quick != nullptr)
    if (quick->clock_at_once(cycles)) return;
  session().clock(cycles);
}
