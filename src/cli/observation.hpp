// What a user wants to see of a run beside its results: a trace, a profile, a page.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "debug/profile/profile_report.hpp"
#include "host/boot/machine.hpp"
#include "host/settings/trace_settings.hpp"

namespace bhemu::cli {

class Observation {
 public:
  /// Checks everything and opens the trace. Throws InputError. `launch`: there will be one.
  Observation(host::Machine& machine, const CommonOptions& options, bool launch);

  void before_boot();
  void before_launch(const host::PreparedProgram& program);
  /// After the last phase, of which `last` is the outcome: nothing more is observed. Writes the
  /// files; throws InputError.
  void finish(const std::string& name, const host::Outcome& last);

  bool has_trace() const { return trace_.has_value(); }
  const std::string& trace_file() const { return options_.trace.file; }
  const trace::Summary& trace_summary() const { return *trace_summary_; }
  /// Empty without a profile.
  std::string profile_text() const;
  /// The members `trace` and `profile`, where they were asked for.
  void add_to(Json& json) const;

 private:
  void start(bool with_profile);
  void write_profile() const;

  host::Machine& machine_;
  const CommonOptions& options_;
  std::optional<host::TraceOptions> trace_;
  std::unique_ptr<trace::Sink> trace_sink_;  // until it starts
  std::shared_ptr<trace::Summary> trace_summary_ = std::make_shared<trace::Summary>();
  std::shared_ptr<debug::Profile> profile_;
  std::optional<debug::ProfileSummary> summary_;
  bool launched_ = false;
};

}  // namespace bhemu::cli
