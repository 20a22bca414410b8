#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <optional>

#include <charconv>
#include <cmath>

namespace bhemu::cli {
namespace {

/// A whole number that is not negative, as people write it: 1000, 1e6, 2.5e6, 0x100.
std::optional<u64> count_of(const std::string& text) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const char* begin = text.data();
  const char* const end = begin + text.size();
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  u64 whole = 0;
  const auto read = std::from_chars(begin + (hex ? 2 : 0), end, whole, hex ? 16 : 10);
  if (read.ec == std::errc() && read.ptr == end) return whole;
  double real = 0;
  const auto wide = std::from_chars(begin, end, real);
  if (hex || wide.ec != std::errc() || wide.ptr != end) return std::nullopt;
  if (!(real >= 0 && real <= kExact) || real != std::floor(real)) return std::nullopt;
  return static_cast<u64>(real);
}

}  // namespace

void add_count(CLI::App& app, const char* name, u64& value, const char* help) {
  const std::string option = name;
  app.add_option_function<std::string>(
         name,
         [&value, option](const std::string& text) {
           const std::optional<u64> count = count_of(text);
           if (!count)
             throw CLI::ValidationError(option, "'" + text +
                                                    "' is no whole number from 0 on (1000000 or "
                                                    "1e6)");
           value = *count;
         },
         help)
      ->type_name("N");
}

void add_board_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--board", options.board, "p100a (120 tiles) or p150 (140 tiles)")
      ->type_name("p100a|p150");
  app.add_option("--harvest-dram", options.harvest_dram,
                 "DRAM banks that are disabled, 0 to 7, like 2 or 2,5; 'none'; +2 adds to the "
                 "board's default (P100A: 7)")
      ->type_name("LIST");
  app.add_option("--harvest-columns", options.harvest_columns,
                 "Tensix columns that are disabled, 0 to 13 in the ARC's numbering (see bhemu "
                 "info); 'none'; +4 adds to the board's default (P100A: 1,3)")
      ->type_name("LIST");
  app.add_option("--bundle", options.bundle,
                 "The vendor's firmware that the board says it runs: 18.12 (default) or 19.3")
      ->type_name("18.12|19.3");
}

namespace {
void add_rule_options(CLI::App& app, CommonOptions& options);
}

void add_device_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--threads", options.threads, "Host threads; results do not depend on it")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  app.add_option("--timing", options.timing,
                 "fast (default), reference, windows or chaos (legal delays, drawn from --seed)")
      ->type_name("fast|reference|windows|chaos");
  app.add_option("--effects", options.effects,
                 "With --timing windows: where in its window an instruction takes effect, at issue "
                 "(default), end, or drawn")
      ->type_name("issue|end|drawn");
  add_count(app, "--seed", options.seed, "Of --timing chaos and --effects drawn");
  add_rule_options(app, options);
}

namespace {

void add_rule_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--rule", options.rules,
                 "How a diagnosis is taken: NAME=error stops, NAME=warn reports and goes on, "
                 "NAME=silicon does what the chip does; may be repeated")
      ->type_name("NAME=LEVEL");
  app.add_option(
         "--check", options.check,
         "What is looked for that silicon lets pass (docs/DEBUGGING.md, Checks): all, none, "
         "or a list of buffers,noc (the usual ones), reads, guards, uninitialised, caches, "
         "instructions; 'all,-caches' leaves one out, caches=silicon makes loads get what the L0 "
         "data cache holds")
      ->type_name("LIST");
}

void add_firmware_option(CLI::App& app, CommonOptions& options) {
  app.add_option("--firmware", options.firmware,
                 "Directory with brisc.elf, ncrisc.elf, trisc0.elf, trisc1.elf and trisc2.elf; "
                 "default: bhemu's own firmware")
      ->type_name("DIR");
}

}  // namespace

void add_run_options(CLI::App& app, CommonOptions& options) {
  add_firmware_option(app, options);
  app.add_option("--boot-cache", options.boot_cache,
                 "Keep booted chips in this directory, and go on from there when the same firmware "
                 "boots on the same board again")
      ->type_name("DIR")
      ->envname("BHEMU_BOOT_CACHE");
  add_device_options(app, options);
  add_count(app, "--max-cycles", options.max_cycles,
            "Stop a boot or a program after so many cycles (status 3)");
}

