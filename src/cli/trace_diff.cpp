// bhemu trace-diff: where two runs part.
#include "debug/trace/trace_diff.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "host/boot/machine.hpp"

namespace bhemu::cli {
namespace {

Json json_of(const debug::TraceDiff& diff) {
  return {{"same", diff.differences.empty()},
          {"agents", diff.agents},
          {"events", diff.events},
          {"differences", json_list(diff.differences, [](const debug::TraceDifference& one) {
             return Json{{"tile", one.tile},
                         {"agent", one.agent},
                         {"same_before", one.before},
                         {"first", one.first},
                         {"first_line", one.first_line},
                         {"second", one.second},
                         {"second_line", one.second_line}};
           })}};
}

}  // namespace

int trace_diff(const CommonOptions& options, const TraceDiffCommand& command) {
  const debug::TraceDiff diff =
      debug::diff_traces(command.first, command.second, !command.without_cycles);
  const bool same = diff.differences.empty();
  if (options.json) {
    fmt::print("{}\n", dump(json_of(diff)));
  } else if (!same || !options.quiet) {
    fmt::print("{}", debug::text_of(diff));
  }
  return static_cast<int>(same ? host::Status::Ok : host::Status::WrongResult);
}

}  // namespace bhemu::cli
