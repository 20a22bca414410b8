#include "cli/hunt.hpp"

#include <fmt/format.h>

namespace bhemu::cli {

RaceHunt::RaceHunt(const CommonOptions& options, host::Machine& machine,
                   const host::PreparedProgram& prepared)
    : options_(options),
      machine_(machine),
      program_(prepared.program()),
      race_(host::race_options(options.race)) {
  if (!race_.on) return;
  watch_ = std::make_unique<host::RaceWatch>(machine.device(), race_, &machine.firmware(),
                                             prepared.tiles());
  watch_->know(prepared, machine.firmware());
}

const host::RaceReport* RaceHunt::report() {
  if (watch_ == nullptr) return nullptr;
  report_ = watch_->report(machine_.code());
  watch_.reset();
  if (report_->needs_more()) {
    report_ = host::with_hints(
        program_, device_options(options_, program_.board.value_or(BoardModel::P100A)),
        options_.firmware, options_.max_cycles != 0 ? options_.max_cycles : kNever, race_,
        std::move(*report_));
  }
  host::write_races(options_.race, *report_);
  return &*report_;
}

void tell(const host::RaceReport& races, bool quiet) {
  const std::string text = races.text();
  if (!quiet) {
    fmt::print("  races      {}{}\n", races.told(),
               races.suppressed() == 0 ? "" : fmt::format(" ({} suppressed)", races.suppressed()));
    std::fflush(stdout);
  }
  if (!text.empty()) fmt::print(stderr, "{}", text);
}

}  // namespace bhemu::cli
