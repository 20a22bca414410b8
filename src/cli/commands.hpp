// The commands of bhemu. Each returns the process's exit status and may throw InputError.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace bhemu::cli {

int info(const CommonOptions& options);
int boot(const CommonOptions& options);
/// `complete`: of the complete chip, whatever the board.
int soc_descriptor(const CommonOptions& options, bool complete);
int cluster_descriptor(const CommonOptions& options);

struct RunCommand {
  std::string program;
  std::string output;                  // directory for saved tensors; empty: where the program says
  std::string bundle;                  // file for everything that the run was made of; empty: none
  std::vector<std::string> questions;  // --why
  std::vector<std::string> watches;    // --watch
  bool stop_at_watch = false;
};
int run(const CommonOptions& options, const RunCommand& command);

struct HuntCommand {
  std::string program;
  std::string output;  // for bhemu replay; empty: the program's name with .hunt
  unsigned jobs = 1;
  u64 runs = 5000;
  u64 seconds = 300;
};
/// Looks for delays under which a program ends differently.
int hunt(const CommonOptions& options, const HuntCommand& command);

struct WhyCommand {
  std::string program;
  std::string tile;
  std::vector<std::string> places;
};
/// A run with last writers that answers questions at its end, however it ends.
int why(const CommonOptions& options, const WhyCommand& command);

struct ReplayCommand {
  std::string bundle;
  bool late = false;  // from the snapshot in the bundle
};
/// Of `options`, those for output and debuggers; what decides about the run is in the bundle.
int replay(const CommonOptions& options, const ReplayCommand& command);

struct BuildCommand {
  std::string source;
  std::string core;
  std::string output;              // empty: SOURCE.CORE.elf in this folder
  std::vector<std::string> flags;  // for the compiler
};
int build(const CommonOptions& options, const BuildCommand& command);

struct DisasmCommand {
  std::string file;
  bool tensix = false;  // a raw image of Tensix words
};
int disasm(const CommonOptions& options, const DisasmCommand& command);

struct TraceDiffCommand {
  std::string first;
  std::string second;
  bool without_cycles = false;  // only what happened counts, not when
};
int trace_diff(const CommonOptions& options, const TraceDiffCommand& command);

struct ShimCommand {
  std::vector<std::string> command;  // and its arguments
  std::string faults;                // empty: as the environment says, or report
};
/// Does not return when the command starts.
int shim(const CommonOptions& options, const ShimCommand& command);

/// One line on standard error, or a JSON object on standard output; returns status 2.
int report_bad_input(const std::string& file, const std::string& place, const std::string& message,
                     bool json);

}  // namespace bhemu::cli
