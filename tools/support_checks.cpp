#include "support_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>

namespace bhemu::support {
namespace {

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

bool parse_number(std::string_view text, unsigned& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_range(std::string_view text, unsigned base, unsigned limit, std::set<unsigned>& values) {
  unsigned first = 0;
  unsigned last = limit - 1;
  if (text != "*") {
    const std::size_t dash = text.find('-');
    if (!parse_number(text.substr(0, dash), first)) return false;
    last = first;
    if (dash != std::string_view::npos && !parse_number(text.substr(dash + 1), last)) return false;
  }
  if (first > last || last >= limit) return false;
  for (unsigned value = first; value <= last; ++value) values.insert(base + value);
  return true;
}

/// What no row speaks of, as text: bits of a field of flags, else values. Empty: all is there.
std::string missing_values(const Field& field, const std::set<unsigned>& covered) {
  const bool flags = covered.lower_bound(kBit) != covered.end();
  const unsigned base = flags ? kBit : 0;
  const unsigned limit = flags ? field.width : 1u << field.width;
  std::string missing;
  for (unsigned value = 0; value < limit; ++value)
    if (!covered.contains(base + value)) missing += fmt::format(" {}", value);
  return missing.empty() ? missing : (flags ? " #" : " =") + missing;
}

void check_tests(std::string_view names, const std::string& where, const Tests& tests,
                 std::vector<std::string>& problems) {
  for (const std::string& name : split_tests(names))
    if (tests.file_of(name).empty())
      problems.push_back(fmt::format("{}: there is no test {}", where, name));
}

void check_row(const Row& row, const Instruction& instruction, const Tables& tables,
               const Tests& tests, std::vector<std::string>& problems) {
  const std::string where = fmt::format("{} [{}]", row.instruction, row.modes);
  check_tests(row.tests, where, tests, problems);
  if (*row.meaning == 0) problems.push_back(where + ": says nothing");
  if (row.rule != nullptr) {
    if (!tables.rules.contains(row.rule))
      problems.push_back(fmt::format("{}: there is no rule {}", where, row.rule));
    if (*row.tests == 0) problems.push_back(where + ": no test sees the rule raised");
    return;
  }
  if (!instruction.implemented)
    problems.push_back(where + ": the instruction is not implemented, the row says it is");
  if (row.evidence == 0 || *row.source == 0) problems.push_back(where + ": has no evidence");
}

void check_fields(const Instruction& instruction, const Values& covered,
                  const std::set<std::string>& operands, std::vector<std::string>& problems) {
  for (const Field& field : instruction.fields) {
    if (operands.contains(field.name)) continue;
    const auto found = covered.find(field.name);
    const std::set<unsigned> none;
    const std::string missing =
        missing_values(field, found == covered.end() ? none : found->second);
    if (!missing.empty())
      problems.push_back(fmt::format("{}: no row for {}{}", instruction.name, field.name, missing));
  }
}

}  // namespace

std::string name_of_evidence(unsigned evidence) {
  std::string text;
  const auto add = [&](unsigned bit, const char* name) {
    if ((evidence & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  };
  add(Document, "document");
  add(Silicon, "silicon");
  add(Experiment, "experiment");
  return text;
}

void Tests::add(const std::string& path, const std::string& text) {
  static const std::regex kCpp(R"(\bTEST(?:_P|_F)?\(\s*(\w+),\s*(\w+)\s*\))");
  static const std::regex kCmake(R"(add_test\(NAME\s+(\w+)\.(\w+))");
  const std::regex& pattern = path.ends_with(".cpp") ? kCpp : kCmake;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    files_[(*match)[1].str() + "." + (*match)[2].str()] = path;
  texts_[path] = text;
}

std::string Tests::file_of(std::string_view reference) const {
  const std::size_t slash = reference.find('/');
  const auto found = files_.find(reference.substr(0, slash));
  if (found == files_.end()) return {};
  if (slash == std::string_view::npos) return found->second;
  const std::string& text = texts_.at(found->second);
  return text.find(reference.substr(slash + 1)) == std::string::npos ? "" : found->second;
}

std::vector<std::string> split_tests(std::string_view tests) {
  return split(tests, ", ");
}

bool parse_modes(std::string_view modes, const Instruction& instruction, Values& values) {
  for (const std::string& part : split(modes, " ")) {
    const std::size_t sign = part.find_first_of("=#");
    if (sign == std::string::npos || sign + 1 == part.size()) return false;
    const bool flags = part[sign] == '#';
    const std::string name = part.substr(0, sign);
    const auto field = std::find_if(instruction.fields.begin(), instruction.fields.end(),
                                    [&](const Field& one) { return one.name == name; });
    if (field == instruction.fields.end()) return false;
    const unsigned limit = flags ? field->width : 1u << field->width;
    for (const std::string& range : split(std::string_view(part).substr(sign + 1), ","))
      if (!parse_range(range, flags ? kBit : 0, limit, values[name])) return false;
  }
  return true;
}

std::vector<std::string> problems_of(const Tables& tables, const Tests& tests) {
  std::vector<std::string> problems;
  std::map<std::string, Values> covered;
  for (const Row& row : tables.rows) {
    const auto instruction =
        std::find_if(tables.instructions.begin(), tables.instructions.end(),
                     [&](const Instruction& one) { return one.name == row.instruction; });
    if (instruction == tables.instructions.end()) {
      problems.push_back(fmt::format("{}: there is no such instruction", row.instruction));
      continue;
    }
    check_row(row, *instruction, tables, tests, problems);
    if (!parse_modes(row.modes, *instruction, covered[row.instruction]))
      problems.push_back(fmt::format("{}: cannot read the modes [{}]", row.instruction, row.modes));
  }
  for (const Instruction& instruction : tables.instructions) {
    const auto found = covered.find(instruction.name);
    if (found == covered.end())
      problems.push_back(instruction.name + ": no row");
    else
      check_fields(instruction, found->second, tables.operands, problems);
  }
  for (const Group& group : tables.groups) {
    const std::string where = fmt::format("{}, {}", group.area, group.name);
    check_tests(group.tests, where, tests, problems);
    if (group.evidence == 0 || *group.source == 0) problems.push_back(where + ": has no evidence");
  }
  for (const std::string& name : tables.needed_groups) {
    const auto is_it = [&](const Group& group) { return group.name == name; };
    if (std::none_of(tables.groups.begin(), tables.groups.end(), is_it))
      problems.push_back(name + ": no group");
  }
  return problems;
}

}  // namespace bhemu::support
