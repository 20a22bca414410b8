// Whole runs, as a user starts them: `bhemu run` of a program, from nothing to its checked results.
// The time is that on the wall, with one host thread and with two.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <string>

#include "cli/command.hpp"

namespace bhemu {
namespace {

/// Runs an example of the repository.
void run_example(benchmark::State& state, const char* name, const char* board) {
  const test::Scratch scratch("bhemu_bench");  // where the tensors go that programs save
  const std::string arguments =
      std::string("run --board ") + board + " --threads " + std::to_string(state.range(0)) +
      " --output " + scratch.path().string() + " " BHEMU_SOURCE_DIR "/examples/" + name + ".yaml";
  for (auto _ : state) {
    const test::CommandResult result = test::bhemu(scratch, arguments);
    if (result.status != 0) {
      state.SkipWithError((arguments + ": " + result.err).c_str());
      return;
    }
  }
}

[[maybe_unused]] const bool kRegistered = [] {
  struct Run {
    const char* name;
    const char* board;
  };
  // The first is little more than boot, launch and exit.
  for (const Run& run :
       {Run{"add_scalar", "p150"}, Run{"matmul_multicast", "p150"}, Run{"matmul_hifi4", "p100a"},
        Run{"softmax", "p100a"}, Run{"layernorm", "p100a"}})
    benchmark::RegisterBenchmark((std::string("run_") + run.name).c_str(), run_example, run.name,
                                 run.board)
        ->ArgName("threads")
        ->Arg(1)
        ->Arg(2)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  return true;
}();

}  // namespace
}  // namespace bhemu
