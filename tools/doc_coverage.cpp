// docs/coverage: the checked list of everything that the ISA documentation and the vendor's headers
// name, from tools/coverage.
#include <map>

#include "coverage.hpp"
#include "doc_markdown.hpp"
#include "doc_pages.hpp"

namespace bhemu::docs {
namespace {

using coverage::Class;

std::string links(std::string_view names, const support::Tests& tests) {
  std::string text;
  for (const std::string& name : support::split_tests(names))
    text += fmt::format("{}[{}](../../{})", text.empty() ? "" : ", ", name, tests.file_of(name));
  return text;
}

std::string rule_link(std::string_view rule) {
  if (rule.empty() || rule == "waits") return std::string(rule);
  return fmt::format("[{0}](../RULES.md#{0})", rule);
}

std::string verdict(Class kind, std::string_view rule) {
  return rule.empty() ? coverage::name_of(kind)
                      : fmt::format("{}: {}", coverage::name_of(kind), rule_link(rule));
}

/// The one rule that a row is about, if its class has one.
std::string_view rule_of(const coverage::Registers& row) {
  if (row.kind != Class::Warned && row.kind != Class::Refused && row.kind != Class::Absent)
    return {};
  return *row.write != 0 ? row.write : row.read;
}

template <class Rows>
std::string counts_of(const Rows& kinds) {
  std::map<std::string, unsigned> sums;
  for (const Class kind : kinds) ++sums[coverage::name_of(kind)];
  std::string text;
  for (const auto& [name, sum] : sums)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", sum, name);
  return text;
}

std::string pages_page(const support::Tables& tables, const support::Tests& tests) {
  std::string page = page_head("Pages of the ISA documentation", "tools/coverage/pages.def");
  std::vector<Class> kinds;
  for (const coverage::Page& one : coverage::pages()) kinds.push_back(one.kind);
  page += fmt::format(
      "Every page of tenstorrent/tt-isa-documentation and of jasondavies's fork, September 2025,\n"
      "but for pages of WormholeB0 that BlackholeA0 has, too. {} pages: {}. *Found*: \"fork\" if "
      "no\n"
      "copy of tenstorrent's was at hand, \"later\" if the fork does not have it; where both have "
      "it\n"
      "and differ, the fork's text counts, and later texts have rows in "
      "[DISAGREEMENTS](../DISAGREEMENTS.md).\n"
      "Tests: those that hold bhemu to what the page states.\n\n",
      kinds.size(), counts_of(kinds));
  page += table_head({"page", "found", "bhemu", "remark", "tests"});
  for (const coverage::Page& one : coverage::pages())
    page += row({code_cell(one.path), coverage::name_of(one.origin), verdict(one.kind, one.rule),
                 cell(one.remark), links(coverage::tests_of(one, tables), tests)});
  return page;
}

const char* name_of(coverage::Space space) {
  switch (space) {
    case coverage::Space::Tile:
      return "Tensix tile";
    case coverage::Space::Arc:
      return "ARC tile";
    case coverage::Space::Bar0:
      return "BAR 0";
    case coverage::Space::Ethernet:
      return "Ethernet tile";
  }
  return "";
}

std::string registers_page(const support::Tests& tests) {
  std::string page = page_head("Registers", "tools/coverage/registers.def and names.def");
  std::vector<Class> kinds;
  std::map<std::string, std::string> files;
  for (const coverage::Name& name : coverage::names()) {
    const coverage::Registers& at = *coverage::registers_at(name.space, name.address);
    const coverage::Named* exception = coverage::exception_of(name.name);
    const Class kind = exception != nullptr ? exception->kind : at.kind;
    kinds.push_back(kind);
    files[name.file] +=
        row({code_cell(name.name), fmt::format("{:#010x}", name.address),
             exception != nullptr ? verdict(kind, exception->rule) : verdict(kind, rule_of(at)),
             cell(exception != nullptr ? exception->remark : at.remark)});
  }
  page += fmt::format(
      "What an access does, by address, and then every name that tt-metal's and tt-umd's headers\n"
      "give to an address ({} names: {}). tt-llk uses tt-metal's. A test performs every access.\n\n"
      "## Addresses\n\n",
      kinds.size(), counts_of(kinds));
  page += table_head({"of", "from", "to", "bhemu", "reading", "writing", "remark", "tests"});
  for (const coverage::Registers& one : coverage::registers())
    page += row({name_of(one.space), fmt::format("{:#x}", one.first),
                 fmt::format("{:#x}", one.last), coverage::name_of(one.kind), rule_link(one.read),
                 rule_link(one.write), cell(one.remark), links(one.tests, tests)});
  for (const auto& [file, rows] : files) {
    page += fmt::format("\n## {}\n\n", file);
    page += table_head({"name", "address", "bhemu", "remark"}) + rows;
  }
  return page;
}

std::string fields_page(const support::Tests& tests) {
  std::string page = page_head("Fields of the configuration", "tools/coverage/fields.def");
  std::vector<Class> kinds;
  std::map<std::string_view, unsigned> sums;
  for (const std::string& field : coverage::all_fields()) {
    const coverage::Named& found = *coverage::field_row(field);
    kinds.push_back(found.kind);
    ++sums[found.pattern];
  }
  page += fmt::format(
      "The {} fields of tt-metal's cfg_defines.h, by the first pattern that fits: {}. Positions "
      "are\n"
      "in [config.md](../registers/config.md).\n\n",
      kinds.size(), counts_of(kinds));
  page += table_head({"fields", "number", "bhemu", "remark", "tests"});
  for (const coverage::Named& one : coverage::fields())
    page += row({code_cell(one.pattern), std::to_string(sums[one.pattern]),
                 verdict(one.kind, one.rule), cell(one.remark), links(one.tests, tests)});
  return page;
}

std::string statements_page(const support::Tests& tests) {
  std::string page = page_head("A random tenth of the statements", "tools/coverage/statements.def");
  std::map<std::string, unsigned> sums;
  for (const coverage::Statement& one : coverage::statements())
    ++sums[coverage::name_of(one.verdict)];
  page += fmt::format(
      "tools/coverage/statements.py takes the pages of the ISA documentation that concern "
      "Blackhole\n"
      "apart into sentences, items, rows of tables and paragraphs of code, and draws a tenth with\n"
      "the seed 20261122: {} statements. What can be checked in them was written as a test from "
      "the\n"
      "page alone, before anybody looked at what bhemu does (tests/audit); some name a test that "
      "was\n"
      "there. *Overruled*: a source of more weight says otherwise (docs/DISAGREEMENTS.md). "
      "*Refused*:\n"
      "of a part that is not modelled (frames on a cable, L2CPU tiles, streams that send); "
      "whatever\n"
      "would reach it raises a rule or is reported as a hang.\n\n",
      coverage::statements().size());
  page += table_head({"what became of them", "statements"});
  for (const auto& [name, sum] : sums) page += row({name, std::to_string(sum)});
  page += "\n" + table_head({"number", "page", "section", "verdict", "tests"});
  for (const coverage::Statement& one : coverage::statements())
    page += row({std::to_string(one.number), code_cell(one.page), cell(one.section),
                 coverage::name_of(one.verdict), links(one.tests, tests)});
  return page;
}

}  // namespace

std::vector<Page> coverage_pages(const support::Tests& tests) {
  const support::Tables tables = support_tables();
  return {{"coverage/pages.md", pages_page(tables, tests)},
          {"coverage/registers.md", registers_page(tests)},
          {"coverage/fields.md", fields_page(tests)},
          {"coverage/statements.md", statements_page(tests)}};
}

}  // namespace bhemu::docs
