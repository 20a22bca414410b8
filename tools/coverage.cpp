#include "coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace bhemu::coverage {
namespace {

using enum Space;
using enum Class;

constexpr Name kNames[] = {
#define NAME(file, name, space, address) {file, name, space, address},
#include "coverage/names.def"
#undef NAME
};

constexpr Registers kRegisters[] = {
#define COVER(space, first, last, kind, read, write, value, tests, remark) \
  {space, first, last, kind, read, write, value, tests, remark},
#define EXCEPT(...)
#include "coverage/registers.def"
#undef COVER
#undef EXCEPT
};

constexpr Named kNamed[] = {
#define COVER(...)
#define EXCEPT(pattern, kind, rule, tests, remark) {pattern, kind, rule, tests, remark},
#include "coverage/registers.def"
#undef COVER
#undef EXCEPT
};

constexpr Named kFields[] = {
#define FIELDS(pattern, kind, rule, tests, remark) {pattern, kind, rule, tests, remark},
#include "coverage/fields.def"
#undef FIELDS
};

constexpr Page kPages[] = {
#define PAGE(path, kind, rule, remark, tests) {Origin::Both, path, kind, rule, remark, tests},
#define FORK_PAGE(path, kind, rule, remark, tests) {Origin::Fork, path, kind, rule, remark, tests},
#define LATER_PAGE(path, kind, rule, remark, tests) \
  {Origin::Later, path, kind, rule, remark, tests},
#include "coverage/pages.def"
#undef PAGE
#undef FORK_PAGE
#undef LATER_PAGE
};

constexpr Statement kStatements[] = {
#define DRAWN(number, page, section, verdict, tests) \
  {number, page, section, Verdict::verdict, tests},
#include "coverage/statements.def"
#undef DRAWN
};

class Checker {
 public:
  Checker(const support::Tables& tables, const support::Tests& tests)
      : tables_(tables), tests_(tests) {}

  void row(const std::string& where, const char* rule, std::string_view names, bool needs_test) {
    if (*rule != 0 && std::string_view(rule) != "waits" && !tables_.rules.contains(rule))
      say("{}: there is no rule {}", where, rule);
    if (names.empty() && needs_test) say("{}: names no test", where);
    for (const std::string& name : support::split_tests(names))
      if (tests_.file_of(name).empty()) say("{}: there is no test {}", where, name);
  }
  template <class... Arguments>
  void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    problems.push_back("coverage: " + fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  std::vector<std::string> problems;

 private:
  const support::Tables& tables_;
  const support::Tests& tests_;
};

bool needs_rule(Class kind) {
  return kind == Warned || kind == Refused;
}
bool needs_test(Class kind) {
  return kind == Modelled || needs_rule(kind);
}

void check_addresses(Checker& checker) {
  for (const Registers& row : registers()) {
    const std::string where = fmt::format("{:#x}", row.first);
    checker.row(where, row.read, row.tests, needs_test(row.kind));
    checker.row(where, row.write, "", false);
    if (needs_rule(row.kind) && *row.read == 0 && *row.write == 0)
      checker.say("{}: names no rule", where);
    if (row.last < row.first) checker.say("{}: ends before it begins", where);
    if (row.kind == Inert && *row.remark == 0)
      checker.say("{}: why does no program see it?", where);
  }
  for (const Name& name : names())
    if (registers_at(name.space, name.address) == nullptr)
      checker.say("no row for {} ({}) at {:#x}", name.name, name.file, name.address);
}

void check_named(Checker& checker, std::span<const Named> rows,
                 const std::vector<std::string>& known) {
  for (const Named& row : rows) {
    checker.row(row.pattern, row.rule, row.tests, needs_test(row.kind));
    if (needs_rule(row.kind) && *row.rule == 0) checker.say("{}: names no rule", row.pattern);
    if (row.kind == Inert && *row.remark == 0)
      checker.say("{}: why does no program see it?", row.pattern);
    if (std::none_of(known.begin(), known.end(),
                     [&](const std::string& name) { return matches(row.pattern, name); }))
      checker.say("{}: nothing has such a name", row.pattern);
  }
}

}  // namespace

const char* name_of(Class kind) {
  switch (kind) {
    case Modelled:
      return "modelled";
    case Inert:
      return "kept, no program sees it";
    case Warned:
      return "kept, with a warning";
    case Refused:
      return "refused";
    case Absent:
      return "not on the chip";
    case Overview:
      return "overview";
  }
  return "";
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Holds:
      return "holds";
    case Verdict::Refused:
      return "refused by name";
    case Verdict::Overruled:
      return "overruled";
    case Verdict::Time:
      return "about time";
    case Verdict::Advice:
      return "advice or explanation";
  }
  return "";
}

