#include "loaded_program.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "host/boot/mailboxes.hpp"
#include "host/error.hpp"
#include "host/program/compile.hpp"
#include "host/report/inspect.hpp"
#include "host/report/situation.hpp"
#include "host/suggest.hpp"
#include "tensix/state.hpp"
#include "tile/tile.hpp"
#include "tile/wait_text.hpp"

namespace bhemu::python {

LoadedProgram::LoadedProgram(const std::string& path,
                             const std::map<std::string, std::string>& inputs, Device& device,
                             std::shared_ptr<const host::Firmware> firmware)
    : program_(host::load_program(path)), firmware_(std::move(firmware)) {
  if (firmware_ == nullptr)
    throw host::InputError(path, "", "the device is not booted: call boot() before");
  std::vector<std::string> names;
  for (host::TensorSpec& tensor : program_.tensors) {
    names.push_back(tensor.name);
    tensor.save = tensor.name + ".npy";
    if (const auto input = inputs.find(tensor.name); input != inputs.end())
      tensor.source = host::FileSource{input->second};
  }
  for (const auto& [name, file] : inputs)
    if (program_.tensor(name) == nullptr)
      throw host::InputError(
          path, "",
          fmt::format("the program has no tensor '{}'{}", name, host::suggestion(name, names)));
  host::compile_sources(program_);
  prepared_ = std::make_unique<host::PreparedProgram>(program_, device.board(), *firmware_,
                                                      device.dram_bank_bytes());
  if (prepared_->parts().size() != 1)
    throw host::InputError(path, "", "a session takes programs with one launch and one part only");
}

void LoadedProgram::start(Device& device) {
  prepared_->start(device, *firmware_);
}

void LoadedProgram::check_free(Device& device) const {
  for (const Coord coord : prepared_->tiles()) {
    tile::Tile& tile = host::tensix_tile(device, coord);
    const host::LaunchView launch = host::launch_of(tile, 0);
    if (!launch.valid || launch.go != host::kGoGo) continue;
    const bool stopped = tile.status(CoreId::Brisc) == tile::CoreStatus::Stopped;
    throw host::InputError(
        program_.file, "",
        fmt::format(
            "({}, {}) still runs what was launched before: its go message is GO{}. Remedy: "
            "run that to its end first (run()); after a hang or a fault, restore a snapshot "
            "that was taken before it (restore), or boot another device",
            coord.x, coord.y, stopped ? ", and BRISC has broken a rule" : ""));
  }
}

bool LoadedProgram::is_done(Device& device) const {
  if (!prepared_->launch().go) return false;
  return host::GoWatcher(device, *firmware_, prepared_->tiles()).all_done();
}

void LoadedProgram::save(Device& device, const std::string& directory) const {
  prepared_->save(device, directory);
}

u32 LoadedProgram::address_of(CoreId core, const std::string& symbol) const {
  const auto& kernel = prepared_->launch().kernels[index_of(core)];
  if (!kernel || kernel->elf == nullptr)
    throw host::InputError("", "", fmt::format("{} has no kernel with symbols", name_of(core)));
  std::vector<std::string> names;
  for (const host::Symbol& each : kernel->elf->symbols())
    if (each.function) names.push_back(each.name);
  const host::Symbol* found = kernel->elf->symbol(symbol);
  if (found == nullptr)
    throw host::InputError(
        kernel->elf->name(), "",
        fmt::format("there is no function '{}'{}; inlined ones have no address of their own",
                    symbol, host::suggestion(symbol, names)));
  return found->value - kernel->link_base + firmware_->kernel_config_base() +
         prepared_->offsets().text[index_of(core)];
}

void LoadedProgram::add_code(host::CodeMap& code) const {
  for (unsigned core = 0; core < kCores; ++core) {
    const auto& kernel = prepared_->launch().kernels[core];
    if (!kernel || kernel->elf == nullptr) continue;
    code.add(static_cast<CoreId>(core), *kernel->elf,
             firmware_->kernel_config_base() + prepared_->offsets().text[core], kernel->link_base,
             static_cast<u32>(kernel->bytes.size()), std::nullopt, 0, true);
  }
}

pybind11::dict sync_of(Device& device, Coord at) {
  namespace py = pybind11;
  tile::Tile& tile = host::tensix_tile(device, at);
  const tensix::State& state = tile.coprocessor().state();
  py::list semaphores;
  for (const tensix::Semaphore& each : state.sync.semaphore)
    semaphores.append(py::make_tuple(each.value, each.max));
  py::dict mutexes;
  for (u32 i = 0; i < tensix::kMutexes; ++i)
    if (state.sync.mutex[i] != tensix::kNobody) mutexes[py::int_(i)] = state.sync.mutex[i];
  py::list threads;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const Waits waits = tile.coprocessor().waiting(thread);
    py::dict dict;
    dict["waiting"] = waits.waiting;
    dict["instruction"] = waits.word;
    dict["what"] = tile::what_of(waits);
    dict["executed"] = tile.coprocessor().instructions_executed(thread);
    threads.append(dict);
  }
  py::list requests;
  for (unsigned noc = 0; noc < 2; ++noc) {
    std::vector<Wait> waits;
    tile.niu(noc).find_outstanding(waits);
    for (const Wait& wait : waits) {
      const Coord other = device.coord_of(wait.node);
      py::dict request;
      request["noc"] = noc;
      request["kind"] = noc::name_of(static_cast<noc::PacketKind>(wait.packet));
      request["count"] = wait.value;
      request["node"] = device.name_of(wait.node);
      request["coord"] = py::make_tuple(other.x, other.y);
      request["address"] = wait.address;
      request["since"] = wait.since;
      requests.append(request);
    }
  }
  py::dict dict;
  dict["noc"] = requests;
  dict["semaphores"] = semaphores;
  dict["mutexes"] = mutexes;
  dict["threads"] = threads;
  return dict;
}

PcWatch::PcWatch(Device& device, const std::vector<Coord>& tiles, CoreId core, u32 pc)
    : device_(device), core_(index_of(core)), pc_(pc) {
  for (const Coord coord : tiles) {
    tile::Tile& tile = host::tile_with(device, coord, core);
    tile.set_onlooker(this);
    nodes_.push_back(tile.id());
    device.rouse_parked(tile.id());
  }
}

PcWatch::~PcWatch() {
  for (const NodeId node : nodes_) device_.tile_of(node)->set_onlooker(nullptr);
}

void PcWatch::before_instruction(tile::Tile& tile, unsigned core) {
  if (core != core_) return;
  const riscv::CoreState& state = tile.core(tile.shape().core[core]);
  if (state.pc != pc_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  hits_.try_emplace(tile.id(), Hit{device_.coord_of(tile.id()), state.cycle, state.x});
}

std::optional<PcWatch::Hit> PcWatch::first() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::optional<Hit> first;
  for (const NodeId node : nodes_) {
    const auto hit = hits_.find(node);
    if (hit != hits_.end() && (!first || hit->second.cycle < first->cycle)) first = hit->second;
  }
  return first;
}

}  // namespace bhemu::python
