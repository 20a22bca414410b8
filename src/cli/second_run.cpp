#include "cli/second_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/cause.hpp"
#include "watch/why.hpp"

namespace bhemu::cli {
namespace {

using host::FaultReport;
using host::Outcome;
using host::Spot;
using host::Status;

/// Seconds of the host that a run may have taken which is repeated: with all checks it takes three
/// times as long, with the authors of all writes ten times.
constexpr double kLongestChecked = 20;
constexpr double kLongestWatched = 0.3;
constexpr u64 kNear = 64;  // bytes

/// What silicon lets pass is told of and goes on, so that the run is the same as before.
DeviceOptions with_all_checks(const DeviceOptions& options) {
  DeviceOptions all = options;
  all.checks = CheckSet::all();
  for (unsigned i = 0; i < kRules; ++i)
    if (is_check(static_cast<Rule>(i)) && all.faults.severity[i] == Severity::Error)
      all.faults.severity[i] = Severity::Warn;
  return all;
}

bool is_guard(Rule rule) {
  switch (rule) {
    case Rule::GuardNull:
    case Rule::GuardFirmware:
    case Rule::GuardMailbox:
    case Rule::GuardKernel:
    case Rule::GuardStack:
    case Rule::ArgumentNotGiven:
      return true;
    default:
      return false;
  }
}

/// Rules by which a core shows that it has gone astray, wherever that began.
bool is_astray(Rule rule) {
  return rule == Rule::RiscvIllegalInstruction || rule == Rule::RiscvBadPc ||
         rule == Rule::TileUnmappedAddress;
}

class SecondLook {
 public:
  SecondLook(host::Machine& first, host::Machine& again, Outcome& ran)
      : first_(first), again_(again), ran_(ran) {}

  void tell(const Outcome& checked, const watch::WritersOfDevice* writers) {
    const FaultReport* found = earliest(checked);
    if (found != nullptr) return take(*found, checked);
    if (writers == nullptr) return;
    if (ran_.status == Status::WrongResult) tell_of_result(*writers);
    if (ran_.status == Status::Hang && ran_.standstill.cause.awaited)
      tell_of_word(*writers, *ran_.standstill.cause.awaited);
  }

 private:
  /// A core of the firmware is never to blame for what it meets.
  bool is_of_firmware(const FaultReport& report) const {
    return is_core(report.fault.agent) && report.fault.pc < first_.firmware().kernel_config_base();
  }

  /// Of what the checks have found, that which explains this end: errors before warnings, early
  /// before late.
  const FaultReport* earliest(const Outcome& checked) const {
    const FaultReport* fault = ran_.status == Status::Fault ? host::first_of(ran_.faults) : nullptr;
    const bool any = ran_.status == Status::WrongResult;
    const bool guards =
        ran_.status == Status::Hang ||
        (fault != nullptr && (is_of_firmware(*fault) || is_astray(fault->fault.rule)));
    const FaultReport* best = nullptr;
    const auto rank = [](const FaultReport& report) {
      return std::pair(info_of(report.fault.rule).severity != Severity::Error, report.fault.cycle);
    };
    for (const FaultReport& report : checked.faults) {
      if (!is_check(report.fault.rule) || !(any || (guards && is_guard(report.fault.rule))))
        continue;
      if (fault != nullptr && report.fault.cycle > fault->fault.cycle) continue;
      if (best == nullptr || rank(report) < rank(*best)) best = &report;
    }
    return best;
  }

  void take(const FaultReport& found, const Outcome& checked) {
    host::FirstCause cause = host::cause_of(found, checked.faults);
    if (ran_.status == Status::WrongResult) {
      ran_.faults = checked.faults;
    } else {
      cause.sentence += " After that: " + ran_.standstill.cause.sentence;
      if (ran_.status == Status::Fault) {
        ran_.faults.insert(ran_.faults.begin(), found);
        ran_.faults.front().fault.severity = info_of(found.fault.rule).severity;
      }
    }
    ran_.standstill.cause = std::move(cause);
  }

  // --- Who wrote it.

  struct Author {
    std::string text;
    std::string place;
    bool host = false;
  };

  Author author_of(const watch::Actor& actor) const {
    const Device& device = again_.device();
    const bool over_noc = actor.kind == watch::Actor::Kind::Noc;
    if (actor.kind == watch::Actor::Kind::Host) return {"the host", "", true};
    if (actor.kind != watch::Actor::Kind::Core && !(over_noc && is_core(actor.issuer)))
      return {text_of(device, actor, again_.code()), "", false};
    const Agent agent = over_noc ? actor.issuer : actor.author.agent;
    const Coord tile = device.coord_of(actor.author.tile);
    const std::string place = again_.code().locate(agent, actor.author.pc, tile).user();
    return {fmt::format("{} of ({}, {}){}{} in cycle {}", name_of(agent), tile.x, tile.y,
                        over_noc ? ", over the NoC," : "", place.empty() ? "" : " at " + place,
                        actor.author.cycle),
            place, false};
  }

