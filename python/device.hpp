// The native half of bhemu.Device. What its functions do is documented in python/bhemu/device.py,
// which users see.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "debug/known_code.hpp"
#include "device/device.hpp"
#include "host/boot/firmware.hpp"
#include "host/boot/machine.hpp"
#include "host/boot/soc_descriptor.hpp"
#include "host/report/host_desk.hpp"
#include "host/report/standstill.hpp"
#include "host/report/unwritten_dram.hpp"
#include "host/settings/settings.hpp"
#include "loaded_program.hpp"
#include "pcie/host_memory.hpp"
#include "watch/watchpoint.hpp"
#include "watch/why.hpp"

namespace bhemu::python {

namespace py = pybind11;

/// A device that several Python threads may use: one at a time gets through.
class NativeDevice {
 public:
  explicit NativeDevice(const host::DeviceSettings& settings);
  NativeDevice(Device&& device, const debug::KnownCode& code)
      : device_(std::move(device)), code_(code) {}
  /// What a program file has left behind when it did not end well; the machine knows its code.
  explicit NativeDevice(std::shared_ptr<host::Machine> machine);
  ~NativeDevice() { device_.set_host_memory(nullptr); }

  std::string board() { return device_.board().name(); }
  std::vector<std::pair<unsigned, unsigned>> tensix_tiles();
  unsigned dram_banks() { return device_.board().dram_banks(); }
  std::pair<unsigned, unsigned> dram_tile(unsigned bank, unsigned noc);
  std::string soc_descriptor() { return host::soc_descriptor(device_.board()); }

  void read(std::pair<unsigned, unsigned> tile, u64 address, const py::buffer& target);
  /// Returns what looks wrong with a launch that this sets off.
  std::string write(std::pair<unsigned, unsigned> tile, u64 address, const py::buffer& source);
  std::string multicast(std::pair<unsigned, unsigned> first, std::pair<unsigned, unsigned> last,
                        u64 address, const py::buffer& source);
  void read_dram(unsigned bank, u64 offset, const py::buffer& target);
  void write_dram(unsigned bank, u64 offset, const py::buffer& source);
  /// The card reaches `memory` at bit 60 of a NoC address plus `base`.
  void set_host_memory(const py::buffer& memory, u64 base);

  void boot(const std::string& directory);
  u32 load_elf(std::pair<unsigned, unsigned> tile, const std::string& core,
               const std::string& path);
  void register_elf(const std::string& path);
  void start_core(std::pair<unsigned, unsigned> tile, const std::string& core, u32 pc);
  void hold_core(std::pair<unsigned, unsigned> tile, const std::string& core);

  /// `done` is asked at the edges of epochs with the GIL held; it may use the device.
  /// `place`: where it is in the host's source.
  void run(const py::object& done, u64 max_cycles, const std::string& place);
  void advance(u64 cycles);
  /// What looks wrong with what kernels have done since it was asked last; empty: nothing.
  std::string doubts();
  u64 cycle() { return device_.cycle(); }
  /// The host has told a tile to go and let no time pass: true once.
  bool has_not_run() { return desk_.has_not_run(device_); }
  u64 hash();

  py::array_t<u32> registers(std::pair<unsigned, unsigned> tile, const std::string& name);
  unsigned source_format(std::pair<unsigned, unsigned> tile, const std::string& name);
  py::dict core(std::pair<unsigned, unsigned> at, const std::string& name);
  std::vector<py::dict> circular_buffers(std::pair<unsigned, unsigned> tile);
  std::vector<py::dict> faults();
  void clear_faults();
  /// Who waits for what, as `bhemu run` prints it for a hang.
  std::string waiters();
  /// From now on it is remembered who writes what, for why().
  void remember_writers();
  std::string why(std::pair<unsigned, unsigned> tile, const std::string& place);
  /// From now on accesses to a place are kept for watched(): "1-2:dst:0-3:rw".
  void watch(const std::string& text);
  std::vector<py::dict> watched();
  /// The Tensix grid, or one tile and a table of its agents, as HTML.
  std::string grid(const std::optional<std::pair<unsigned, unsigned>>& tile);
  py::bytes snapshot();
  void restore(const py::bytes& snapshot);
  std::unique_ptr<NativeDevice> clone();

  // --- A program file. The last one that was loaded is the one that is meant.

  /// Returns its tiles.
  std::vector<std::pair<unsigned, unsigned>> load_program(
      const std::string& path, const std::map<std::string, std::string>& inputs);
  bool program_done();
  void save_tensors(const std::string& directory);
  std::vector<std::tuple<std::string, bool, std::string>> check_program();
  u32 symbol(const std::string& core, const std::string& name);
  /// Until the program is done or, with a core, that of one of the tiles comes by `pc`; the place
  /// is returned then. Raises as run() does when neither happens.
  py::object run_program_on(const std::vector<std::pair<unsigned, unsigned>>& tiles,
                            const std::string& core, u32 pc, u64 max_cycles);
  /// Semaphores (value, maximum), holders of mutexes, and what the threads wait for.
  py::dict sync(std::pair<unsigned, unsigned> at);

 private:
  std::vector<py::dict> hits();
  /// Until something stops it, in stretches between which signals are heard.
  RunResult run_on(u64 cycles, const std::function<bool()>& done = nullptr);
  [[noreturn]] void nothing(Coord tile, u64 address, size_t bytes);
  [[noreturn]] void no_dram(unsigned bank, u64 offset, size_t bytes);
  host::CodeMap code_map();
  host::Standstill standstill(host::Standstill::Reason reason);
  [[noreturn]] void fail(const char* kind, host::Standstill::Reason reason);
  /// Python's handlers, while the GIL is not held and the device is; they may use the device.
  void look_for_signals();
  /// A KeyboardInterrupt gets a note (Python 3.11) of what the card was doing; the GIL is held.
  static void say_where(const std::exception_ptr& thrown, const std::string& where);
  void finish(const RunResult& result);

  /// For everything but a boot and questions about the board: whoever looks at DRAM does from here
  /// on.
  Device& device() {
    if (looks_at_dram_) unwritten_ = std::make_unique<host::UnwrittenDram>(device_);
    looks_at_dram_ = false;
    return device_;
  }

  Device device_;
  bool looks_at_dram_ = false;              // soon
  std::shared_ptr<host::Machine> machine_;  // that the device was taken from; null: none
  host::HostDesk desk_;
  std::unique_ptr<host::UnwrittenDram> unwritten_;   // null: not looked for
  std::unique_ptr<watch::WritersOfDevice> writers_;  // none until somebody asks for it
  std::unique_ptr<watch::Watchpoints> watchpoints_;  // likewise
  std::vector<std::string> watched_;                 // their texts
  std::vector<py::dict> seen_;                       // hits that nobody has asked for yet
  std::mutex mutex_;
  std::shared_ptr<const host::Firmware> firmware_;
  debug::KnownCode code_;
  std::shared_ptr<LoadedProgram> program_;
  std::optional<Cycle> loaded_at_;
  std::unique_ptr<py::buffer_info> host_buffer_;  // keeps the memory alive
  pcie::SpanMemory host_;
};

/// What `bhemu run FILE` does, with its outcome as a dictionary.
py::dict run_program(const std::string& path, const host::DeviceSettings& settings,
                     const std::string& firmware, const std::string& output, u64 max_cycles,
                     const std::vector<std::string>& questions, const std::string& race);

}  // namespace bhemu::python
