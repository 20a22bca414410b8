// Pages about instructions: docs/isa/riscv.md and docs/isa/tensix.md.
#include <algorithm>

#include "base/fault.hpp"
#include "doc_markdown.hpp"
#include "doc_pages.hpp"
#include "tensix_rows.hpp"

namespace bhemu::docs {
namespace {

struct RiscvRow {
  std::string name;
  std::string encoding;
  std::string group;  // extension, or the kind of a vector row
  std::string meaning;
};

// Rows of tables are literals only: compilers take minutes for hundreds of objects with destructors
// in one initializer.
struct RiscvEntry {
  const char* name;
  const char* form;  // of a vector row
  const char* encoding;
  const char* group;
  const char* meaning;
};

/// The spelling of the manuals: the tables write fadd.s as fadd_s and xor as xor_.
std::string mnemonic(std::string name) {
  while (!name.empty() && name.back() == '_') name.pop_back();
  std::replace(name.begin(), name.end(), '_', '.');
  return name;
}

std::vector<RiscvRow> rows_of(const std::vector<RiscvEntry>& entries) {
  std::vector<RiscvRow> rows;
  for (const RiscvEntry& entry : entries)
    rows.push_back({mnemonic(entry.name) + (*entry.form != 0 ? "." + mnemonic(entry.form) : ""),
                    entry.encoding, entry.group, entry.meaning});
  return rows;
}

std::vector<RiscvRow> riscv_rows() {
  return rows_of({
#define RV(name, encoding, extension, format, ...) {#name, "", encoding, #extension, #__VA_ARGS__},
#include "riscv/isa.def"
#undef RV
  });
}

std::vector<RiscvRow> vector_rows() {
  return rows_of({
#define RVV(name, form, encoding, kind, ...) {#name, #form, encoding, #kind, #__VA_ARGS__},
#include "riscv/vector.def"
#undef RVV
  });
}

bool is_vector_gateway(const RiscvRow& row) {
  return row.name.starts_with("vector");
}

std::string rule_link(const TensixRow& one) {
  const char* name = info_of(one.undocumented).name;
  return fmt::format("[{}](../RULES.md#{})", name, name);
}

std::string fields_text(const TensixRow& one) {
  std::string text;
  for (const TensixField& field : one.fields) {
    if (field.name == nullptr) break;
    if (!text.empty()) text += ", ";
    text += field.width == 1
                ? fmt::format("`{}` [{}]", field.name, field.low)
                : fmt::format("`{}` [{}:{}]", field.name, field.low + field.width - 1, field.low);
  }
  return text;
}

}  // namespace

std::vector<TensixRow> tensix_rows() {
  std::vector<TensixRow> rows = {
#define FIELD(name, low, width) {#name, low, width},
#define INSN(name, opcode, unit, properties, ...) \
  {#name, opcode, #unit, Rule::Count, {__VA_ARGS__}},
#define INSN_UNDOCUMENTED(name, opcode, unit, rule, properties, ...) \
  {#name, opcode, #unit, Rule::rule, {__VA_ARGS__}},
#include "tensix/isa.def"
#undef FIELD
#undef INSN
#undef INSN_UNDOCUMENTED
  };
  std::sort(rows.begin(), rows.end(),
            [](const TensixRow& a, const TensixRow& b) { return a.opcode < b.opcode; });
  return rows;
}

/// Extension and its number of instructions, for the support page.
std::map<std::string, unsigned> riscv_extensions() {
  std::map<std::string, unsigned> extensions;
  for (const RiscvRow& one : riscv_rows())
    if (!is_vector_gateway(one)) ++extensions[one.group == "Machine" ? "I" : one.group];
  extensions["V"] = static_cast<unsigned>(vector_rows().size());
  return extensions;
}

std::string riscv_page() {
  std::string page =
      page_head("Instructions of the baby RISC-V cores", "src/riscv/isa.def and vector.def");
  page +=
      "Encodings are written bit 31 first: `d` rd, `s` rs1, `t` rs2, `r` rs3, `i` immediate, `c` "
      "CSR,\n`m` the vector mask bit, `-` ignored. The first row that matches wins.\n";
  std::string group;
  for (const RiscvRow& one : riscv_rows()) {
    if (one.group != group) {
      page += fmt::format("\n## {}\n\n", one.group == "Machine" ? "Machine mode" : one.group);
      page += table_head({"instruction", "encoding", "meaning"});
      group = one.group;
    }
    page += row({code_cell(one.name), code_cell(one.encoding), code_cell(one.meaning)});
  }
  page += "\n## Vector instructions (RISCV T2 only)\n\n";
  page += "`a` is an element of vs2, `b` of vs1, rs1 or the immediate, `d` of vd; `sa`, `sb` and ";
  page += "`sd` are\nthe same, sign extended; `sew` is the element width.\n\n";
  page += table_head({"instruction", "encoding", "kind", "meaning"});
  for (const RiscvRow& one : vector_rows())
    page += row({code_cell(one.name), code_cell(one.encoding), one.group, code_cell(one.meaning)});
  return page;
}

std::string tensix_page() {
  std::string page = page_head("Instructions of the Tensix coprocessor", "src/tensix/isa.def");
  page +=
      "Bits 31:24 are the opcode. Bits that no field covers are ignored or undocumented. Where "
      "the\n"
      "last column names a rule, no source says what the instruction does: it raises that "
      "rule.\n\n";
  page += table_head({"opcode", "instruction", "unit", "fields", "executes"});
  for (const TensixRow& one : tensix_rows())
    page += row({fmt::format("0x{:02X}", one.opcode), code_cell(one.name), one.unit,
                 fields_text(one), one.undocumented == Rule::Count ? "yes" : rule_link(one)});
  return page;
}

}  // namespace bhemu::docs
