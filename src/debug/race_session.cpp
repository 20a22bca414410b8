#include "debug/race_session.hpp"

#include <fmt/format.h>

#include "host/file.hpp"

namespace bhemu::debug {

RaceSession::RaceSession(Device& device, const host::RaceSettings& settings) : settings_(settings) {
  const host::RaceOptions options = host::race_options(settings);
  if (options.on) watch_ = std::make_unique<host::RaceWatch>(device, options, nullptr);
}

RaceSession::~RaceSession() = default;

std::string RaceSession::finish(const std::function<host::CodeMap(std::span<const Author>)>& code) {
  if (watch_ == nullptr) return "";
  const host::CodeMap map = code(watch_->sites());
  const host::RaceReport report = watch_->report(map);
  watch_.reset();
  host::write_races(settings_, report);
  if (report.told() == 0) return "";
  return fmt::format("{} race{} found\n{}", report.told(), report.told() == 1 ? "" : "s",
                     report.text());
}

}  // namespace bhemu::debug
