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
  std::string output;  // directory for saved tensors; empty: where the program says
};
int run(const CommonOptions& options, const RunCommand& command);

struct DisasmCommand {
  std::string file;
  bool tensix = false;  // a raw image of Tensix words
};
int disasm(const CommonOptions& options, const DisasmCommand& command);

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
