// The native half of the Python package: bhemu._native. What it offers is documented in
// python/bhemu/device.py, which users see.
// tidy: allow file-length in this file: one class and its bindings
#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "debug/grid.hpp"
#include "debug/known_code.hpp"
#include "device/device.hpp"
#include "device/refusal.hpp"
#include "host/boot/firmware.hpp"
#include "host/boot/machine.hpp"
#include "host/boot/soc_descriptor.hpp"
#include "host/error.hpp"
#include "host/program/compile.hpp"
#include "host/program/program.hpp"
#include "host/report/host_desk.hpp"
#include "host/report/inspect.hpp"
#include "host/report/races.hpp"
#include "host/report/standstill.hpp"
#include "host/report/unwritten_dram.hpp"
#include "host/settings/card_checks.hpp"
#include "host/settings/settings.hpp"
#include "host/version.hpp"
#include "loaded_program.hpp"
#include "native.hpp"
#include "pcie/host_memory.hpp"
#include "riscv/disasm.hpp"
#include "tensix/disasm.hpp"
#include "tile/tile.hpp"
#include "watch/second_look.hpp"
#include "watch/watchpoint.hpp"
#include "watch/why.hpp"

namespace bhemu::python {
namespace {

namespace py = pybind11;
using host::InputError;

py::bytes bytes_of(const std::vector<u8>& data) {
  return py::bytes(reinterpret_cast<const char*>(data.data()), data.size());
}

Coord coord_of(const std::pair<unsigned, unsigned>& tile) {
  if (tile.first >= noc::Routing::kSpan || tile.second >= noc::Routing::kSpan)
    throw InputError("", "",
                     fmt::format("({}, {}) is no coordinate of the NoC", tile.first, tile.second));
  return {static_cast<u8>(tile.first), static_cast<u8>(tile.second)};
}

CoreId core_named(const std::string& name) {
  for (unsigned core = 0; core < kCores; ++core)
    if (name == host::kCoreFileNames[core]) return static_cast<CoreId>(core);
  if (name == "erisc0") return CoreId::Erisc0;
  if (name == "erisc1") return CoreId::Erisc1;
  throw InputError("", "",
                   fmt::format("there is no core '{}': brisc, ncrisc, trisc0, trisc1, "
                               "trisc2, erisc0, erisc1",
                               name));
}

py::dict fault_dict(const host::FaultReport& report) {
  py::dict dict;
  dict["rule"] = info_of(report.fault.rule).name;
  dict["is_error"] = report.fault.severity == Severity::Error;
  dict["tile"] = py::make_tuple(report.tile.x, report.tile.y);
  dict["agent"] = name_of(report.fault.agent);
  dict["pc"] = report.fault.pc;
  dict["cycle"] = report.fault.cycle;
  dict["text"] = report.fault.text;
  dict["where"] = report.where;
  dict["instruction"] = report.instruction;
  return dict;
}

void add_waits(py::dict& waiter, const host::WaiterGroup& group) {
  py::object compared = py::none();
  if (group.compared)
    compared = py::dict(py::arg("value") = group.compared->value,
                        py::arg("relation") = name_of(group.compared->relation),
                        py::arg("wanted") = group.compared->wanted);
  waiter["compared"] = compared;
  py::list waits;
  for (const Wait& wait : group.waits) {
    py::dict dict;
    for (const host::WaitPart& part : host::parts_of(wait))
      std::visit([&](const auto& value) { dict[part.name] = py::cast(value); }, part.value);
    waits.append(dict);
  }
  waiter["waits"] = waits;
  waiter["released_by"] = py::cast(group.released_by);
}

/// `first_cause` and `waiters` of a HangError, a LimitError or a Result.
py::dict standstill_dict(const host::Standstill& standstill) {
  const host::FirstCause& first = standstill.cause;
  py::dict cause;
  cause["sentence"] = first.sentence;
  cause["remedy"] = first.remedy;
  cause["rule"] = first.rule ? py::cast(info_of(*first.rule).name) : py::none();
  cause["place"] = first.place;
  cause["tile"] = py::make_tuple(first.tile.x, first.tile.y);
  cause["agent"] = name_of(first.agent);
  py::list waiters;
  for (const host::WaiterGroup& group : standstill.waiters) {
    py::dict waiter;
    py::list tiles;
    for (const Coord tile : group.tiles) tiles.append(py::make_tuple(tile.x, tile.y));
    waiter["tiles"] = tiles;
    waiter["agent"] = name_of(group.agent);
    waiter["pc"] = group.pc;
    waiter["where"] = group.where;
    waiter["what"] = group.what;
    waiter["who"] = group.who;
    add_waits(waiter, group);
    waiters.append(waiter);
  }
  py::dict dict;
  dict["first_cause"] = first.sentence.empty() ? py::object(py::none()) : py::object(cause);
  dict["waiters"] = waiters;
  return dict;
}

/// A device that several Python threads may use: one at a time gets through.
class NativeDevice {
 public:
  explicit NativeDevice(const host::DeviceSettings& settings)
      : device_(host::device_options(settings, BoardModel::P150, host::SettingStyle::File)) {
    const CheckSet checks = device_.options().checks;
    host::watch_launches(device_, checks);
    // Who looks on at everything finds it, and stops there.
    if (checks.has(CheckGroup::Noc) && !checks.has(CheckGroup::Uninitialised))
      unwritten_ = std::make_unique<host::UnwrittenDram>(device_);
  }
  NativeDevice(Device&& device, const debug::KnownCode& code)
      : device_(std::move(device)), code_(code) {}
  /// What a program file has left behind when it did not end well; the machine knows its code.
  explicit NativeDevice(std::shared_ptr<host::Machine> machine)
      : device_(std::move(machine->device())),
        machine_(std::move(machine)),
        firmware_(machine_, &machine_->firmware()) {
    code_.booted(firmware_);
  }
  ~NativeDevice() { device_.set_host_memory(nullptr); }

