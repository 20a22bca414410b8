// What a user sees: the loops that kernels are made of, pushed by the cores of a tile of a whole
// device, one host thread. The programs are those of bhemu_compare_peer. Figures are per second of
// processor time.
#include <benchmark/benchmark.h>

#include "peer/sides.hpp"

namespace bhemu::peer {
namespace {

void guest_program(benchmark::State& run_state, const GuestProgram& program) {
  const std::unique_ptr<Side> side = run_here(program);
  double work = 0;
  double seconds = 0;
  for (auto _ : run_state) {
    const Stretch stretch = side->run(0.02);
    work += stretch.turns * program.per_turn;
    seconds += stretch.seconds;
    run_state.SetIterationTime(stretch.seconds);
  }
  run_state.counters["work_per_second"] = work / seconds;
  run_state.SetLabel(program.unit);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const GuestProgram& program : guest_programs())
    benchmark::RegisterBenchmark(("device_" + program.name).c_str(), guest_program, program)
        ->UseManualTime();
  return true;
}();

}  // namespace
}  // namespace bhemu::peer
