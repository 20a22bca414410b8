// Writes the generated pages of docs/: gen_docs FOLDER. With --check FOLDER, only says which of
// them are stale, and fails if any is.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/fault.hpp"
#include "doc_markdown.hpp"
#include "doc_pages.hpp"

namespace bhemu::docs {

namespace {

const char* name_of_severity(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warn:
      return "warn";
    case Severity::Silicon:
      return "silicon";
  }
  return "";
}

std::string read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  return stream.good();
}

}  // namespace

std::string rules_page() {
  std::string page = page_head("Rules", "src/base/rules/*.def");
  page +=
      "Everything that a program on the emulated chip can do wrong, as far as bhemu notices. A\n"
      "fault names its rule, the tile, the agent, the program counter or instruction word, and "
      "the\n"
      "cycle. The severity is the default; a run can choose another per rule:\n\n"
      "- `error`: the agent stops where it is and the run ends with exit status 4;\n"
      "- `warn`: the fault is reported, and execution goes on as on silicon;\n"
      "- `silicon`: as `warn`, without the report.\n\n"
      "The section names the document that states the rule.\n";
  std::string area;
  for (unsigned i = 0; i < kRules; ++i) {
    const RuleInfo& rule = info_of(static_cast<Rule>(i));
    const std::string name = rule.name;
    if (const std::string next = name.substr(0, name.find('-')); next != area) {
      area = next;
      page += fmt::format("\n## {}\n", area);
    }
    page += fmt::format("\n### {}\n\n{}\n\nSeverity: `{}`. Stated in: {}.\n", name, rule.summary,
                        name_of_severity(rule.severity), rule.section);
  }
  return page;
}

std::vector<Page> all_pages() {
  return {
      {"RULES.md", rules_page()},
      {"SUPPORT.md", support_page()},
      {"isa/riscv.md", riscv_page()},
      {"isa/tensix.md", tensix_page()},
      {"registers/address_map.md", address_map_page()},
      {"registers/config.md", config_page()},
      {"registers/csr.md", csr_page()},
      {"registers/debug.md", debug_registers_page()},
      {"registers/noc.md", noc_registers_page()},
  };
}

}  // namespace bhemu::docs

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !check) {
    fmt::print(stderr, "usage: {} [--check] FOLDER\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder = argv[argc - 1];
  unsigned stale = 0;
  for (const auto& page : bhemu::docs::all_pages()) {
    const bool same = bhemu::docs::read(folder / page.path) == page.text;
    if (same) continue;
    ++stale;
    fmt::print("{} {}\n", check ? "stale:" : "writing", page.path);
    if (!check && !bhemu::docs::write(folder / page.path, page.text)) {
      fmt::print(stderr, "cannot write {}\n", (folder / page.path).string());
      return 1;
    }
  }
  if (check && stale != 0) fmt::print("./dev docs writes them anew\n");
  return check && stale != 0 ? 1 : 0;
}