  std::string board() { return device_.board().name(); }
  std::vector<std::pair<unsigned, unsigned>> tensix_tiles() {
    std::vector<std::pair<unsigned, unsigned>> tiles;
    for (const Coord tile : device_.board().tensix()) tiles.emplace_back(tile.x, tile.y);
    return tiles;
  }
  unsigned dram_banks() { return device_.board().dram_banks(); }
  std::pair<unsigned, unsigned> dram_tile(unsigned bank, unsigned noc) {
    if (bank >= dram_banks() || noc >= kNocs)
      throw InputError("", "", fmt::format("there is no DRAM bank {} on NoC {}", bank, noc));
    const Coord tile = device_.board().dram_port(bank, noc);
    return {tile.x, tile.y};
  }
  std::string soc_descriptor() { return host::soc_descriptor(device_.board()); }

  void read(std::pair<unsigned, unsigned> tile, u64 address, const py::buffer& target) {
    const py::buffer_info info = target.request(true);
    const std::span<const u8> bytes = span_of(info);
    const std::span<u8> writable(static_cast<u8*>(info.ptr), bytes.size());
    const Coord coord = coord_of(tile);
    py::gil_scoped_release free;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!device_.read(coord, address, writable)) nothing(coord, address, bytes.size());
    if (desk_.is_asking())
      desk_.looked(fmt::format("({}, {})", coord.x, coord.y), address, writable);
  }
  /// Returns what looks wrong with a launch that this sets off.
  std::string write(std::pair<unsigned, unsigned> tile, u64 address, const py::buffer& source) {
    const py::buffer_info info = source.request();
    const std::span<const u8> bytes = span_of(info);
    const Coord coord = coord_of(tile);
    py::gil_scoped_release free;
    const std::lock_guard<std::mutex> lock(mutex_);
    std::string doubts = desk_.before_write(device_, coord, address, bytes);
    if (!device_.write(coord, address, bytes)) nothing(coord, address, bytes.size());
    return doubts;
  }
  std::string multicast(std::pair<unsigned, unsigned> first, std::pair<unsigned, unsigned> last,
                        u64 address, const py::buffer& source) {
    const py::buffer_info info = source.request();
    const std::span<const u8> bytes = span_of(info);
    const Coord from = coord_of(first);
    const Coord to = coord_of(last);
    const std::lock_guard<std::mutex> lock(mutex_);
    std::string doubts = desk_.before_multicast(device_, from, to, address, bytes);
    if (device_.multicast(from, to, address, bytes)) return doubts;
    throw InputError(
        "", "",
        fmt::format("no tile takes this from ({}, {}) on at address {:#x}, {} bytes: {}", from.x,
                    from.y, address, bytes.size(),
                    why_multicast_refused(device_, from, to, address, bytes.size())));
  }
  void read_dram(unsigned bank, u64 offset, const py::buffer& target) {
    const py::buffer_info info = target.request(true);
    const std::span<const u8> bytes = span_of(info);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!device_.read_dram(bank, offset, {static_cast<u8*>(info.ptr), bytes.size()}))
      no_dram(bank, offset, bytes.size());
    if (desk_.is_asking()) desk_.looked(fmt::format("DRAM bank {}", bank), offset, bytes);
  }
  void write_dram(unsigned bank, u64 offset, const py::buffer& source) {
    const py::buffer_info info = source.request();
    const std::span<const u8> bytes = span_of(info);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!device_.write_dram(bank, offset, bytes)) no_dram(bank, offset, bytes.size());
  }
  /// The card reaches `memory` at bit 60 of a NoC address plus `base`.
  void set_host_memory(const py::buffer& memory, u64 base) {
    auto info = std::make_unique<py::buffer_info>(memory.request(true));
    const std::span<const u8> bytes = span_of(*info);
    const std::lock_guard<std::mutex> lock(mutex_);
    host_ = pcie::SpanMemory({static_cast<u8*>(info->ptr), bytes.size()}, base);
    host_buffer_ = std::move(info);
    device_.set_host_memory(&host_);
  }

  void boot(const std::string& directory) {
    firmware_ = std::make_shared<host::Firmware>(
        directory.empty() ? host::Firmware::embedded() : host::Firmware::load(directory));
    code_.booted(firmware_);
    desk_.booted(device_);
    py::gil_scoped_release free;
    const std::lock_guard<std::mutex> lock(mutex_);
    host::upload(device_, *firmware_);
    host::GoWatcher watcher(device_, *firmware_, device_.board().tensix());
    finish(device_.run(kNever, [&] { return watcher.all_done(); }));
  }
  u32 load_elf(std::pair<unsigned, unsigned> tile, const std::string& core,
               const std::string& path) {
    auto elf = std::make_shared<const host::Elf>(host::Elf::load(path));
    const std::lock_guard<std::mutex> lock(mutex_);
    const u32 entry = host::load_elf(device_, coord_of(tile), core_named(core), *elf);
    code_.loaded(coord_of(tile), core_named(core), std::move(elf));
    return entry;
  }
  void register_elf(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    code_.look_in(path);
  }
  void start_core(std::pair<unsigned, unsigned> tile, const std::string& core, u32 pc) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (core_named(core) == CoreId::Brisc) desk_.runs_other_code(coord_of(tile));
    host::start_core(device_, coord_of(tile), core_named(core), pc);
  }
  void hold_core(std::pair<unsigned, unsigned> tile, const std::string& core) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (core_named(core) == CoreId::Brisc) desk_.runs_other_code(coord_of(tile));
    host::hold_core(device_, coord_of(tile), core_named(core));
  }

  /// `done` is asked at the edges of epochs with the GIL held; it may use the device.
  /// `place`: where it is in the host's source.
  void run(const py::object& done, u64 max_cycles, const std::string& place) {
    std::function<bool()> predicate;
    std::exception_ptr thrown;
    if (!done.is_none())
      predicate = [&] {
        py::gil_scoped_acquire hold;
        desk_.asks(place);
        mutex_.unlock();
        bool result = true;
        try {
          if (PyErr_CheckSignals() != 0) throw py::error_already_set();
          result = py::cast<bool>(done());
        } catch (...) {
          thrown = std::current_exception();
        }
        py::gil_scoped_release free;
        mutex_.lock();
        desk_.asked();
        return result;
      };
    RunResult result;
    {
      py::gil_scoped_release free;
      const std::lock_guard<std::mutex> lock(mutex_);
      result = predicate ? device_.run(max_cycles, predicate) : run_on(max_cycles);
      if (!thrown) finish(result);
    }
    if (thrown) {
      std::string where;
      {
        py::gil_scoped_release free;
        const std::lock_guard<std::mutex> lock(mutex_);
        where = host::text_of(standstill(host::Standstill::Reason::Asked));
      }
      say_where(thrown, where);
      std::rethrow_exception(thrown);
    }
  }
  void advance(u64 cycles) {
    py::gil_scoped_release free;
    const std::lock_guard<std::mutex> lock(mutex_);
    // In stretches between which signals are heard, of about a tenth of a second.
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kLong{100};
    for (u64 stretch = 1 << 16; cycles != 0;) {
      const auto begin = Clock::now();
      const u64 now = std::min(cycles, stretch);
      const RunResult result = device_.advance(now);
      if (result.status == RunStatus::Faulted) return finish(result);
      cycles -= now;
      if (Clock::now() - begin < kLong / 4) stretch *= 2;
      if (Clock::now() - begin > kLong && stretch > 1 << 12) stretch /= 2;
      if (cycles != 0) look_for_signals();
    }
  }
  /// What looks wrong with what kernels have done since it was asked last; empty: nothing.
  std::string doubts() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return unwritten_ && unwritten_->has_any() ? unwritten_->take(code_map()) : "";
  }
  u64 cycle() { return device_.cycle(); }
  /// The host has told a tile to go and let no time pass: true once.
  bool has_not_run() { return desk_.has_not_run(device_); }
  u64 hash() {
    py::gil_scoped_release free;
    const std::lock_guard<std::mutex> lock(mutex_);
    return device_.hash();
  }

  py::array_t<u32> registers(std::pair<unsigned, unsigned> tile, const std::string& name) {
    const auto file = host::register_file_named(name);
    if (!file) throw InputError("", "", fmt::format("there is no register file '{}'", name));
    std::vector<u32> words(host::register_words(*file));
    const std::lock_guard<std::mutex> lock(mutex_);
    host::read_registers(device_, coord_of(tile), *file, 0, words);
    return py::array_t<u32>(static_cast<py::ssize_t>(words.size()), words.data());
  }
  unsigned source_format(std::pair<unsigned, unsigned> tile, const std::string& name) {
    const auto file = host::register_file_named(name);
    if (!file) throw InputError("", "", fmt::format("there is no register file '{}'", name));
    const std::lock_guard<std::mutex> lock(mutex_);
    return host::source_format(device_, coord_of(tile), *file);
  }
  py::dict core(std::pair<unsigned, unsigned> at, const std::string& name) {
    static constexpr const char* kStatus[] = {"reset",  "running", "blocked",
                                              "parked", "stopped", "halted"};
    const std::lock_guard<std::mutex> lock(mutex_);
    const CoreId id = core_named(name);
    tile::Tile& tile = host::tile_with(device_, coord_of(at), id);
    tile.settle(device_.cycle());
    const riscv::CoreState& state = tile.core(id);
    py::dict dict;
    dict["status"] = kStatus[static_cast<unsigned>(tile.status(id))];
    dict["pc"] = state.pc;
    dict["x"] = std::vector<u32>(state.x.begin(), state.x.begin() + 32);
    dict["f"] = std::vector<u32>(state.f.begin(), state.f.end());
    dict["instructions"] = state.instret;
    return dict;
  }
  std::vector<py::dict> circular_buffers(std::pair<unsigned, unsigned> tile) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<py::dict> all;
    for (const host::CircularBuffer& from : host::circular_buffers(device_, coord_of(tile))) {
      py::dict dict;
      dict["index"] = from.index;
      dict["address"] = from.address;
      dict["size"] = from.size;
      dict["pages"] = from.pages;
      dict["page_size"] = from.page_size;
      dict["received"] = from.received;
      dict["acked"] = from.acked;
      all.push_back(dict);
    }
    return all;
  }
  std::vector<py::dict> faults() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<py::dict> all;
    for (const host::FaultReport& report : host::fault_reports(device_, code_map()))
      all.push_back(fault_dict(report));
    return all;
  }
  void clear_faults() {
    const std::lock_guard<std::mutex> lock(mutex_);
    device_.clear_faults();
  }
  /// Who waits for what, as `bhemu run` prints it for a hang.
  std::string waiters() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return host::text_of(standstill(host::Standstill::Reason::Asked));
  }
  /// From now on it is remembered who writes what, for why().
  void remember_writers() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!writers_) writers_ = std::make_unique<watch::WritersOfDevice>(device_);
  }
  std::string why(std::pair<unsigned, unsigned> tile, const std::string& place) {
    const Coord coord = coord_of(tile);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!writers_)
      throw InputError("", "",
                       "nobody remembers who wrote what: make the device with writers=True");
    const std::string text = fmt::format("{}-{} {}", coord.x, coord.y, place);
    const watch::Question question = watch::parse_question("why", text, device_.board());
    return text_of(device_, question, watch::why(*writers_, question), code_map());
  }
  /// From now on accesses to a place are kept for watched(): "1-2:dst:0-3:rw".
  void watch(const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<watch::Watch> watches;
    if (watchpoints_) watches = watchpoints_->watches();
    watches.push_back(watch::parse_watch("watch", text, device_.board()));
    for (py::dict& hit : hits()) seen_.push_back(std::move(hit));
    watchpoints_.reset();  // a node tells one of them
    watchpoints_ = std::make_unique<watch::Watchpoints>(device_, std::move(watches));
    watched_.push_back(text);
  }
  std::vector<py::dict> watched() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<py::dict> all = std::exchange(seen_, {});
    for (py::dict& hit : hits()) all.push_back(std::move(hit));
    return all;
  }
  /// The Tensix grid, or one tile and a table of its agents, as HTML.
  std::string grid(const std::optional<std::pair<unsigned, unsigned>>& tile) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!tile) return debug::grid_svg(debug::grid_cells(device_, code_map()));
    return debug::tile_html(debug::grid_cells(device_, code_map(), coord_of(*tile)));
  }
  py::bytes snapshot() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return bytes_of(device_.snapshot());
  }
  void restore(const py::bytes& snapshot) {
    const std::string_view view = snapshot;
    const std::lock_guard<std::mutex> lock(mutex_);
    device_.restore({reinterpret_cast<const u8*>(view.data()), view.size()});
    desk_.others_wrote();
  }
  std::unique_ptr<NativeDevice> clone() {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto copy = std::make_unique<NativeDevice>(device_.clone(), code_);
    copy->firmware_ = firmware_;
    copy->program_ = program_;
    copy->desk_ = desk_;
    return copy;
  }

  // --- A program file. The last one that was loaded is the one that is meant.

  /// Returns its tiles.
  std::vector<std::pair<unsigned, unsigned>> load_program(
      const std::string& path, const std::map<std::string, std::string>& inputs) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto program = std::make_shared<LoadedProgram>(path, inputs, device_, firmware_);
    // One that was loaded and not run for a cycle is as if it had never been.
    if (loaded_at_ != device_.cycle()) program->check_free(device_);
    program->start(device_);
    desk_.others_wrote();
    loaded_at_ = device_.cycle();
    program_ = std::move(program);
    std::vector<std::pair<unsigned, unsigned>> tiles;
    for (const Coord tile : program_->prepared().tiles()) tiles.emplace_back(tile.x, tile.y);
    return tiles;
  }
  bool program_done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return program_ && program_->is_done(device_);
  }
  void save_tensors(const std::string& directory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (program_) program_->save(device_, directory);
  }
  std::vector<std::tuple<std::string, bool, std::string>> check_program() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::tuple<std::string, bool, std::string>> all;
    if (!program_) return all;
    for (const host::Check& check : program_->prepared().check(device_))
      all.emplace_back(check.what, check.passed, check.detail);
    return all;
  }
  u32 symbol(const std::string& core, const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!program_) throw InputError("", "", "no program was loaded");
    return program_->address_of(core_named(core), name);
  }
  /// Until the program is done or, with a core, that of one of the tiles comes by `pc`; the place
  /// is returned then. Raises as run() does when neither happens.
  py::object run_program_on(const std::vector<std::pair<unsigned, unsigned>>& tiles,
                            const std::string& core, u32 pc, u64 max_cycles) {
    std::vector<Coord> coords;
    for (const auto& tile : tiles) coords.push_back(coord_of(tile));
    std::optional<PcWatch::Hit> hit;
    {
      py::gil_scoped_release free;
      const std::lock_guard<std::mutex> lock(mutex_);
      std::optional<PcWatch> watch;
      if (!core.empty()) watch.emplace(device_, coords, core_named(core), pc);
      const auto stops = [&] {
        return (watch && watch->first()) || (program_ && program_->is_done(device_));
      };
      const RunResult result = run_on(max_cycles, stops);
      if (watch) hit = watch->first();
      if (!hit) finish(result);
    }
    if (!hit) return py::none();
    py::dict dict;
    dict["tile"] = std::pair<unsigned, unsigned>{hit->tile.x, hit->tile.y};
    dict["cycle"] = hit->cycle;
    dict["x"] = std::vector<u32>(hit->x.begin(), hit->x.begin() + 32);
    return dict;
  }
  /// Semaphores (value, maximum), holders of mutexes, and what the threads wait for.
  py::dict sync(std::pair<unsigned, unsigned> at) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sync_of(device_, coord_of(at));
  }

 private:
  std::vector<py::dict> hits() {
    std::vector<py::dict> found;
    if (!watchpoints_) return found;
    const host::CodeMap code = code_map();
    for (const watch::Hit& hit : watchpoints_->take()) {
      py::dict dict;
      dict["watch"] = watched_[hit.watch];
      dict["cycle"] = hit.cycle;
      dict["reads"] = hit.access.reads;
      dict["writes"] = hit.access.writes;
      dict["before"] = hit.has_values ? py::cast(hit.before) : py::none();
      dict["after"] = hit.has_values ? py::cast(hit.after) : py::none();
      std::string text = text_of(device_, *watchpoints_, hit, code);
      while (!text.empty() && text.back() == '\n') text.pop_back();
      dict["text"] = text;
      found.push_back(std::move(dict));
    }
    return found;
  }
  /// Until something stops it, in stretches between which signals are heard.
  RunResult run_on(u64 cycles, const std::function<bool()>& done = nullptr) {
    constexpr u64 kStretch = 100'000;
    RunResult result;
    do {
      const u64 stretch = std::min(cycles, kStretch);
      result = device_.run(stretch, done);
      if (cycles != kNever) cycles -= stretch;
      look_for_signals();
    } while (result.status == RunStatus::Cycles && cycles != 0);
    return result;
  }
  [[noreturn]] void nothing(Coord tile, u64 address, size_t bytes) {
    throw InputError(
        "", "",
        fmt::format("nothing answers at ({}, {}) address {:#x}, {} bytes: {}", tile.x, tile.y,
                    address, bytes, why_refused(device_, tile, address, bytes)));
  }
  [[noreturn]] void no_dram(unsigned bank, u64 offset, size_t bytes) {
    throw InputError("", "",
                     fmt::format("DRAM bank {} has nothing at {:#x}, {} bytes: {}", bank, offset,
                                 bytes, why_dram_refused(device_, bank, offset, bytes)));
  }
  host::CodeMap code_map() {
    host::CodeMap code = code_.map(device_);
    if (program_) program_->add_code(code);
    if (machine_) code.add(machine_->code());
    return code;
  }
  host::Standstill standstill(host::Standstill::Reason reason) {
    return host::standstill_of(device_, code_map(), {}, reason);
  }
  [[noreturn]] void fail(const char* kind, host::Standstill::Reason reason) {
    host::Standstill found = standstill(reason);
    desk_.tell(device_, found);
    auto where = std::make_shared<const host::Standstill>(std::move(found));
    throw RunError(kind, host::text_of(*where), where);
  }
  /// Python's handlers, while the GIL is not held and the device is; they may use the device.
  void look_for_signals() {
    std::exception_ptr thrown;
    mutex_.unlock();
    {
      py::gil_scoped_acquire hold;
      try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      } catch (...) {
        thrown = std::current_exception();
      }
    }
    mutex_.lock();
    if (!thrown) return;
    const std::string where = host::text_of(standstill(host::Standstill::Reason::Asked));
    mutex_.unlock();
    {
      py::gil_scoped_acquire hold;
      say_where(thrown, where);
    }
    mutex_.lock();
    std::rethrow_exception(thrown);
  }
  /// A KeyboardInterrupt gets a note (Python 3.11) of what the card was doing; the GIL is held.
  static void say_where(const std::exception_ptr& thrown, const std::string& where) {
    try {
      std::rethrow_exception(thrown);
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) return;
      const py::object value = error.value();
      if (py::hasattr(value, "add_note")) value.attr("add_note")(where);
    } catch (...) {
    }
  }
  void finish(const RunResult& result) {
    switch (result.status) {
      case RunStatus::Done:
        return;
      case RunStatus::Cycles:
        fail("limit", host::Standstill::Reason::Limit);
      case RunStatus::Faulted:
        throw RunError("fault", host::fault_text(host::fault_reports(device_, code_map())));
      case RunStatus::Idle:
        fail("hang", host::Standstill::Reason::Idle);
      case RunStatus::Spinning:
        fail("hang", host::Standstill::Reason::Spinning);
    }
  }

  Device device_;
  std::shared_ptr<host::Machine> machine_;  // that the device was taken from; null: none
  host::HostDesk desk_;
  std::unique_ptr<host::UnwrittenDram> unwritten_;  // null: not looked for
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
// tidy: allow function-length: one step after the other
py::dict run_program(const std::string& path, const host::DeviceSettings& settings,
                     const std::string& firmware, const std::string& output, u64 max_cycles,
                     const std::vector<std::string>& questions, const std::string& race) {
  host::RaceReport races;
  host::Outcome boot;
  host::Outcome run;
  std::string board;
  size_t tiles = 0;
  std::vector<std::string> answers;
  std::vector<host::Printed> printed;
  std::unique_ptr<NativeDevice> left;
  {
    py::gil_scoped_release free;
    host::Program program = host::load_program(path);
    host::compile_sources(program);
    host::DeviceSettings with_check = settings;
    if (with_check.check.empty()) with_check.check = program.check;
    const DeviceOptions options = host::device_options(
        with_check, program.board.value_or(BoardModel::P100A), host::SettingStyle::File);
    const auto firmware_of = [&firmware] {
      return firmware.empty() ? host::Firmware::embedded() : host::Firmware::load(firmware);
    };
    const auto owned = std::make_shared<host::Machine>(options, firmware_of());
    host::Machine& machine = *owned;
    if (max_cycles != 0) machine.set_limit(max_cycles);
    machine.set_printer([&printed](const host::Printed& one) { printed.push_back(one); });
    const host::PreparedProgram prepared = machine.prepare(program);
    std::vector<watch::Question> asked;
    for (const std::string& text : questions)
      asked.push_back(watch::parse_question("why", text, machine.device().board()));
    std::unique_ptr<watch::WritersOfDevice> writers;
    if (!asked.empty()) writers = std::make_unique<watch::WritersOfDevice>(machine.device());
    board = machine.device().board().name();
    tiles = machine.device().board().tensix().size();
    machine.set_progress([](const Totals&) {
      py::gil_scoped_acquire hold;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      return true;
    });
    host::RaceSettings race_settings;
    race_settings.level = race;
    const host::RaceOptions race_options = host::race_options(race_settings);
    std::unique_ptr<host::RaceWatch> watch;
    if (race_options.on) {
      watch = std::make_unique<host::RaceWatch>(machine.device(), race_options, &machine.firmware(),
                                                prepared.tiles());
      watch->know(prepared, machine.firmware());
    }
    boot = machine.boot();
    if (boot.status == host::Status::Ok) run = machine.run(prepared, output);
    if (with_check.check.empty())
      watch::look_for_cause(options, firmware_of, max_cycles != 0 ? max_cycles : kNever, prepared,
                            run);
    for (const watch::Question& question : asked)
      answers.push_back(
          text_of(machine.device(), question, watch::why(*writers, question), machine.code()));
    if (watch != nullptr) {
      races = watch->report(machine.code());
      watch.reset();
      races = host::with_hints(program, options, firmware, max_cycles != 0 ? max_cycles : kNever,
                               race_options, std::move(races));
    }
    writers.reset();
    if (run.status == host::Status::Hang || run.status == host::Status::Fault)
      left = std::make_unique<NativeDevice>(owned);
    machine.set_printer({});
    machine.set_progress({});
  }
  const bool booted = boot.status == host::Status::Ok;
  const host::Outcome& last = booted ? run : boot;
  py::dict result;
  result["status"] = host::name_of(last.status);
  result["board"] = board;
  result["boot_cycles"] = boot.totals.cycles;
  result["cycles"] = booted ? run.totals.cycles : 0;
  result["riscv_instructions"] = last.totals.riscv_instructions;
  result["tensix_instructions"] = last.totals.tensix_instructions;
  result["noc_bytes"] = last.totals.noc_bytes;
  result["explanation"] = last.explanation(tiles);
  result["saved"] = last.saved;
  const py::dict standstill = standstill_dict(last.standstill);
  for (const char* key : {"first_cause", "waiters"}) result[key] = standstill[key];
  std::vector<py::dict> faults;
  for (const host::FaultReport& report : last.faults) faults.push_back(fault_dict(report));
  result["faults"] = faults;
  result["why"] = answers;
  py::list lines;
  for (const host::Printed& one : printed)
    lines.append(py::make_tuple(py::make_tuple(one.tile.x, one.tile.y), name_of(one.core),
                                one.cycle, one.text));
  result["printed"] = lines;
  std::vector<py::dict> found;
  for (const host::RaceFinding& one : races.findings) {
    py::dict finding;
    finding["kind"] = one.kind;
    finding["row"] = static_cast<unsigned>(one.finding.edge);
    finding["text"] = one.text;
    finding["suppressed"] = one.suppressed;
    std::vector<std::pair<unsigned, unsigned>> at;
    for (const Coord tile : one.tiles) at.emplace_back(tile.x, tile.y);
    finding["tiles"] = at;
    found.push_back(std::move(finding));
  }
  result["races"] = found;
  result["device"] = left == nullptr ? py::object(py::none()) : py::cast(std::move(left));
  return result;
}

