#include "host/settings/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "host/error.hpp"
#include "host/program/program.hpp"
#include "host/settings/software.hpp"
#include "host/suggest.hpp"

namespace bhemu::host {
namespace {

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

FaultPolicy policy_of(const std::vector<std::string>& rules, const std::string& setting) {
  FaultPolicy policy;
  for (const std::string& text : rules) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const std::string level = equals == std::string::npos ? "" : text.substr(equals + 1);
    const Rule rule = rule_named(name);
    if (rule == Rule::Count) {
      std::vector<std::string> known;
      for (unsigned i = 0; i < kRules; ++i) known.push_back(info_of(static_cast<Rule>(i)).name);
      throw InputError(setting, "",
                       fmt::format("there is no rule '{}'{}", name, suggestion(name, known)));
    }
    const bool known = level == "error" || level == "warn" || level == "silicon";
    if (!known)
      throw InputError(setting, "",
                       fmt::format("'{}' must be NAME=error, NAME=warn or "
                                   "NAME=silicon",
                                   text));
    policy.severity[static_cast<unsigned>(rule)] = level == "error"  ? Severity::Error
                                                   : level == "warn" ? Severity::Warn
                                                                     : Severity::Silicon;
  }
  return policy;
}

tensix::Placement effects_of(const DeviceSettings& settings, TimingModel timing,
                             SettingStyle style) {
  using tensix::Placement;
  const std::string name = setting_name(style, "effects");
  Placement placement = Placement::Issue;
  if (settings.effects == "end") {
    placement = Placement::End;
  } else if (settings.effects == "drawn") {
    placement = Placement::Drawn;
  } else if (settings.effects != "issue") {
    throw InputError(name, "",
                     fmt::format("effects '{}' is unknown{}", settings.effects,
                                 suggestion(settings.effects, {"issue", "end", "drawn"})));
  }
  if (placement != Placement::Issue && timing != TimingModel::Windows)
    throw InputError(name, "",
                     fmt::format("effects '{}' needs timing 'windows'", settings.effects));
  return placement;
}

}  // namespace

std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items;
  for (size_t at = 0; at < list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    items.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return items;
}

std::string setting_name(SettingStyle style, const std::string& name) {
  if (style == SettingStyle::File) return name;
  if (style == SettingStyle::Option) return "--" + name;
  std::string variable = "BHEMU_";
  for (const char c : name)
    variable += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return variable;
}

BoardOptions board_options(const DeviceSettings& settings, BoardModel preferred,
                           SettingStyle style) {
  BoardModel model = preferred;
  if (!settings.board.empty()) {
    const auto named = board_named(settings.board);
    if (!named)
      throw InputError(setting_name(style, "board"), "",
                       fmt::format("board '{}' is unknown{}", settings.board,
                                   suggestion(settings.board, {"p100a", "p150"})));
    model = *named;
  }
  BoardOptions board = BoardOptions::defaults(model);
  constexpr unsigned kBanks = 8;
  constexpr unsigned kColumns = 14;
  if (!settings.harvest_dram.empty())
    board.harvested_dram = static_cast<u8>(mask_of(
        setting_name(style, "harvest-dram"), settings.harvest_dram, kBanks, board.harvested_dram));
  if (!settings.harvest_columns.empty())
    board.harvested_columns =
        static_cast<u16>(mask_of(setting_name(style, "harvest-columns"), settings.harvest_columns,
                                 kColumns, board.harvested_columns));
  if (settings.bundle == "19.3")
    board.bundle = FirmwareBundle::V19_3;
  else if (!settings.bundle.empty() && settings.bundle != "18.12")
    throw InputError(
        setting_name(style, "bundle"), "",
        fmt::format("firmware bundle '{}' is unknown: 18.12 or 19.3", settings.bundle));
  try {
    const Board check(board);
  } catch (const std::invalid_argument& error) {
    throw InputError("", "", error.what());
  }
  return board;
}

DeviceOptions device_options(const DeviceSettings& settings, BoardModel preferred,
                             SettingStyle style) {
  DeviceOptions device;
  device.board = board_options(settings, preferred, style);
  const auto timing = timing_named(settings.timing);
  if (!timing)
    throw InputError(
        setting_name(style, "timing"), "",
        fmt::format("timing '{}' is unknown{}", settings.timing,
                    suggestion(settings.timing, {"fast", "reference", "windows", "chaos"})));
  device.timing = *timing;
  device.effects = effects_of(settings, *timing, style);
  // A stop for gdb is a stop of everything.
  device.threads = settings.gdb.where.empty() ? settings.threads : 1;
  device.seed = settings.seed;
  device.faults = policy_of(settings.rules, setting_name(style, "rule"));
  device.checks = check_set(settings.check, style);
  device.software = launched_software();
  return device;
}

}  // namespace bhemu::host
