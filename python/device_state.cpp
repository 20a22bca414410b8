// What a device shows of itself: registers, cores, buffers, faults, waiters, writers, accesses.
#include <fmt/format.h>

#include "debug/grid.hpp"
#include "device.hpp"
#include "dicts.hpp"
#include "host/error.hpp"
#include "host/report/inspect.hpp"
#include "tile/tile.hpp"

namespace bhemu::python {

using host::InputError;

py::array_t<u32> NativeDevice::registers(std::pair<unsigned, unsigned> tile,
                                         const std::string& name) {
  const auto file = host::register_file_named(name);
  if (!file) throw InputError("", "", fmt::format("there is no register file '{}'", name));
  std::vector<u32> words(host::register_words(*file));
  const std::lock_guard<std::mutex> lock(mutex_);
  host::read_registers(device(), coord_of(tile), *file, 0, words);
  return py::array_t<u32>(static_cast<py::ssize_t>(words.size()), words.data());
}

unsigned NativeDevice::source_format(std::pair<unsigned, unsigned> tile, const std::string& name) {
  const auto file = host::register_file_named(name);
  if (!file) throw InputError("", "", fmt::format("there is no register file '{}'", name));
  const std::lock_guard<std::mutex> lock(mutex_);
  return host::source_format(device(), coord_of(tile), *file);
}

py::dict NativeDevice::core(std::pair<unsigned, unsigned> at, const std::string& name) {
  static constexpr const char* kStatus[] = {"reset",  "running", "blocked",
                                            "parked", "stopped", "halted"};
  const std::lock_guard<std::mutex> lock(mutex_);
  const CoreId id = core_named(name);
  tile::Tile& tile = host::tile_with(device(), coord_of(at), id);
  tile.settle(device().cycle());
  const riscv::CoreState& state = tile.core(id);
  py::dict dict;
  dict["status"] = kStatus[static_cast<unsigned>(tile.status(id))];
  dict["pc"] = state.pc;
  dict["x"] = std::vector<u32>(state.x.begin(), state.x.begin() + 32);
  dict["f"] = std::vector<u32>(state.f.begin(), state.f.end());
  dict["instructions"] = state.instret;
  return dict;
}

std::vector<py::dict> NativeDevice::circular_buffers(std::pair<unsigned, unsigned> tile) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<py::dict> all;
  for (const host::CircularBuffer& from : host::circular_buffers(device(), coord_of(tile))) {
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

std::vector<py::dict> NativeDevice::faults() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<py::dict> all;
  for (const host::FaultReport& report : host::fault_reports(device(), code_map()))
    all.push_back(fault_dict(report));
  return all;
}

void NativeDevice::clear_faults() {
  const std::lock_guard<std::mutex> lock(mutex_);
  device().clear_faults();
}

std::string NativeDevice::waiters() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return host::text_of(standstill(host::Standstill::Reason::Asked));
}

void NativeDevice::remember_writers() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!writers_) writers_ = std::make_unique<watch::WritersOfDevice>(device());
}

std::string NativeDevice::why(std::pair<unsigned, unsigned> tile, const std::string& place) {
  const Coord coord = coord_of(tile);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!writers_)
    throw InputError("", "", "nobody remembers who wrote what: make the device with writers=True");
  const std::string text = fmt::format("{}-{} {}", coord.x, coord.y, place);
  const watch::Question question = watch::parse_question("why", text, device().board());
  return text_of(device(), question, watch::why(*writers_, question), code_map());
}

void NativeDevice::watch(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<watch::Watch> watches;
  if (watchpoints_) watches = watchpoints_->watches();
  watches.push_back(watch::parse_watch("watch", text, device().board()));
  for (py::dict& hit : hits()) seen_.push_back(std::move(hit));
  watchpoints_.reset();  // a node tells one of them
  watchpoints_ = std::make_unique<watch::Watchpoints>(device(), std::move(watches));
  watched_.push_back(text);
}

std::vector<py::dict> NativeDevice::watched() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<py::dict> all = std::exchange(seen_, {});
  for (py::dict& hit : hits()) all.push_back(std::move(hit));
  return all;
}

std::vector<py::dict> NativeDevice::hits() {
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
    std::string text = text_of(device(), *watchpoints_, hit, code);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    dict["text"] = text;
    found.push_back(std::move(dict));
  }
  return found;
}

std::string NativeDevice::grid(const std::optional<std::pair<unsigned, unsigned>>& tile) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!tile) return debug::grid_svg(debug::grid_cells(device(), code_map()));
  return debug::tile_html(debug::grid_cells(device(), code_map(), coord_of(*tile)));
}

py::dict NativeDevice::sync(std::pair<unsigned, unsigned> at) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sync_of(device(), coord_of(at));
}

}  // namespace bhemu::python
