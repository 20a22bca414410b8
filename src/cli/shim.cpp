// bhemu shim: runs a client of tt-kmd's with an emulated card in its process.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cli/commands.hpp"
#include "host/error.hpp"

namespace bhemu::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libbhemu_shim.so";
// As shells end when a command is not there, or is no program.
constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

/// Beside us as built (bin and lib), or as installed (lib/bhemu).
std::string library_path() {
  const fs::path here = fs::canonical("/proc/self/exe").parent_path();
  for (const char* folder : {"../lib", "../" BHEMU_LIBDIR "/bhemu", "../lib/bhemu"}) {
    std::error_code error;
    const fs::path path = here / folder / kLibrary;
    if (fs::exists(path, error)) return fs::canonical(path).string();
  }
  throw host::InputError(
      kLibrary, "",
      fmt::format("the library is not beside {}: build the target bhemu_shim, or install bhemu "
                  "whole",
                  here.string()));
}

void set(const char* name, const std::string& value) {
  if (!value.empty()) ::setenv(name, value.c_str(), 1);
}

void pass_settings(const CommonOptions& options, const ShimCommand& command) {
  set("BHEMU_BOARD", options.board);
  set("BHEMU_HARVEST_DRAM", options.harvest_dram);
  set("BHEMU_HARVEST_COLUMNS", options.harvest_columns);
  set("BHEMU_FAULTS", command.faults);
  set("BHEMU_RULE", fmt::format("{}", fmt::join(options.rules, ",")));
  // These have a default that is no empty text; what the environment says holds then.
  const CommonOptions defaults;
  if (options.timing != defaults.timing) set("BHEMU_TIMING", options.timing);
  if (options.threads != defaults.threads) set("BHEMU_THREADS", std::to_string(options.threads));
  if (options.seed != defaults.seed) set("BHEMU_SEED", std::to_string(options.seed));
}

void preload(const std::string& library) {
  const char* present = std::getenv("LD_PRELOAD");
  const bool more = present != nullptr && *present != '\0';
  set("LD_PRELOAD", more ? fmt::format("{}:{}", library, present) : library);
}

}  // namespace

#if defined(__x86_64__)
constexpr bool kHasShim = true;
#else
constexpr bool kHasShim = false;
#endif

int shim(const CommonOptions& options, const ShimCommand& command) {
  if (!kHasShim)
    throw host::InputError("", "",
                           "bhemu shim performs the client's instructions and knows x86-64 only");
  device_options(options, BoardModel::P100A);  // says now what is wrong with them
  preload(library_path());
  pass_settings(options, command);
  std::vector<char*> arguments;
  for (const std::string& argument : command.command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  fmt::print(stderr, "bhemu: {}: {}\n", arguments[0],
             error == ENOENT ? "command not found" : std::strerror(error));
  return error == ENOENT ? kNotFound : kNotExecutable;
}

}  // namespace bhemu::cli
