#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <stdexcept>

#include "host/error.hpp"
#include "host/program.hpp"
#include "host/suggest.hpp"

namespace bhemu::cli {
namespace {

using host::InputError;

/// "2,5" as a mask; "none" is 0; a leading '+' adds to `defaults`.
u32 mask_of(const std::string& option, std::string text, unsigned count, u32 defaults) {
  if (text == "none") return 0;
  u32 mask = 0;
  if (text.starts_with('+')) {
    mask = defaults;
    text.erase(0, 1);
  }
  const char* next = text.data();
  const char* end = text.data() + text.size();
  while (true) {
    unsigned number = count;
    const auto parsed = std::from_chars(next, end, number);
    if (parsed.ec != std::errc() || number >= count || (parsed.ptr != end && *parsed.ptr != ','))
      throw InputError(
          option, "",
          fmt::format("'{}' must be 'none' or a list like 2,5 of numbers from 0 to {}; "
                      "+2 adds to what the board lacks anyway",
                      text, count - 1));
    mask |= 1u << number;
    if (parsed.ptr == end) return mask;
    next = parsed.ptr + 1;
  }
}

FaultPolicy policy_of(const std::vector<std::string>& rules) {
  FaultPolicy policy;
  for (const std::string& text : rules) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const std::string level = equals == std::string::npos ? "" : text.substr(equals + 1);
    const Rule rule = rule_named(name);
    if (rule == Rule::Count) {
      std::vector<std::string> known;
      for (unsigned i = 0; i < kRules; ++i) known.push_back(info_of(static_cast<Rule>(i)).name);
      throw InputError("--rule", "",
                       fmt::format("there is no rule '{}'{}", name, host::suggestion(name, known)));
    }
    const bool known = level == "error" || level == "warn" || level == "silicon";
    if (!known)
      throw InputError("--rule", "",
                       fmt::format("'{}' must be NAME=error, NAME=warn or "
                                   "NAME=silicon",
                                   text));
    policy.severity[static_cast<unsigned>(rule)] = level == "error"  ? Severity::Error
                                                   : level == "warn" ? Severity::Warn
                                                                     : Severity::Silicon;
  }
  return policy;
}

}  // namespace

void add_board_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--board", options.board, "p100a (120 tiles) or p150 (140 tiles)")
      ->type_name("NAME");
  app.add_option("--harvest-dram", options.harvest_dram,
                 "DRAM banks that are disabled, 0 to 7, like 2 or 2,5; 'none'; +2 adds to the "
                 "board's default (P100A: 7)")
      ->type_name("LIST");
  app.add_option("--harvest-columns", options.harvest_columns,
                 "Tensix columns that are disabled, 0 to 13 in the ARC's numbering (see bhemu "
                 "info); 'none'; +4 adds to the board's default (P100A: 1,3)")
      ->type_name("LIST");
}

void add_run_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--firmware", options.firmware,
                 "Directory with brisc.elf, ncrisc.elf, trisc0.elf, trisc1.elf and trisc2.elf; "
                 "default: bhemu's own firmware")
      ->type_name("DIR");
  app.add_option("--threads", options.threads, "Host threads; results do not depend on it")
      ->check(CLI::Range(1u, 256u))
      ->type_name("N");
  app.add_option("--timing", options.timing, "fast (default) or reference")->type_name("NAME");
  app.add_option("--seed", options.seed, "For timings that draw at random")->type_name("N");
  app.add_option("--rule", options.rules,
                 "How a diagnosis is taken: NAME=error stops, NAME=warn reports and goes on, "
                 "NAME=silicon does what the chip does; may be repeated")
      ->type_name("NAME=LEVEL");
  app.add_option("--max-cycles", options.max_cycles,
                 "Stop a boot or a program after so many cycles (status 3)")
      ->type_name("N");
}

void add_output_options(CLI::App& app, CommonOptions& options) {
  app.add_flag("--json", options.json, "One JSON object on standard output, also for errors");
  app.add_flag("--quiet", options.quiet, "Nothing on standard output when all is well");
}

BoardOptions board_options(const CommonOptions& options, BoardModel preferred) {
  BoardModel model = preferred;
  if (!options.board.empty()) {
    const auto named = host::board_named(options.board);
    if (!named)
      throw InputError("--board", "",
                       fmt::format("board '{}' is unknown{}", options.board,
                                   host::suggestion(options.board, {"p100a", "p150"})));
    model = *named;
  }
  BoardOptions board = BoardOptions::defaults(model);
  constexpr unsigned kBanks = 8;
  constexpr unsigned kColumns = 14;
  if (!options.harvest_dram.empty())
    board.harvested_dram = static_cast<u8>(
        mask_of("--harvest-dram", options.harvest_dram, kBanks, board.harvested_dram));
  if (!options.harvest_columns.empty())
    board.harvested_columns = static_cast<u16>(
        mask_of("--harvest-columns", options.harvest_columns, kColumns, board.harvested_columns));
  try {
    const Board check(board);
  } catch (const std::invalid_argument& error) {
    throw InputError("", "", error.what());
  }
  return board;
}

DeviceOptions device_options(const CommonOptions& options, BoardModel preferred) {
  DeviceOptions device;
  device.board = board_options(options, preferred);
  if (options.timing != "fast" && options.timing != "reference")
    throw InputError("--timing", "",
                     fmt::format("timing '{}' is unknown{}", options.timing,
                                 host::suggestion(options.timing, {"fast", "reference"})));
  device.timing = options.timing == "fast" ? TimingModel::Fast : TimingModel::Reference;
  device.threads = options.threads;
  device.seed = options.seed;
  device.faults = policy_of(options.rules);
  return device;
}

host::Firmware firmware_of(const CommonOptions& options) {
  return options.firmware.empty() ? host::Firmware::embedded()
                                  : host::Firmware::load(options.firmware);
}

}  // namespace bhemu::cli
