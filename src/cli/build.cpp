// bhemu build: a kernel from C.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands.hpp"
#include "host/error.hpp"
#include "host/program/compile.hpp"
#include "host/suggest.hpp"

namespace bhemu::cli {

int build(const CommonOptions& options, const BuildCommand& command) {
  const std::vector<std::string> names(host::kCoreFileNames.begin(), host::kCoreFileNames.end());
  const auto found = std::find(names.begin(), names.end(), command.core);
  if (found == names.end())
    throw host::InputError("--core", "",
                           fmt::format("'{}' is no core{} (brisc, ncrisc, trisc0, trisc1, trisc2)",
                                       command.core, host::suggestion(command.core, names)));
  const auto core = static_cast<CoreId>(found - names.begin());
  std::string output = command.output;
  if (output.empty())
    output =
        fmt::format("{}.{}.elf", std::filesystem::path(command.source).stem().string(), *found);
  host::compile_kernel({command.source, command.flags}, core, output);
  if (!options.quiet) fmt::print("{}\n", output);
  return 0;
}

}  // namespace bhemu::cli
