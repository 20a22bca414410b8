// bhemu boot and bhemu run: drive a machine and tell what came of it.
#include <fmt/format.h>

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/archive.hpp"
#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/hunt.hpp"
#include "cli/inquiry.hpp"
#include "cli/interrupts.hpp"
#include "cli/observation.hpp"
#include "cli/run_json.hpp"
#include "cli/terminal.hpp"
#include "gdb/server.hpp"
#include "host/boot/boot_cache.hpp"
#include "host/boot/machine.hpp"
#include "host/error.hpp"
#include "host/file.hpp"
#include "host/hunt/bundle.hpp"
#include "host/hunt/delay_list.hpp"
#include "host/program/compile.hpp"
#include "host/version.hpp"
#include "watch/second_look.hpp"

namespace bhemu::cli {
namespace {

using host::Check;
using host::Machine;
using host::Outcome;
using host::Status;

/// The speed counts what was really executed, not the polling that the emulator slept through.
std::string speed_text(const Outcome& outcome) {
  const Totals& totals = outcome.totals;
  const double seconds = std::max(outcome.seconds, 1e-6);
  const u64 executed = totals.riscv_instructions - totals.riscv_skipped;
  if (outcome.kept)
    return fmt::format(
        "{} cycles with {} RISC-V instructions, kept from an earlier boot ({:.3f} s)",
        grouped(totals.cycles), short_count(executed), outcome.seconds);
  return fmt::format("{} cycles in {:.3f} s ({:.3g} MHz)", grouped(totals.cycles), outcome.seconds,
                     static_cast<double>(totals.cycles) / seconds / 1e6) +
         fmt::format(", {} RISC-V instructions ({:.3g} MIPS)", short_count(executed),
                     static_cast<double>(executed) / seconds / 1e6) +
         (totals.riscv_skipped == 0
              ? ""
              : fmt::format(" and {} of polling skipped", short_count(totals.riscv_skipped)));
}

std::string check_text(const Check& check) {
  const std::string compared = grouped(check.compared);
  if (check.passed && check.close == 0)
    return fmt::format("{}: {} compared, all equal", check.what, compared);
  if (check.passed)
    return fmt::format("{}: {} compared, all within the tolerance, {} equal", check.what, compared,
                       grouped(check.compared - check.close));
  return fmt::format("{}: {} of {} differ; {}", check.what, grouped(check.wrong), compared,
                     check.detail);
}

void print_header(Machine& machine) {
  const Board& board = machine.device().board();
  fmt::print("  board      {}, {} tiles, {} DRAM banks\n", board.name(), board.tensix().size(),
             board.dram_banks());
  fmt::print("  firmware   {}\n", machine.firmware().origin());
}

void print_run(const Outcome& outcome, size_t tiles) {
  const Totals& totals = outcome.totals;
  fmt::print("  run        {} tile{}, {}\n", tiles, tiles == 1 ? "" : "s", speed_text(outcome));
  fmt::print("             {} Tensix instructions, {} NoC packets with {}\n",
             short_count(totals.tensix_instructions), short_count(totals.noc_packets),
             byte_count(totals.noc_bytes));
  for (const Check& check : outcome.checks)
    fmt::print("  {}    {}\n", check.passed ? "checked" : "WRONG  ", check_text(check));
  for (const std::string& path : outcome.saved) fmt::print("  saved      {}\n", path);
}

// --- JSON.

/// What tools found in a run; `inquiry` and `races` may be null.
struct Found {
  Observation& observation;
  Inquiry* inquiry = nullptr;
  const host::RaceReport* races = nullptr;
  int interrupted = 0;  // the status of a command that a signal has ended
};

/// The object of a boot or run; `program` and `ran` may be null.
std::string json_text(Machine& machine, const host::Program* program, const Outcome& booted,
                      const Outcome* ran, const Found& found) {
  const Board& board = machine.device().board();
  const Outcome& last = ran != nullptr ? *ran : booted;
  Json json = Json::object({{"status", host::name_of(last.status)}});
  if (program != nullptr) json["program"] = program->name;
  json["board"] = board.name();
  json["tiles"] = board.tensix().size();
  json["dram_banks"] = board.dram_banks();
  json["firmware"] = machine.firmware().origin();
  json["boot"] = json_of(booted);
  if (ran != nullptr) json["run"] = json_of(*ran);
  found.observation.add_to(json);
  if (found.inquiry != nullptr) found.inquiry->add_to(json);
  if (found.races != nullptr) json["races"] = json_of(*found.races);
  return dump(json);
}

/// Warnings and the reason of a failure go to standard error.
void explain(const Outcome& outcome, size_t tiles) {
  const std::string text = outcome.explanation(tiles);
  if (!text.empty()) fmt::print(stderr, "{}", text);
}

void limit(Machine& machine, const CommonOptions& options) {
  if (options.max_cycles != 0) machine.set_limit(options.max_cycles);
}

/// SIGUSR1: where does everything stand? SIGINT, SIGTERM: that, and the end.
bool go_on(Machine& machine, Interrupts& interrupts) {
  const int signal = interrupts.next();
  if (signal == SIGUSR1)
    fmt::print(stderr, "{}",
               text_of(machine.where_everything_stands(host::Standstill::Reason::Asked)));
  return signal != SIGINT && signal != SIGTERM;
}

Outcome boot_with_progress(Machine& machine, const CommonOptions& options, Interrupts& interrupts) {
  ProgressLine line("booting", !options.quiet && !options.json);
  machine.set_progress([&](const Totals& totals) {
    line.show(totals, options.max_cycles);
    return go_on(machine, interrupts);
  });
  Outcome outcome = machine.boot();
  machine.set_progress(nullptr);
  return outcome;
}

/// The debugger's door, when one is wanted; the program's tiles are the ones that it sees.
std::unique_ptr<gdb::Server> serve_gdb(Machine& machine, const host::PreparedProgram& program,
                                       const CommonOptions& options, Interrupts& interrupts) {
  if (options.gdb.where.empty()) return nullptr;
  gdb::ServerOptions server;
  server.settings = options.gdb;
  server.tiles = program.tiles();
  server.code = [&machine] { return machine.code(); };
  server.standstill = [&machine] {
    return text_of(machine.where_everything_stands(host::Standstill::Reason::Asked));
  };
  server.interrupted = [&interrupts] {
    const int signal = interrupts.next();
    return signal == SIGINT || signal == SIGTERM;
  };
  return std::make_unique<gdb::Server>(machine.device(), std::move(server));
}

int finish(Machine& machine, const CommonOptions& options, const host::Program* program,
           const Outcome& booted, const Outcome* ran, size_t tiles, const Found& found) {
  Observation& observation = found.observation;
  const Outcome& last = ran != nullptr ? *ran : booted;
  observation.finish(program != nullptr ? program->name : "boot", last);
  const trace::Summary& trace = observation.trace_summary();
  // A run that went well but left half a trace is not what was asked for.
  const bool incomplete = !trace.error.empty();
  const Status told = incomplete && last.status == Status::Ok ? Status::BadInput : last.status;
  const bool racy = found.races != nullptr && found.races->errors() != 0 && told == Status::Ok;
  const int status = last.interrupted ? found.interrupted : racy ? kRacy : static_cast<int>(told);
  if (options.json) {
    fmt::print("{}\n", json_text(machine, program, booted, ran, found));
    return status;
  }
  std::fflush(stdout);
  if (ran != nullptr) explain(booted, machine.device().board().tensix().size());
  explain(last, tiles);
  if (options.quiet && last.status == Status::WrongResult)
    for (const Check& check : last.checks)
      if (!check.passed) fmt::print(stderr, "Wrong result: {}\n", check_text(check));
  if (found.inquiry != nullptr) found.inquiry->print();
  if (incomplete)
    fmt::print(stderr, "bhemu: {}: the trace is not complete: {}\n", observation.trace_file(),
               trace.error);
  if (found.races != nullptr) tell(*found.races, options.quiet);
  if (options.quiet) return status;
  if (observation.has_trace())
    fmt::print("  trace      {} events{} in {}\n", grouped(trace.events),
               trace.limit_reached ? " (the limit)" : "", observation.trace_file());
  if (!options.report.empty()) fmt::print("  report     {}\n", options.report);
  fmt::print("{}", observation.profile_text());
  static constexpr const char* kVerdicts[] = {"PASSED", "FAILED: wrong result", "BAD INPUT", "HUNG",
                                              "FAULT"};
  const bool ready = program == nullptr && last.status == Status::Ok;
  fmt::print("{}\n", ready              ? "READY"
                     : last.interrupted ? "INTERRUPTED"
                     : last.stopped     ? "STOPPED"
                     : racy             ? "FAILED: races"
                                        : kVerdicts[static_cast<unsigned>(last.status)]);
  return status;
}

}  // namespace

int boot(const CommonOptions& options) {
  Interrupts interrupts;  // before the machine's threads
  Machine machine(device_options(options, BoardModel::P100A), firmware_of(options));
  machine.set_boot_cache(host::BootCache(options.boot_cache));
  limit(machine, options);
  Observation observation(machine, options, false);
  observation.before_boot();
  const bool talk = !options.quiet && !options.json;
  if (talk) {
    fmt::print("boot\n");
    print_header(machine);
    std::fflush(stdout);
  }
  const Outcome outcome = boot_with_progress(machine, options, interrupts);
  const size_t tiles = machine.device().board().tensix().size();
  if (talk)
    fmt::print("  boot       {} of {} tiles ready, {}\n", tiles - outcome.unfinished.size(), tiles,
               speed_text(outcome));
  return finish(machine, options, nullptr, outcome, nullptr, tiles,
                {observation, nullptr, nullptr, interrupts.status()});
}

namespace {

/// What is kept of a run for its bundle: snapshots about a second apart, of which the last but one
/// is taken along, since the last may be too late to show anything.
class Recording {
 public:
  Recording(const host::Program& program, const CommonOptions& options, const std::string& path)
      : path_(path),
        bundle_(host::bundle_of(program, options, options.max_cycles, options.firmware)) {
    host::output_target(path);
  }
  void keep(Device& device) {
    const auto now = Clock::now();
    if (!last_.empty() && now - kept_ < kBetween) return;
    bundle_.snapshot = last_.empty() ? device.snapshot() : std::move(last_);
    bundle_.snapshot_cycle = last_.empty() ? device.cycle() : last_cycle_;
    last_ = device.snapshot();
    last_cycle_ = device.cycle();
    kept_ = Clock::now();
  }
  void write(Machine& machine, const Outcome& outcome, bool ran) {
    host::record_outcome(bundle_, outcome, machine.device(), ran);
    host::write_bundle(path_, bundle_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kBetween{1};

  std::string path_;
  host::Bundle bundle_;
  std::vector<u8> last_;
  Cycle last_cycle_ = 0;
  Clock::time_point kept_;
};

/// Where a replay is not what was recorded.
std::string difference(Machine& machine, const Outcome& last, bool ran,
                       const host::Bundle& recorded) {
  const auto status = static_cast<Status>(recorded.status);
  if (ran != recorded.ran) return ran ? "the boot has failed then" : "the boot fails now";
  // One that was interrupted ends at the same cycle by a limit.
  if (last.status != status)
    return fmt::format("it ended with '{}', now with '{}'", host::name_of(status),
                       host::name_of(last.status));
  if (last.cycle != recorded.end_cycle)
    return fmt::format("it ended in cycle {}, now in {}", recorded.end_cycle, last.cycle);
  const u64 hash = machine.device().hash();
  if (hash == recorded.hash) return "";
  return fmt::format("its hash was {:016x} and is {:016x}", recorded.hash, hash);
}

int finish_replay(Machine& machine, const CommonOptions& options, const Outcome& last, bool ran,
                  const host::Bundle& recorded, int status) {
  const std::string text = difference(machine, last, ran, recorded);
  if (!text.empty()) {
    fmt::print(stderr, "bhemu: the replay is not what was recorded: {}{}\n", text,
               recorded.version == host::kVersion
                   ? ""
                   : fmt::format(" (by bhemu {}, this is {})", recorded.version, host::kVersion));
    return static_cast<int>(Status::WrongResult);
  }
  if (!options.quiet && !options.json)
    fmt::print("replayed as recorded: cycle {}, hash {:016x}\n", recorded.end_cycle, recorded.hash);
  return status;
}

Outcome run_with_progress(Machine& machine, const host::PreparedProgram& prepared,
                          const CommonOptions& options, Interrupts& interrupts,
                          const RunCommand& command, Recording* recording,
                          std::span<const u8> snapshot) {
  const std::unique_ptr<gdb::Server> server = serve_gdb(machine, prepared, options, interrupts);
  const bool talk = !options.quiet && !options.json;
  ProgressLine line("running", talk && server == nullptr);
  if (recording != nullptr)
    machine.set_started([&machine, recording] { recording->keep(machine.device()); });
  machine.set_progress([&](const Totals& totals) {
    line.show(totals, options.max_cycles);
    if (recording != nullptr) recording->keep(machine.device());
    return go_on(machine, interrupts) && (server == nullptr || !server->killed());
  });
  const Outcome outcome = machine.run(prepared, command.output, snapshot);
  machine.set_progress(nullptr);
  machine.set_started(nullptr);
  if (server) server->finish(static_cast<int>(outcome.status));
  return outcome;
}

/// A run, or with `recorded` its repetition.
int perform(const CommonOptions& options, const RunCommand& command, const host::Program& program,
            host::Firmware firmware, const host::Bundle* recorded, bool late,
            const std::shared_ptr<const DelayPlan>& delays = nullptr) {
  Interrupts interrupts;  // before the machine's threads
  Machine machine(device_options(options, program.board.value_or(BoardModel::P100A)),
                  std::move(firmware));
  machine.set_boot_cache(host::BootCache(options.boot_cache));
  limit(machine, options);
  if (delays != nullptr) machine.set_delays(delays);
  const host::PreparedProgram prepared = machine.prepare(program);
  prepared.check_outputs(command.output);
  if (!options.json)
    machine.set_printer([](const host::Printed& one) {
      fmt::print("({}, {}) {}, cycle {}: {}\n", one.tile.x, one.tile.y, name_of(one.core),
                 one.cycle, one.text);
    });
  RaceHunt hunt(options, machine, prepared);
  Observation observation(machine, options, true);
  observation.before_boot();
  Inquiry inquiry(machine, command);
  std::optional<Recording> recording;
  if (!command.bundle.empty()) recording.emplace(program, options, command.bundle);
  const bool talk = !options.quiet && !options.json;
  if (talk) {
    fmt::print("{}{}{}\n", program.name, program.description.empty() ? "" : ": ",
               program.description);
    print_header(machine);
    std::fflush(stdout);
  }
  const auto ended = [&](const Outcome& booted, const Outcome* ran, size_t tiles) {
    const Outcome& last = ran != nullptr ? *ran : booted;
    if (recording) recording->write(machine, last, ran != nullptr);
    const int status = finish(machine, options, &program, booted, ran, tiles,
                              {observation, &inquiry, hunt.report(), interrupts.status()});
    return recorded == nullptr
               ? status
               : finish_replay(machine, options, last, ran != nullptr, *recorded, status);
  };
  Outcome booted;
  if (!late) booted = boot_with_progress(machine, options, interrupts);
  if (booted.status != Status::Ok || booted.stopped)
    return ended(booted, nullptr, machine.device().board().tensix().size());
  if (talk && !late) {
    fmt::print("  boot       {}\n", speed_text(booted));
    std::fflush(stdout);
  }
  observation.before_launch(prepared);
  const std::span<const u8> snapshot = late ? std::span(recorded->snapshot) : std::span<const u8>{};
  Outcome ran = run_with_progress(machine, prepared, options, interrupts, command,
                                  recording ? &*recording : nullptr, snapshot);
  if (recorded == nullptr && options.check.empty())
    watch::look_for_cause(
        machine.device().options(), [&options] { return firmware_of(options); },
        options.max_cycles != 0 ? options.max_cycles : kNever, prepared, ran);
  if (talk) print_run(ran, prepared.tiles().size());
  return ended(booted, &ran, prepared.tiles().size());
}

/// A folder of our own, gone at the end.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "bhemu.XXXXXX") {
    std::string name = path_.string();
    if (::mkdtemp(name.data()) == nullptr)
      throw host::InputError(name, "", "cannot make this folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

int run(const CommonOptions& given, const RunCommand& wanted) {
  CommonOptions options = given;
  RunCommand command = wanted;
  // --bundle chooses the board's firmware bundle by its number; what is no number is a file.
  if (options.bundle.find_first_not_of("0123456789.") != std::string::npos) {
    command.bundle = options.bundle;
    options.bundle.clear();
  }
  host::Program program = host::load_program(command.program);
  host::compile_sources(program);
  if (options.check.empty()) options.check = program.check;
  return perform(options, command, program, firmware_of(options), nullptr, false);
}

namespace {

/// The list that bhemu hunt has found; null: a run without one.
std::shared_ptr<const DelayPlan> delays_of(const std::string& path, const host::Bundle& bundle) {
  try {
    auto delays = host::delay_plan_of(bundle);
    if (delays != nullptr && bundle.settings.timing != name_of(TimingModel::Chaos))
      throw ArchiveError("delays without chaos");
    return delays;
  } catch (const ArchiveError&) {
    throw host::InputError(path, "", "the bundle is damaged: its delays make no sense");
  }
}

}  // namespace

int replay(const CommonOptions& options, const ReplayCommand& command) {
  const host::Bundle bundle = host::read_bundle(command.bundle);
  if (command.late && bundle.snapshot.empty())
    throw host::InputError(command.bundle, "", "the bundle has no snapshot: replay without --late");
  const Folder folder;
  const host::Program program = host::unpack_program(bundle, folder.path());
  CommonOptions all = options;
  static_cast<host::DeviceSettings&>(all) = bundle.settings;
  all.trace = options.trace;
  all.gdb = options.gdb;
  all.max_cycles = bundle.max_cycles;
  // The cycle in which the user had enough.
  if (bundle.interrupted) all.max_cycles = bundle.cycles;
  // Time is counted from the snapshot then.
  if (command.late && all.max_cycles != 0 && bundle.end_cycle > bundle.snapshot_cycle)
    all.max_cycles -= bundle.cycles - (bundle.end_cycle - bundle.snapshot_cycle);
  try {
    return perform(all, {}, program, host::firmware_of(bundle), &bundle, command.late,
                   delays_of(command.bundle, bundle));
  } catch (const ArchiveError& error) {
    throw host::InputError(command.bundle, "",
                           fmt::format("its snapshot cannot be used here ({}): replay without "
                                       "--late",
                                       error.what()));
  }
}

int why(const CommonOptions& options, const WhyCommand& command) {
  RunCommand as_run;
  as_run.program = command.program;
  for (const std::string& place : command.places)
    as_run.questions.push_back(command.tile + " " + place);
  return run(options, as_run);
}

}  // namespace bhemu::cli
