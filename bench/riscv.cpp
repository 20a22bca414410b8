// Speed of one core on integer code, in MIPS: no tile around it, just L1 and local memory.
#include <benchmark/benchmark.h>

#include "../tests/riscv/flat_bus.hpp"
#include "riscv_kernel.hpp"

namespace bhemu::riscv {
namespace {

template <class Bus>
void integer_kernel(benchmark::State& run_state) {
  FlatMemory memory;
  const u32 ebreak = 0x00100073;
  memory.write(0, kIntegerKernel, sizeof kIntegerKernel);
  memory.write32(kIntegerKernelReturn, ebreak);
  Bus bus(memory);
  CoreState core;
  const u64 quantum = static_cast<u64>(run_state.range(0));
  u32 checksum = 0;
  for (auto _ : run_state) {
    core.reset(0);
    core.x[1] = kIntegerKernelReturn;
    core.x[2] = kLdmBase + 0x1FF0;
    core.x[10] = 3;
    Outcome outcome = Outcome::Ok;
    while (outcome == Outcome::Ok) outcome = run(core, bus, core.cycle + quantum);
    checksum = core.x[10];
    bus.faults.clear();
  }
  run_state.counters["MIPS"] =
      benchmark::Counter(static_cast<double>(core.instret) / 1e6, benchmark::Counter::kIsRate);
  run_state.counters["checksum"] = checksum;
}

BENCHMARK(integer_kernel<FlatBus>)->ArgName("quantum")->Arg(16)->Arg(64)->Arg(1 << 20);
BENCHMARK(integer_kernel<RecordingFlatBus>)->ArgName("recording")->Arg(1 << 20)->Iterations(2);

}  // namespace
}  // namespace bhemu::riscv
