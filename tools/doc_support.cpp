// docs/SUPPORT.md: the support matrix, from src/tensix/support.def and the support.def of the other
// parts.
#include <algorithm>

#include "base/fault.hpp"
#include "doc_markdown.hpp"
#include "doc_pages.hpp"
#include "tensix_rows.hpp"

namespace bhemu::docs {
namespace {

using support::Document;
using support::Experiment;
using support::Silicon;

std::vector<support::Row> support_rows() {
  return {
#define SUPPORT(name, modes, meaning, formats, evidence, source, tests) \
  {#name, modes, meaning, formats, evidence, source, nullptr, tests},
#define REFUSED(name, modes, meaning, rule, source, tests) \
  {#name, modes, meaning, "", 0, source, rule, tests},
#define OPERAND(name)
#include "tensix/support.def"
#undef SUPPORT
#undef REFUSED
#undef OPERAND
  };
}

std::set<std::string> operand_fields() {
  return {
#define SUPPORT(...)
#define REFUSED(...)
#define OPERAND(name) #name,
#include "tensix/support.def"
#undef SUPPORT
#undef REFUSED
#undef OPERAND
  };
}

std::vector<support::Group> support_groups() {
  return {
#define SUPPORT_GROUP(area, name, meaning, evidence, source, tests) \
  {area, name, meaning, evidence, source, tests},
#include "eth/support.def"
#include "noc/support.def"
#include "riscv/support.def"
#include "tile/support.def"
#undef SUPPORT_GROUP
  };
}

bool is_supported(const support::Row& row) {
  return row.rule == nullptr && *row.tests != 0;
}

std::string tests_cell(const char* names, const support::Tests& tests) {
  std::string text;
  for (const std::string& name : support::split_tests(names))
    text += fmt::format("{}[{}](../{})", text.empty() ? "" : ", ", name, tests.file_of(name));
  return text;
}

std::string verdict(const support::Row& row) {
  if (row.rule != nullptr) return fmt::format("no: [{0}](RULES.md#{0})", row.rule);
  return *row.tests == 0 ? "no: not tested" : "yes";
}

std::string evidence_cell(unsigned evidence, const char* source) {
  const std::string name = support::name_of_evidence(evidence);
  return name.empty() ? source : fmt::format("{}: {}", name, cell(source));
}

struct Count {
  unsigned instructions = 0;
  unsigned supported = 0;
  unsigned refused = 0;
  unsigned untested = 0;
};

void count(Count& sum, const support::Row& row) {
  ++(is_supported(row) ? sum.supported : row.rule != nullptr ? sum.refused : sum.untested);
}

std::string summary(const support::Tables& tables) {
  std::map<std::string, Count> units;
  Count all;
  for (const support::Instruction& one : tables.instructions) {
    Count& unit = units[one.unit];
    ++unit.instructions;
    ++all.instructions;
    for (const support::Row& row : tables.rows) {
      if (one.name != row.instruction) continue;
      count(unit, row);
      count(all, row);
    }
  }
  std::string text =
      table_head({"unit", "instructions", "supported rows", "refused rows", "untested rows"});
  const auto line = [&](const std::string& name, const Count& sum) {
    text += row({name, std::to_string(sum.instructions), std::to_string(sum.supported),
                 std::to_string(sum.refused), std::to_string(sum.untested)});
  };
  for (const auto& [name, sum] : units) line(name, sum);
  line("all", all);
  return text;
}

std::string unit_section(const support::Tables& tables, const std::string& unit,
                         const support::Tests& tests) {
  std::string text = fmt::format("\n### {}\n\n", unit);
  text +=
      table_head({"instruction", "modes", "meaning", "formats", "supported", "evidence", "tests"});
  for (const support::Instruction& one : tables.instructions) {
    if (one.unit != unit) continue;
    for (const support::Row& cells : tables.rows) {
      if (one.name != cells.instruction) continue;
      text += row({code_cell(one.name), code_cell(cells.modes), cell(cells.meaning),
                   cell(cells.formats), verdict(cells), evidence_cell(cells.evidence, cells.source),
                   tests_cell(cells.tests, tests)});
    }
  }
  return text;
}

std::string group_sections(const support::Tables& tables, const support::Tests& tests) {
  std::string text;
  std::string area;
  const std::map<std::string, unsigned> extensions = riscv_extensions();
  for (const support::Group& group : tables.groups) {
    if (area != group.area) {
      area = group.area;
      text += fmt::format("\n## {}\n\n", area);
      text += table_head({"group", "meaning", "supported", "evidence", "tests"});
    }
    const auto rows = extensions.find(group.name);
    const std::string meaning = rows == extensions.end()
                                    ? group.meaning
                                    : fmt::format("{} ({} rows)", group.meaning, rows->second);
    text += row({cell(group.name), cell(meaning), *group.tests == 0 ? "no: not tested" : "yes",
                 evidence_cell(group.evidence, group.source), tests_cell(group.tests, tests)});
  }
  return text;
}

}  // namespace

support::Tables support_tables() {
  support::Tables tables;
  for (const TensixRow& one : tensix_rows()) {
    support::Instruction instruction{one.name, one.unit, one.undocumented == Rule::Count, {}};
    for (const TensixField& field : one.fields)
      if (field.name != nullptr) instruction.fields.push_back({field.name, field.width});
    tables.instructions.push_back(instruction);
  }
  tables.operands = operand_fields();
  tables.rows = support_rows();
  tables.groups = support_groups();
  for (const auto& [name, rows] : riscv_extensions()) tables.needed_groups.insert(name);
  for (unsigned i = 0; i < kRules; ++i) tables.rules.insert(info_of(static_cast<Rule>(i)).name);
  return tables;
}

std::string support_page(const support::Tables& tables, const support::Tests& tests) {
  std::string page = page_head("What is supported", "the support.def of each part");
  page +=
      "Each row is a mode of an instruction, with what is known about it and the tests that hold\n"
      "bhemu to it. A row without a test is not supported, whatever the code may do. What is\n"
      "refused is never skipped: it raises the rule named, and the run says so.\n\n"
      "Evidence: *document* is a page of the hardware's documentation, *silicon* a measurement on\n"
      "a card or a binary that runs on cards, *experiment* the vendor's simulator asked the same\n"
      "question. The generator fails when a value of a mode field has no row, or when a test that\n"
      "a row names does not exist.\n\n"
      "## Tensix instructions\n\n";
  page += summary(tables);
  std::set<std::string> units;
  for (const support::Instruction& one : tables.instructions) units.insert(one.unit);
  for (const std::string& unit : units) page += unit_section(tables, unit, tests);
  page += format_sections();
  page += group_sections(tables, tests);
  return page;
}

}  // namespace bhemu::docs
