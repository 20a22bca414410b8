#include "cli/observation.hpp"

#include "debug/profile/profile_csv.hpp"
#include "debug/report_page.hpp"
#include "debug/trace/tee.hpp"
#include "debug/trace/trace_file.hpp"
#include "host/error.hpp"
#include "host/file.hpp"

namespace bhemu::cli {
namespace {

/// What --profile says without a file.
constexpr const char* kNoFile = "-";

void write_text(const std::string& path, const std::string& text) {
  host::write_file(path, {reinterpret_cast<const u8*>(text.data()), text.size()});
}

/// The user's function at a place: a slice of a trace is so long as a core stays in one.
std::string function_of(const host::CodeMap::Location& location) {
  for (const host::SourceFrame& frame : location.frames)
    if (!frame.is_library() && !frame.function.empty()) return frame.function;
  return location.function;
}

}  // namespace

Observation::Observation(host::Machine& machine, const CommonOptions& options, bool launch)
    : machine_(machine), options_(options) {
  const host::SettingStyle style = host::SettingStyle::Option;
  trace_ = host::trace_options(options.trace, machine.device().board(), style);
  if (trace_ && trace_->launch_only && !launch)
    throw host::InputError("--trace-cycles", "", "'run' is the launch of a program: see bhemu run");
  if (!options.report.empty()) host::output_target(options.report);
  if (!options.profile.empty() || !options.report.empty()) {
    if (!options.profile.empty() && options.profile != kNoFile)
      host::output_target(options.profile);
    profile_ = std::make_shared<debug::Profile>();
    profile_->begin = kNever;
    profile_->windows = options.timing == "windows" || options.timing == "chaos";
  }
  if (trace_)
    trace_sink_ = debug::open_trace(*trace_, [this](Agent agent, u32 pc) {
      return function_of(machine_.code().locate(agent, pc));
    });
}

/// Nobody pays for a profile before there is something to count.
void Observation::before_boot() {
  if (!trace_ || trace_->launch_only) return;
  start(profile_ != nullptr);
}

void Observation::start(bool with_profile) {
  auto tee = std::make_unique<debug::TeeSink>();
  if (trace_sink_) tee->add(std::move(trace_sink_), trace_->selection, trace_summary_);
  if (with_profile) tee->add(debug::profile_sink(profile_), {}, nullptr);
  const trace::Selection selection = tee->selection();
  machine_.device().start_trace(std::move(tee), selection);
}

void Observation::before_launch(const host::PreparedProgram& program) {
  launched_ = true;
  if (profile_) {
    const u32 base = machine_.firmware().kernel_config_base();
    profile_->begin = machine_.device().cycle();
    profile_->kernel_base = base;
    profile_->semaphores = base + program.offsets().semaphores;
    profile_->semaphores_end = base + program.offsets().circular_buffers;
  }
  if ((trace_ && trace_->launch_only) || (profile_ && !trace_)) start(profile_ != nullptr);
}

void Observation::finish(const std::string& name, const host::Outcome& last) {
  machine_.device().stop_trace();
  if (trace_sink_) trace_sink_->end({});  // it never started: the boot failed
  trace_sink_.reset();
  if (profile_ && launched_) {
    summary_ = debug::summary_of(*profile_, machine_.device(), machine_.code());
    write_profile();
  }
  if (options_.report.empty()) return;
  write_text(options_.report,
             debug::report_page(machine_, {name, &last, summary_ ? profile_.get() : nullptr,
                                           summary_ ? &*summary_ : nullptr}));
}

void Observation::write_profile() const {
  if (options_.profile.empty() || options_.profile == kNoFile) return;
  if (options_.profile.ends_with(".csv"))
    return write_text(options_.profile,
                      debug::profile_csv(*profile_, machine_.device().board().tensix().size()));
  write_text(options_.profile, dump(debug::profile_json(*summary_, *profile_)) + "\n");
}

std::string Observation::profile_text() const {
  return summary_ && !options_.profile.empty() ? debug::profile_text(*summary_) : "";
}

void Observation::add_to(Json& json) const {
  if (trace_)
    json["trace"] = {{"file", options_.trace.file},
                     {"events", trace_summary_->events},
                     {"limit_reached", trace_summary_->limit_reached},
                     {"error", trace_summary_->error}};
  if (summary_ && !options_.profile.empty())
    json["profile"] = debug::profile_json(*summary_, *profile_);
}

}  // namespace bhemu::cli
