// A device's program file: the last one that was loaded is the one that is meant.
#include "device.hpp"
#include "dicts.hpp"
#include "host/error.hpp"

namespace bhemu::python {

using host::InputError;

std::vector<std::pair<unsigned, unsigned>> NativeDevice::load_program(
    const std::string& path, const std::map<std::string, std::string>& inputs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto program = std::make_shared<LoadedProgram>(path, inputs, device(), firmware_);
  // One that was loaded and not run for a cycle is as if it had never been.
  if (loaded_at_ != device().cycle()) program->check_free(device());
  program->start(device());
  desk_.others_wrote();
  loaded_at_ = device().cycle();
  program_ = std::move(program);
  std::vector<std::pair<unsigned, unsigned>> tiles;
  for (const Coord tile : program_->prepared().tiles()) tiles.emplace_back(tile.x, tile.y);
  return tiles;
}

bool NativeDevice::program_done() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return program_ && program_->is_done(device());
}

void NativeDevice::save_tensors(const std::string& directory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (program_) program_->save(device(), directory);
}

std::vector<std::tuple<std::string, bool, std::string>> NativeDevice::check_program() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::tuple<std::string, bool, std::string>> all;
  if (!program_) return all;
  for (const host::Check& check : program_->prepared().check(device()))
    all.emplace_back(check.what, check.passed, check.detail);
  return all;
}

u32 NativeDevice::symbol(const std::string& core, const std::string& name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!program_) throw InputError("", "", "no program was loaded");
  return program_->address_of(core_named(core), name);
}

py::object NativeDevice::run_program_on(const std::vector<std::pair<unsigned, unsigned>>& tiles,
                                        const std::string& core, u32 pc, u64 max_cycles) {
  std::vector<Coord> coords;
  for (const auto& tile : tiles) coords.push_back(coord_of(tile));
  std::optional<PcWatch::Hit> hit;
  {
    py::gil_scoped_release free;
    const std::lock_guard<std::mutex> lock(mutex_);
    std::optional<PcWatch> watch;
    if (!core.empty()) watch.emplace(device(), coords, core_named(core), pc);
    const auto stops = [&] {
      return (watch && watch->first()) || (program_ && program_->is_done(device()));
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

}  // namespace bhemu::python