void register_exceptions() {
  py::register_exception_translator([](std::exception_ptr pointer) {
    if (!pointer) return;
    const auto raise = [](const char* name, const char* text) {
      const py::object type = py::module_::import("bhemu.errors").attr(name);
      PyErr_SetString(type.ptr(), text);
    };
    try {
      std::rethrow_exception(pointer);
    } catch (const RunError& error) {
      const char* name = error.kind == "fault"  ? "FaultError"
                         : error.kind == "hang" ? "HangError"
                                                : "LimitError";
      const py::object raised = py::module_::import("bhemu.errors").attr(name)(error.what());
      if (error.standstill) {
        const py::dict dict = standstill_dict(*error.standstill);
        for (const char* key : {"first_cause", "waiters"}) raised.attr(key) = dict[key];
      }
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
    } catch (const InputError& error) {
      raise("InputError", error.what());
    } catch (const ArchiveError& error) {
      raise("InputError", error.what());
    }
  });
}

}  // namespace
}  // namespace bhemu::python

PYBIND11_MODULE(_native, module) {
  using namespace bhemu::python;  // NOLINT: the macro makes a function
  using bhemu::host::DeviceSettings;
  module.attr("__version__") = bhemu::host::kVersion;
  register_exceptions();

  py::class_<DeviceSettings>(module, "Settings")
      .def(py::init<>())
      .def_readwrite("board", &DeviceSettings::board)
      .def_readwrite("harvest_dram", &DeviceSettings::harvest_dram)
      .def_readwrite("harvest_columns", &DeviceSettings::harvest_columns)
      .def_readwrite("timing", &DeviceSettings::timing)
      .def_readwrite("rules", &DeviceSettings::rules)
      .def_readwrite("check", &DeviceSettings::check)
      .def_readwrite("threads", &DeviceSettings::threads)
      .def_readwrite("seed", &DeviceSettings::seed);

  py::class_<NativeDevice>(module, "Device")
      .def(py::init<const DeviceSettings&>())
      .def("board", &NativeDevice::board)
      .def("tensix_tiles", &NativeDevice::tensix_tiles)
      .def("dram_banks", &NativeDevice::dram_banks)
      .def("dram_tile", &NativeDevice::dram_tile)
      .def("soc_descriptor", &NativeDevice::soc_descriptor)
      .def("read", &NativeDevice::read)
      .def("write", &NativeDevice::write)
      .def("multicast", &NativeDevice::multicast)
      .def("read_dram", &NativeDevice::read_dram)
      .def("write_dram", &NativeDevice::write_dram)
      .def("set_host_memory", &NativeDevice::set_host_memory)
      .def("boot", &NativeDevice::boot)
      .def("load_elf", &NativeDevice::load_elf)
      .def("register_elf", &NativeDevice::register_elf)
      .def("start_core", &NativeDevice::start_core)
      .def("hold_core", &NativeDevice::hold_core)
      .def("run", &NativeDevice::run)
      .def("advance", &NativeDevice::advance)
      .def("cycle", &NativeDevice::cycle)
      .def("doubts", &NativeDevice::doubts)
      .def("has_not_run", &NativeDevice::has_not_run)
      .def("hash", &NativeDevice::hash)
      .def("registers", &NativeDevice::registers)
      .def("source_format", &NativeDevice::source_format)
      .def("core", &NativeDevice::core)
      .def("circular_buffers", &NativeDevice::circular_buffers)
      .def("faults", &NativeDevice::faults)
      .def("clear_faults", &NativeDevice::clear_faults)
      .def("waiters", &NativeDevice::waiters)
      .def("remember_writers", &NativeDevice::remember_writers)
      .def("why", &NativeDevice::why)
      .def("watch", &NativeDevice::watch)
      .def("watched", &NativeDevice::watched)
      .def("grid", &NativeDevice::grid)
      .def("snapshot", &NativeDevice::snapshot)
      .def("restore", &NativeDevice::restore)
      .def("clone", &NativeDevice::clone)
      .def("load_program", &NativeDevice::load_program)
      .def("program_done", &NativeDevice::program_done)
      .def("save_tensors", &NativeDevice::save_tensors)
      .def("check_program", &NativeDevice::check_program)
      .def("symbol", &NativeDevice::symbol)
      .def("run_program", &NativeDevice::run_program_on)
      .def("sync", &NativeDevice::sync);

  bind_card(module);

  module.def("run_program", &run_program);
  module.def("disassemble_riscv", &bhemu::riscv::disassemble);
  module.def("disassemble_tensix", &bhemu::tensix::disassemble);
}
