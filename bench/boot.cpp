// What it costs to have a chip at all: the boot of our firmware on 140 tiles, and the memory of a
// P150 that has booted and idles.
#include <benchmark/benchmark.h>
#include <vector>

#include "host/boot/machine.hpp"
#include "support/resident.hpp"

namespace bhemu {
namespace {

DeviceOptions p150() {
  DeviceOptions options;
  options.board = BoardOptions::defaults(BoardModel::P150);
  return options;
}

/// From nothing to "ready" on every tile: the device, the upload and the firmware's own work.
void boot_140_tiles(benchmark::State& state) {
  Cycle cycles = 0;
  for (auto _ : state) {
    host::Machine machine(p150(), host::Firmware::embedded());
    const host::Outcome outcome = machine.boot();
    if (outcome.status != host::Status::Ok) {
      state.SkipWithError(outcome.explanation(machine.device().board().tensix().size()).c_str());
      return;
    }
    cycles = outcome.cycle;
  }
  state.counters["cycles"] = static_cast<double>(cycles);
}
BENCHMARK(boot_140_tiles)->Unit(benchmark::kMillisecond)->UseRealTime();

/// The time is that of 1,000 calls to run on an idle chip, 1,024 cycles each.
void idle_p150(benchmark::State& state) {
  host::Machine machine(p150(), host::Firmware::embedded());
  machine.boot();
  for (auto _ : state)
    for (int i = 0; i < 1000; ++i) machine.device().run(1024);
  state.counters["resident_MB"] = test::resident_megabytes();
}
BENCHMARK(idle_p150)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// Another device in the state of a booted one; nobody has touched it yet.
void clone_booted_p150(benchmark::State& state) {
  host::Machine machine(p150(), host::Firmware::embedded());
  machine.boot();
  Device pattern = machine.device().clone();
  for (auto _ : state) benchmark::DoNotOptimize(pattern.clone().cycle());
  const double before = test::resident_megabytes();
  std::vector<Device> kept;
  for (int i = 0; i < 100; ++i) kept.push_back(pattern.clone());
  state.counters["MB_each"] = (test::resident_megabytes() - before) / 100;
}
BENCHMARK(clone_booted_p150)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace bhemu
