// Whole runs, as a user starts them: `bhemu run` of a program, from nothing to its checked results.
// The time is that on the wall, with one host thread and with two.
#include <benchmark/benchmark.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace bhemu {
namespace {

/// Where the tensors go that programs save.
class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "bhemu-bench-XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs an example of the repository; what it prints goes nowhere.
void run_example(benchmark::State& state, const char* name, const char* board) {
  const Folder folder;
  const std::string command = std::string("'" BHEMU_BINARY_DIR "/bin/bhemu' run --board ") + board +
                              " --threads " + std::to_string(state.range(0)) + " --output '" +
                              folder.path() + "' '" BHEMU_SOURCE_DIR "/examples/" + name +
                              ".yaml' >/dev/null 2>&1";
  for (auto _ : state) {
    const int status = std::system(command.c_str());
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      state.SkipWithError((command + ": failed").c_str());
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
