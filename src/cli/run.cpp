// bhemu boot and bhemu run: drive a machine and tell what came of it.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "cli/terminal.hpp"
#include "debug/trace_file.hpp"
#include "host/json.hpp"
#include "host/machine.hpp"

namespace bhemu::cli {
namespace {

using host::Check;
using host::JsonWriter;
using host::Machine;
using host::Outcome;
using host::Status;

/// The speed counts what was really executed, not the polling that the emulator slept through.
std::string speed_text(const Outcome& outcome) {
  const Totals& totals = outcome.totals;
  const double seconds = std::max(outcome.seconds, 1e-6);
  const u64 executed = totals.riscv_instructions - totals.riscv_skipped;
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

void write_tiles(JsonWriter& json, std::span<const Coord> tiles) {
  json.begin_array();
  for (const Coord tile : tiles) {
    json.begin_array();
    json.value(u32{tile.x});
    json.value(u32{tile.y});
    json.end_array();
  }
  json.end_array();
}

void write_faults(JsonWriter& json, const Outcome& outcome) {
  json.key("faults");
  json.begin_array();
  for (const host::FaultReport& report : outcome.faults) {
    const Fault& fault = report.fault;
    json.begin_object();
    json.member("rule", info_of(fault.rule).name);
    json.member("severity", fault.severity == Severity::Error ? "error" : "warn");
    json.key("tile");
    json.begin_array();
    json.value(u32{report.tile.x});
    json.value(u32{report.tile.y});
    json.end_array();
    json.member("agent", name_of(fault.agent));
    json.member("pc", fault.pc);
    json.member("cycle", fault.cycle);
    json.member("instruction", report.instruction);
    json.member("where", report.where);
    json.member("text", fault.text);
    json.member("section", info_of(fault.rule).section);
    json.end_object();
  }
  json.end_array();
}

void write_waiters(JsonWriter& json, const Outcome& outcome) {
  const host::FirstCause& cause = outcome.standstill.cause;
  if (!cause.sentence.empty()) {
    json.key("first_cause");
    json.begin_object();
    json.member("sentence", cause.sentence);
    json.member("remedy", cause.remedy);
    json.member("place", cause.place);
    json.member("agent", name_of(cause.agent));
    json.key("tile");
    json.begin_array();
    json.value(u32{cause.tile.x});
    json.value(u32{cause.tile.y});
    json.end_array();
    json.end_object();
  }
  json.key("waiting");
  json.begin_array();
  for (const host::WaiterGroup& group : outcome.standstill.waiters) {
    json.begin_object();
    json.key("tiles");
    write_tiles(json, group.tiles);
    json.member("agent", name_of(group.agent));
    json.member("pc", group.pc);
    json.member("where", group.where);
    json.member("what", group.what);
    json.member("who", group.who);
    json.end_object();
  }
  json.end_array();
  json.key("unfinished");
  write_tiles(json, outcome.unfinished);
}

void write_phase(JsonWriter& json, const char* name, const Outcome& outcome) {
  const Totals& totals = outcome.totals;
  json.key(name);
  json.begin_object();
  json.member("status", host::name_of(outcome.status));
  json.member("seconds", outcome.seconds);
  json.member("end_cycle", outcome.cycle);
  json.member("cycles", totals.cycles);
  json.member("riscv_instructions", totals.riscv_instructions);
  json.member("riscv_skipped", totals.riscv_skipped);
  json.member("tensix_instructions", totals.tensix_instructions);
  json.member("noc_packets", totals.noc_packets);
  json.member("noc_bytes", totals.noc_bytes);
  json.key("checks");
  json.begin_array();
  for (const Check& check : outcome.checks) {
    json.begin_object();
    json.member("what", check.what);
    json.member("passed", check.passed);
    json.member("compared", check.compared);
    json.member("wrong", check.wrong);
    json.member("close", check.close);
    json.member("detail", check.detail);
    json.end_object();
  }
  json.end_array();
  json.key("saved");
  json.begin_array();
  for (const std::string& path : outcome.saved) json.value(path);
  json.end_array();
  write_faults(json, outcome);
  write_waiters(json, outcome);
  json.end_object();
}

struct Trace {
  std::string file;
  trace::Summary summary;
};

/// The object of a boot or run; `program`, `ran` and `trace` may be null.
std::string json_text(Machine& machine, const host::Program* program, const Outcome& booted,
                      const Outcome* ran, const Trace* trace) {
  const Board& board = machine.device().board();
  const Outcome& last = ran != nullptr ? *ran : booted;
  JsonWriter json;
  json.begin_object();
  json.member("status", host::name_of(last.status));
  if (program != nullptr) json.member("program", program->name);
  json.member("board", board.name());
  json.member("tiles", u64{board.tensix().size()});
  json.member("dram_banks", u32{board.dram_banks()});
  json.member("firmware", machine.firmware().origin());
  write_phase(json, "boot", booted);
  if (ran != nullptr) write_phase(json, "run", *ran);
  if (trace != nullptr) {
    json.key("trace");
    json.begin_object();
    json.member("file", trace->file);
    json.member("events", trace->summary.events);
    json.member("limit_reached", trace->summary.limit_reached);
    json.member("error", trace->summary.error);
    json.end_object();
  }
  json.end_object();
  return json.text();
}

/// Warnings and the reason of a failure go to standard error.
void explain(const Outcome& outcome, size_t tiles) {
  const std::string text = outcome.explanation(tiles);
  if (!text.empty()) fmt::print(stderr, "{}", text);
}

void limit(Machine& machine, const CommonOptions& options) {
  if (options.max_cycles != 0) machine.set_limit(options.max_cycles);
}

/// SIGUSR1: where does everything stand? SIGINT: that, and the end.
bool go_on(Machine& machine, Interrupts& interrupts) {
  const int signal = interrupts.next();
  if (signal == SIGUSR1)
    fmt::print(stderr, "{}",
               text_of(machine.where_everything_stands(host::Standstill::Reason::Asked)));
  return signal != SIGINT;
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

int finish(Machine& machine, const CommonOptions& options, const host::Program* program,
           const Outcome& booted, const Outcome* ran, size_t tiles) {
  const Outcome& last = ran != nullptr ? *ran : booted;
  const Trace trace{options.trace.file, machine.device().stop_trace()};
  const bool traced = !trace.file.empty();
  // A run that went well but left half a trace is not what was asked for.
  const bool incomplete = !trace.summary.error.empty();
  const Status told = incomplete && last.status == Status::Ok ? Status::BadInput : last.status;
  const int status = last.interrupted ? kInterrupted : static_cast<int>(told);
  if (options.json) {
    fmt::print("{}\n", json_text(machine, program, booted, ran, traced ? &trace : nullptr));
    return status;
  }
  std::fflush(stdout);
  if (ran != nullptr) explain(booted, machine.device().board().tensix().size());
  explain(last, tiles);
  if (options.quiet && last.status == Status::WrongResult)
    for (const Check& check : last.checks)
      if (!check.passed) fmt::print(stderr, "Wrong result: {}\n", check_text(check));
  if (incomplete)
    fmt::print(stderr, "bhemu: {}: the trace is not complete: {}\n", trace.file,
               trace.summary.error);
  if (options.quiet) return status;
  if (traced)
    fmt::print("  trace      {} events{} in {}\n", grouped(trace.summary.events),
               trace.summary.limit_reached ? " (the limit)" : "", trace.file);
  static constexpr const char* kVerdicts[] = {"PASSED", "FAILED: wrong result", "BAD INPUT", "HUNG",
                                              "FAULT"};
  const bool ready = program == nullptr && last.status == Status::Ok;
  fmt::print("{}\n", ready              ? "READY"
                     : last.interrupted ? "INTERRUPTED"
                                        : kVerdicts[static_cast<unsigned>(last.status)]);
  return status;
}

}  // namespace

int boot(const CommonOptions& options) {
  Interrupts interrupts;  // before the machine's threads
  Machine machine(device_options(options, BoardModel::P100A), firmware_of(options));
  limit(machine, options);
  debug::start_trace(machine.device(), options.trace, host::SettingStyle::Option);
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
  return finish(machine, options, nullptr, outcome, nullptr, tiles);
}

int run(const CommonOptions& options, const RunCommand& command) {
  Interrupts interrupts;  // before the machine's threads
  const host::Program program = host::load_program(command.program);
  Machine machine(device_options(options, program.board.value_or(BoardModel::P100A)),
                  firmware_of(options));
  limit(machine, options);
  const host::PreparedProgram prepared = machine.prepare(program);
  prepared.check_outputs(command.output);
  debug::start_trace(machine.device(), options.trace, host::SettingStyle::Option);
  const bool talk = !options.quiet && !options.json;
  if (talk) {
    fmt::print("{}{}{}\n", program.name, program.description.empty() ? "" : ": ",
               program.description);
    print_header(machine);
    std::fflush(stdout);
  }
  const Outcome booted = boot_with_progress(machine, options, interrupts);
  if (booted.status != Status::Ok)
    return finish(machine, options, &program, booted, nullptr,
                  machine.device().board().tensix().size());
  if (talk) {
    fmt::print("  boot       {}\n", speed_text(booted));
    std::fflush(stdout);
  }
  Outcome ran;
  {
    ProgressLine line("running", talk);
    machine.set_progress([&](const Totals& totals) {
      line.show(totals, options.max_cycles);
      return go_on(machine, interrupts);
    });
    ran = machine.run(prepared, command.output);
    machine.set_progress(nullptr);
  }
  if (talk) print_run(ran, prepared.tiles().size());
  return finish(machine, options, &program, booted, &ran, prepared.tiles().size());
}

}  // namespace bhemu::cli