void add_hunt_options(CLI::App& app, CommonOptions& options) {
  add_firmware_option(app, options);
  add_count(app, "--seed", options.seed, "Where the seeds that are tried begin");
  add_rule_options(app, options);
  add_count(app, "--max-cycles", options.max_cycles,
            "A run that takes longer hangs; default: 20 times the cycles without delays, and a "
            "million");
}

void add_trace_options(CLI::App& app, CommonOptions& options) {
  host::TraceSettings& trace = options.trace;
  CLI::Option* const file =
      app.add_option("--trace", trace.file,
                     "Write what happens to this file (docs/TRACE.md); - is standard error")
          ->type_name("FILE");
  const auto add = [&](const char* name, std::string& text, const char* type, const char* help) {
    app.add_option(name, text, help)->type_name(type)->needs(file);
  };
  add("--trace-format", trace.format, "text|json|perfetto",
      "text, json or perfetto; default: json for FILE.jsonl, perfetto for FILE.pftrace");
  add("--trace-what", trace.what, "LIST",
      "Of riscv,tensix,noc,stall,sync,reset,host,fault or all (default)");
  add("--trace-tiles", trace.tiles, "LIST", "Like 1-2,3-4 or 1-2:4-5 (a rectangle)");
  add("--trace-cores", trace.cores, "LIST", "Of brisc,ncrisc,trisc0,trisc1,trisc2,erisc0,erisc1");
  add("--trace-cycles", trace.cycles, "FROM-TO",
      "The first cycle and the last; 'run': the program without the boot");
  add("--trace-limit", trace.limit, "N", "No more than so many events; the run goes on");
}

void add_gdb_options(CLI::App& app, CommonOptions& options) {
  host::GdbSettings& gdb = options.gdb;
  CLI::Option* const where =
      app.add_option("--gdb", gdb.where,
                     "Wait for gdb before the program starts: at a port (0: any that is free) or a "
                     "path (docs/DEBUGGING.md)")
          ->type_name("PORT|PATH");
  app.add_option("--gdb-tiles", gdb.tiles,
                 "Whose cores gdb sees, like 1-2,3-4 or 1-2:4-5; default: the first 16 tiles of "
                 "the program")
      ->type_name("LIST")
      ->needs(where);
  app.add_option("--gdb-script", gdb.script,
                 "Write a file for gdb-multiarch -x, which connects and loads all symbols")
      ->type_name("FILE")
      ->needs(where);
}

void add_race_options(CLI::App& app, CommonOptions& options) {
  host::RaceSettings& race = options.race;
  app.add_flag("--race{custom}", race.level,
               "Find accesses that nothing puts in order (docs/RACES.md); with =documented also "
               "those that only what shipped software relies on does. Status 1 when there are any")
      ->type_name("[=LEVEL]");
  const auto add = [&](const char* name, std::string& text, const char* help) {
    app.add_option(name, text, help)->type_name("FILE");
  };
  add("--race-suppress", race.suppress, "Findings that you have judged: KIND PC PC REASON a line");
  add("--race-json", race.json, "Write the findings to this file, for programs");
  add("--race-sarif", race.sarif, "Write the findings to this file, for editors and CI (SARIF)");
}

void add_profile_options(CLI::App& app, CommonOptions& options) {
  app.add_flag("--profile{-}", options.profile,
               "Where the time of the launch went: who was busy, who waited for what and where; "
               "--profile=FILE writes it as JSON, too, "
               "FILE.csv as tt-metal's device profiler does");
  app.add_option("--report", options.report,
                 "Write a page to look at, with the grid, waits, buffers, registers and a profile")
      ->type_name("FILE.html");
}

void add_output_options(CLI::App& app, CommonOptions& options) {
  app.add_flag("--json", options.json, "One JSON object on standard output, also for errors");
  app.add_flag("--quiet", options.quiet, "Nothing on standard output when all is well");
}

BoardOptions board_options(const CommonOptions& options, BoardModel preferred) {
  return host::board_options(options, preferred, host::SettingStyle::Option);
}

DeviceOptions device_options(const CommonOptions& options, BoardModel preferred) {
  return host::device_options(options, preferred, host::SettingStyle::Option);
}

host::Firmware firmware_of(const CommonOptions& options) {
  return options.firmware.empty() ? host::Firmware::embedded()
                                  : host::Firmware::load(options.firmware);
}

}  // namespace bhemu::cli
