#include "watch/race_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "host/report/races.hpp"

namespace bhemu::watch {
namespace {

using host::Outcome;
using host::Status;

/// The rest of the first line that begins with a word.
std::string after(const std::string& text, const std::string& word) {
  const size_t at = text.find(word);
  if (at == std::string::npos) return "";
  const size_t begin = text.find_first_not_of(' ', at + word.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// Two threads of the coprocessor touch the same rows without a semaphore between them. Of a run
/// that went well nothing else is said: software that works on cards stores to L1 and sends it, or
/// gives a bank back, with nothing that would put the two in order but their distance.
bool is_of_threads(const host::RaceFinding& finding) {
  return finding.text.find("(ORDERING.md, row 16:") != std::string::npos;
}

bool has_two_threads(const host::PreparedProgram& program) {
  return std::any_of(program.parts().begin(), program.parts().end(),
                     [](const host::PreparedPart& part) {
                       unsigned threads = 0;
                       for (unsigned core = index_of(CoreId::Trisc0); core < kCores; ++core)
                         threads += part.launch.kernels[core].has_value();
                       return threads > 1;
                     });
}

/// So many tiles of each part, spread over all that it has: tiles with the same kernels have the
/// same threads.
std::vector<Coord> some_tiles(const host::PreparedProgram& prepared) {
  constexpr size_t kMost = 16;
  std::vector<Coord> some;
  for (const host::PreparedPart& part : prepared.parts()) {
    const std::vector<Coord> of_part = spread_over(part.tiles, kMost);
    some.insert(some.end(), of_part.begin(), of_part.end());
  }
  return some;
}

/// The run again for as long as it shows more of the words by which its agents signal, `hints`
/// being those that are known. No report: there was always more, or the boot failed. The boot is
/// not watched, which would take twice as long as a short run: the go message puts it before the
/// program.
std::optional<host::RaceReport> races_of(const DeviceOptions& options,
                                         const std::function<host::Firmware()>& firmware,
                                         Cycle limit, const host::PreparedProgram& prepared,
                                         std::span<const Coord> tiles, host::RaceHints hints = {}) {
  constexpr unsigned kPasses = 5;
  host::RaceOptions race;
  race.on = true;
  host::RaceReport report;
  report.hints = std::move(hints);
  for (unsigned pass = 0; pass < kPasses && (pass == 0 || report.needs_another_pass); ++pass) {
    host::Machine again(options, firmware());
    again.set_limit(limit);
    if (again.boot().status != Status::Ok) return std::nullopt;
    host::RaceWatch watch(again.device(), race, &again.firmware(), tiles, report.hints);
    watch.know(prepared, again.firmware());
    again.run_unsaved(prepared);
    report = watch.report(again.code());
  }
  if (report.needs_another_pass) return std::nullopt;
  return report;
}

/// The first race, if it is one between threads of the coprocessor where `of_threads`.
const host::RaceFinding* first_race(const host::RaceReport& report, bool of_threads) {
  if (report.errors() == 0) return nullptr;
  for (const host::RaceFinding& one : report.findings) {
    if (!one.text.starts_with("race: ") || (of_threads && !is_of_threads(one))) continue;
    // What the host does here is done by the program file, and in order.
    if (one.text.find(", the host, cycle") == std::string::npos) return &one;
  }
  return nullptr;
}

}  // namespace

std::vector<Coord> spread_over(std::span<const Coord> tiles, size_t most) {
  if (tiles.size() <= most) return {tiles.begin(), tiles.end()};
  std::vector<Coord> some;
  for (size_t i = 0; i < most; ++i)
    some.push_back(tiles[i * (tiles.size() - 1) / std::max<size_t>(most - 1, 1)]);
  return some;
}

void tell_of_race(const DeviceOptions& options, const std::function<host::Firmware()>& firmware,
                  Cycle limit, const host::PreparedProgram& prepared, Outcome& ran) {
  const bool went_well = ran.status == Status::Ok;
  if (went_well && !has_two_threads(prepared)) return;
  host::RaceHints hints;
  if (went_well) {
    const auto some = races_of(options, firmware, limit, prepared, some_tiles(prepared));
    if (!some || first_race(*some, true) == nullptr) return;
    hints = some->hints;
  }
  const auto report = races_of(options, firmware, limit, prepared, prepared.tiles(), hints);
  const host::RaceFinding* const one = report ? first_race(*report, went_well) : nullptr;
  if (one == nullptr) return;
  host::FirstCause& cause = ran.standstill.cause;
  cause.sentence +=
      fmt::format("{}There is a race on {}, which nothing puts in order: first {}, then {}.",
                  cause.sentence.empty() ? "" : " ", after(one->text, "race:"),
                  after(one->text, "\n  first"), after(one->text, "\n  second"));
  const std::string order =
      fmt::format("put the two in order (bhemu run --race): {}", after(one->text, "\n  missing"));
  // A remedy that another part of the report has found comes first.
  const bool known = !cause.remedy.empty() && !cause.remedy.starts_with("follow the value back");
  cause.remedy = known ? fmt::format("{}; or {}", cause.remedy, order) : order;
}

}  // namespace bhemu::watch