const char* name_of(Origin origin) {
  switch (origin) {
    case Origin::Both:
      return "";
    case Origin::Fork:
      return "fork";
    case Origin::Later:
      return "later";
  }
  return "";
}

std::span<const Name> names() {
  return kNames;
}
std::span<const Registers> registers() {
  return kRegisters;
}
std::span<const Named> named() {
  return kNamed;
}
std::span<const Named> fields() {
  return kFields;
}
std::span<const Page> pages() {
  return kPages;
}
std::span<const Statement> statements() {
  return kStatements;
}

bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  for (std::size_t from = star; from <= name.size(); ++from)
    if (matches(pattern.substr(star + 1), name.substr(from))) return true;
  return false;
}

const Registers* registers_at(Space space, u64 address) {
  for (const Registers& row : kRegisters)
    if (row.space == space && address >= row.first && address <= row.last) return &row;
  return nullptr;
}

const Named* exception_of(std::string_view name) {
  for (const Named& row : kNamed)
    if (matches(row.pattern, name)) return &row;
  return nullptr;
}

const Named* field_row(std::string_view field) {
  for (const Named& row : kFields)
    if (matches(row.pattern, field)) return &row;
  return nullptr;
}

std::vector<std::string> all_fields() {
  return {
#define CFG(name, word, low, width) #name,
#define THREAD_CFG(name, word, low, width) #name,
#include "tensix/config.def"
#undef CFG
#undef THREAD_CFG
  };
}

std::string tests_of(const Page& page, const support::Tables& tables) {
  if (*page.tests != 0) return page.tests;
  const std::string_view path = page.path;
  const std::string file(path.substr(path.rfind('/') + 1));
  std::set<std::string> found;
  const auto take = [&](const char* source, const char* tests) {
    const std::string_view text = source;
    const std::size_t at = text.find(file);
    if (at == std::string_view::npos || (at != 0 && std::isalnum(text[at - 1]) != 0)) return;
    for (const std::string& one : support::split_tests(tests)) found.insert(one);
  };
  for (const support::Row& row : tables.rows) take(row.source, row.tests);
  for (const support::Group& group : tables.groups) take(group.source, group.tests);
  std::string names;
  for (const std::string& one : found) names += (names.empty() ? "" : ", ") + one;
  return names;
}

std::vector<std::string> problems_of(const support::Tables& tables, const support::Tests& tests) {
  Checker checker(tables, tests);
  check_addresses(checker);
  std::vector<std::string> known;
  for (const Name& name : names()) known.emplace_back(name.name);
  check_named(checker, named(), known);
  const std::vector<std::string> field_names = all_fields();
  check_named(checker, fields(), field_names);
  for (const std::string& field : field_names)
    if (field_row(field) == nullptr) checker.say("no row for the field {}", field);
  std::set<std::string_view> seen;
  for (const Page& page : pages()) {
    checker.row(page.path, page.rule, tests_of(page, tables), needs_test(page.kind));
    if (needs_rule(page.kind) && *page.rule == 0) checker.say("{}: names no rule", page.path);
    if (!seen.insert(page.path).second) checker.say("{} has two rows", page.path);
  }
  for (const Statement& drawn : statements()) {
    const bool tested = drawn.verdict == Verdict::Holds || drawn.verdict == Verdict::Refused;
    checker.row(fmt::format("statement {}", drawn.number), "", drawn.tests, tested);
  }
  return checker.problems;
}

}  // namespace bhemu::coverage
