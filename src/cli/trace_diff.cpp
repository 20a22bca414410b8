// bhemu trace-diff: where two runs part.
#include "debug/trace/trace_diff.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "host/boot/machine.hpp"
#include "host/json.hpp"

namespace bhemu::cli {

int trace_diff(const CommonOptions& options, const TraceDiffCommand& command) {
  const debug::TraceDiff diff =
      debug::diff_traces(command.first, command.second, !command.without_cycles);
  const bool same = diff.differences.empty();
  if (options.json) {
    host::JsonWriter json;
    json.begin_object();
    json.member("same", same);
    json.member("agents", diff.agents);
    json.member("events", diff.events);
    json.key("differences");
    json.begin_array();
    for (const debug::TraceDifference& one : diff.differences) {
      json.begin_object();
      json.member("tile", one.tile);
      json.member("agent", one.agent);
      json.member("same_before", one.before);
      json.member("first", one.first);
      json.member("first_line", one.first_line);
      json.member("second", one.second);
      json.member("second_line", one.second_line);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    fmt::print("{}\n", json.text());
  } else if (!same || !options.quiet) {
    fmt::print("{}", debug::text_of(diff));
  }
  return static_cast<int>(same ? host::Status::Ok : host::Status::WrongResult);
}

}  // namespace bhemu::cli
