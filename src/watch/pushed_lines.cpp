#include "watch/pushed_lines.hpp"

namespace bhemu::watch {
namespace {

using host::FaultReport;

/// The thread's instruction is known, but not, or not for certain, where the kernel has it: it was
/// pushed by a store of a value, or stands in several places.
bool lacks_line(const FaultReport& report) {
  const Agent agent = report.fault.agent;
  const bool thread = agent >= Agent::Thread0 && agent <= Agent::Thread2;
  return thread && (report.user.empty() || report.user.find(" or ") != std::string::npos ||
                    report.user.starts_with("an instruction that "));
}

Traced traced_of(const FaultReport& report) {
  Traced wanted;
  wanted.thread = static_cast<unsigned>(report.fault.agent) - static_cast<unsigned>(Agent::Thread0);
  wanted.word = report.fault.pc;
  wanted.cycle = report.fault.cycle;
  return wanted;
}

/// What a push that was seen adds to a report.
void add_line(FaultReport& report, const PushesOfDevice& pushes, const host::CodeMap& code) {
  if (!lacks_line(report)) return;
  const std::optional<Traced> found = pushes.traced(report.fault.node, traced_of(report));
  if (!found) return;
  const auto core = static_cast<Agent>(static_cast<unsigned>(Agent::Trisc0) + found->thread);
  const std::string place = code.locate(core, *found->pushed_from, report.tile).users();
  if (place.empty()) return;
  switch (found->origin) {
    case Origin::Mop:
      report.user = "the MOP of " + place;
      return;
    case Origin::Replay:
      report.user = "the REPLAY of " + place;
      return;
    default:
      report.user = place;
  }
}

}  // namespace

std::map<NodeId, std::vector<Traced>> without_line(const std::vector<FaultReport>& reports) {
  constexpr std::size_t kMostOfTile = 64;
  std::map<NodeId, std::vector<Traced>> wanted;
  for (const FaultReport& report : reports)
    if (lacks_line(report) && wanted[report.fault.node].size() < kMostOfTile)
      wanted[report.fault.node].push_back(traced_of(report));
  return wanted;
}

void add_lines(std::vector<FaultReport>& reports, host::FirstCause* cause,
               const PushesOfDevice& pushes, const host::CodeMap& code) {
  const FaultReport* first = host::first_of(reports);
  const std::string before = first == nullptr ? "" : host::cause_of(*first, reports).sentence;
  for (FaultReport& report : reports) add_line(report, pushes, code);
  if (first == nullptr || cause == nullptr || !cause->sentence.starts_with(before)) return;
  const host::FirstCause after = host::cause_of(*first, reports);
  cause->sentence.replace(0, before.size(), after.sentence);
  cause->place = after.place;
}

}  // namespace bhemu::watch