  /// Firmware sets up what kernels use; that is nobody's signal.
  bool counts(const watch::Actor& actor) const {
    const bool core = actor.kind == watch::Actor::Kind::Core;
    return actor.kind != watch::Actor::Kind::Host &&
           !(core && actor.author.pc < first_.firmware().kernel_config_base());
  }

  void tell_of_word(const watch::WritersOfDevice& writers, const Spot& spot) {
    watch::Writers* of = writers.of(spot.node);
    if (of == nullptr) return;
    const auto parts = [&](watch::Writers& node, u64 begin, u64 end) {
      std::vector<watch::Written> found;
      for (watch::Written& part : node.last({watch::Area::Memory, begin, end}))
        if (counts(part.writer)) found.push_back(std::move(part));
      return found;
    };
    std::string& sentence = ran_.standstill.cause.sentence;
    if (const auto own = parts(*of, spot.address, spot.address + spot.bytes); !own.empty()) {
      sentence += fmt::format(" It was written last by {}.", author_of(own.front().writer).text);
      return;
    }
    const u64 begin = spot.address > kNear ? spot.address - kNear : 0;
    const watch::Written* nearest = nullptr;
    const auto distance = [&](const watch::Written& part) {
      return part.place.begin > spot.address ? part.place.begin - spot.address
                                             : spot.address - part.place.begin;
    };
    const auto around = parts(*of, begin, spot.address + spot.bytes + kNear);
    for (const watch::Written& part : around)
      if (nearest == nullptr || distance(part) < distance(*nearest)) nearest = &part;
    if (nearest != nullptr) {
      sentence += fmt::format(" What was written next to it is {}, by {}.",
                              describe(nearest->place), author_of(nearest->writer).text);
      return;
    }
    if (again_.device().tile_of(spot.node) != nullptr) return;
    for (unsigned bank = 0; bank < again_.device().board().dram_banks(); ++bank) {
      const NodeId node = again_.device().board().dram_node(bank);
      watch::Writers* other = writers.of(node);
      if (other == nullptr || node == spot.node) continue;
      const auto there = parts(*other, begin, spot.address + spot.bytes + kNear);
      if (there.empty()) continue;
      sentence += fmt::format(" In DRAM bank {}, {:#x} was written by {}.", bank,
                              there.front().place.begin, author_of(there.front().writer).text);
      return;
    }
  }

  void tell_of_result(const watch::WritersOfDevice& writers) {
    for (const host::Check& check : ran_.checks) {
      if (check.passed || !check.spot) continue;
      const Spot& spot = *check.spot;
      const Coord tile = again_.device().coord_of(spot.node);
      const std::string where = fmt::format("{:#x} of ({}, {})", spot.address, tile.x, tile.y);
      std::vector<watch::Written> last;
      if (watch::Writers* of = writers.of(spot.node))
        last = of->last({watch::Area::Memory, spot.address, spot.address + spot.bytes});
      host::FirstCause& cause = ran_.standstill.cause;
      const Author author = last.empty() ? Author{"", "", true} : author_of(last.front().writer);
      cause.tile = tile;
      cause.place = author.place;
      cause.sentence =
          fmt::format("{} is wrong first {}, which lies at {}; ", check.what, check.detail, where);
      if (author.host) {
        cause.sentence += "no kernel has written there.";
        cause.remedy =
            "write all of it: compare sizes, page numbers and addresses of the kernel that writes";
      } else {
        cause.sentence += fmt::format("it was written last by {}.", author.text);
        cause.remedy = fmt::format("follow the value back: bhemu why PROGRAM {}-{} {:#x}", tile.x,
                                   tile.y, spot.address);
      }
      return;
    }
  }

  host::Machine& first_;
  host::Machine& again_;
  Outcome& ran_;
};

}  // namespace

void look_for_cause(const CommonOptions& options, host::Machine& machine,
                    const host::PreparedProgram& prepared, host::Outcome& ran) {
  const bool failed = ran.status == Status::WrongResult || ran.status == Status::Hang ||
                      ran.status == Status::Fault;
  const bool watched = ran.seconds <= kLongestWatched;
  const bool wanted = ran.status == Status::WrongResult ? ran.seconds <= kLongestChecked : watched;
  if (!failed || !wanted || !options.check.empty() || ran.cycle_limit || ran.interrupted) return;
  host::Machine again(with_all_checks(machine.device().options()), firmware_of(options));
  if (options.max_cycles != 0) again.set_limit(options.max_cycles);
  if (again.boot().status != Status::Ok) return;
  std::optional<watch::WritersOfDevice> writers;
  if (watched) writers.emplace(again.device());
  const Outcome checked = again.run_unsaved(prepared);
  SecondLook(machine, again, ran).tell(checked, writers ? &*writers : nullptr);
}

}  // namespace bhemu::cli
