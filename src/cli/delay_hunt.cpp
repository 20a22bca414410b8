// bhemu hunt: looks for delays under which a program does something else.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "host/boot/machine.hpp"
#include "host/error.hpp"
#include "host/file.hpp"
#include "host/hunt/bundle.hpp"
#include "host/hunt/delay_hunt.hpp"
#include "host/hunt/delay_list.hpp"
#include "host/hunt/run_worker.hpp"
#include "host/program/compile.hpp"
#include "host/report/races.hpp"

namespace bhemu::cli {
namespace {

using host::Catch;
using host::Status;
using host::Verdict;

/// What the runs of a hunt are made with, and their repetition.
CommonOptions hunted_settings(const CommonOptions& options) {
  CommonOptions all = options;
  all.timing = "chaos";
  all.effects = "issue";
  all.threads = 1;
  // What a check finds in every run is no business of a hunt.
  if (all.check.empty()) all.check = "none";
  return all;
}

DeviceOptions hunted_options(const CommonOptions& options, const host::Program& program) {
  const CommonOptions all = hunted_settings(options);
  DeviceOptions device = device_options(all, program.board.value_or(BoardModel::P100A));
  device.jit.enabled = false;  // chaos does not use it, and every process would have its own
  return device;
}

/// The two sides of every finding of the race detector, in a run without delays.
std::vector<host::Suspect> suspects_of(const CommonOptions& options, const host::Program& program) {
  host::RaceSettings settings;
  settings.on = true;
  settings.level = "documented";
  const host::RaceOptions race = host::race_options(settings);
  CommonOptions plain = options;
  plain.timing = "windows";
  plain.effects = "issue";
  const DeviceOptions device = device_options(plain, program.board.value_or(BoardModel::P100A));
  host::Machine machine(device, firmware_of(options));
  const host::PreparedProgram prepared = machine.prepare(program);
  host::RaceWatch watch(machine.device(), race, &machine.firmware(), prepared.tiles());
  watch.know(prepared, machine.firmware());
  if (machine.boot().status != Status::Ok) return {};
  machine.run_unsaved(prepared);
  const host::RaceReport report = watch.report(machine.code());
  std::vector<host::Suspect> suspects;
  for (const host::RaceFinding& one : report.findings) {
    const race::Finding& finding = one.finding;
    const auto side = [&finding](const race::Side& first, const race::Side& second) {
      host::Suspect suspect;
      suspect.node = first.site.tile == kNoNode ? finding.tile : first.site.tile;
      suspect.agent = first.site.agent;
      suspect.where = first.site.pc;
      suspect.pushed_at = first.pushed_at;
      suspect.first = first.site.cycle;
      suspect.second = second.site.cycle;
      return suspect;
    };
    suspects.push_back(side(finding.first, finding.second));
  }
  return suspects;
}

/// What a caught program needs to be told, and its file, which the process writes that makes the
/// run once more.
struct Caught {
  std::vector<std::string> delays;
  std::vector<std::string> nops;
};

Caught record(const CommonOptions& options, const host::Program& program, const Catch& found,
              Cycle limit, const std::string& path) {
  const CommonOptions all = hunted_settings(options);
  host::Machine machine(hunted_options(options, program), firmware_of(options));
  const host::PreparedProgram prepared = machine.prepare(program);
  machine.set_limit(limit);
  if (machine.boot().status != Status::Ok) throw host::InputError("", "", "the boot fails");
  DelayPlan plan;
  for (const host::DelayBand& band : found.bands) plan.list.push_back(band.delay);
  machine.set_delays(std::make_shared<const DelayPlan>(plan));
  const host::Outcome outcome = machine.run_unsaved(prepared);
  Caught caught;
  for (const host::DelayBand& band : found.bands) {
    caught.delays.push_back(host::text_of(band, machine.device(), machine.code()));
    caught.nops.push_back(host::nop_arguments(band, machine.device(), machine.code()));
  }
  if (!path.empty()) {
    host::Bundle bundle = host::bundle_of(program, all, limit == kNever ? 0 : limit, all.firmware);
    host::record_outcome(bundle, outcome, machine.device(), true);
    bundle.sections.push_back(host::delay_section(plan.list));
    host::write_bundle(path, bundle);
  }
  return caught;
}

void print_caught(const Catch& found, const Caught& caught, const std::string& path) {
  fmt::print("FOUND: with {} delay{} {}\n", found.bands.size(), found.bands.size() == 1 ? "" : "s",
             found.verdict.what);
  for (const std::string& text : caught.delays) fmt::print("  {}\n", text);
  fmt::print("  found by {}, after {} runs\n", found.strategy, found.found_after);
  if (!found.is_smallest)
    fmt::print(
        "  the time was over before it was certain that fewer delays, or shorter ones, do not\n");
  if (!path.empty()) fmt::print("  repeat it anywhere: bhemu replay {}\n", path);
  for (const std::string& text : caught.nops) fmt::print("  on a card (TT-NOP): {}\n", text);
}

void print_json(const host::Program& program, const Verdict& undisturbed, u64 runs,
                const Catch* found, const Caught& caught, const std::string& path) {
  Json json{{"program", program.name},
            {"status", host::name_of(undisturbed.status)},
            {"runs", runs},
            {"found", found != nullptr}};
  if (found != nullptr) {
    json["what"] = found->verdict.what;
    json["verdict"] = host::name_of(found->verdict.status);
    json["strategy"] = found->strategy;
    json["found_after"] = found->found_after;
    json["is_smallest"] = found->is_smallest;
    json["file"] = path;
    Json& delays = json["delays"] = Json::array();
    for (size_t i = 0; i < found->bands.size(); ++i) {
      const host::DelayBand& band = found->bands[i];
      delays.push_back({{"kind", row_of(band.delay.kind).word},
                        {"agent", name_of(band.delay.agent)},
                        {"occurrence", band.delay.occurrence},
                        {"where", band.delay.where},
                        {"cycles", band.delay.cycles},
                        {"least", band.least},
                        {"most", band.most},
                        {"text", caught.delays[i]},
                        {"tt_nop", caught.nops[i]}});
    }
  }
  fmt::print("{}\n", dump(json));
}

}  // namespace

int hunt(const CommonOptions& options, const HuntCommand& command) {
  host::Program program = host::load_program(command.program);
  host::compile_sources(program);
  if (!command.output.empty()) host::output_target(command.output);
  const bool talk = !options.quiet && !options.json;
  host::WorkerSettings settings{hunted_options(options, program), options.firmware, kNever};
  host::RunWorkers workers(settings, program, command.jobs);
  if (options.max_cycles != 0) workers.set_limit(options.max_cycles);

  host::HuntLimits limits;
  limits.seed = options.seed;
  limits.runs = command.runs;
  limits.seconds = static_cast<double>(command.seconds);
  host::DelayHunt hunt([&workers](std::span<const DelayPlan> plans) { return workers.run(plans); },
                       limits);
  const Verdict undisturbed = hunt.undisturbed();
  if (talk) {
    fmt::print("{}: {}\n", program.name, program.description);
    fmt::print("  without delays: {} in {} cycles, {} places where something can be late\n",
               undisturbed.status == Status::Ok ? "it ends" : undisturbed.what,
               grouped(undisturbed.cycles), undisturbed.delays.size());
    std::fflush(stdout);
    hunt.set_progress([](const std::string& strategy) {
      fmt::print("  {}\n", strategy);
      std::fflush(stdout);
    });
  }
  if (undisturbed.status != Status::Ok) {
    if (options.json) print_json(program, undisturbed, hunt.runs(), nullptr, {}, "");
    fmt::print(stderr, "bhemu: {}: it fails without any delay; bhemu run says more\n",
               command.program);
    return static_cast<int>(undisturbed.status);
  }
  // A run that takes so much longer than the one without delays will not end.
  constexpr Cycle kTimes = 20, kMore = 1'000'000;
  const Cycle limit =
      options.max_cycles != 0 ? options.max_cycles : undisturbed.cycles * kTimes + kMore;
  workers.set_limit(limit);
  const std::vector<host::Suspect> suspects = suspects_of(options, program);
  const std::optional<Catch> found = hunt.search(suspects);
  const std::string path = !found                    ? ""
                           : !command.output.empty() ? command.output
                                                     : program.name + ".hunt";
  const Caught caught = found ? record(options, program, *found, limit, path) : Caught{};
  if (options.json)
    print_json(program, undisturbed, hunt.runs(), found ? &*found : nullptr, caught, path);
  else if (found && !options.quiet)
    print_caught(*found, caught, path);
  else if (talk)
    fmt::print("NOTHING FOUND: {} runs, each with the same result\n", hunt.runs());
  return found ? static_cast<int>(Status::WrongResult) : static_cast<int>(Status::Ok);
}

}  // namespace bhemu::cli
