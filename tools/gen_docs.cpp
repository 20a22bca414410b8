// Writes the generated pages of docs/: gen_docs FOLDER. With --check FOLDER, only says which of
// them are stale, and fails if any is. Either way it fails when the tables of the support matrix
// (src/*/support.def) or the checked list (tools/coverage) leave something out or name a test that
// is not in the tree around FOLDER.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/fault.hpp"
#include "coverage.hpp"
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

support::Tests tests_of(const std::filesystem::path& root) {
  support::Tests tests;
  for (const char* folder : {"tests", "tools"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() == ".cpp" || path.filename() == "CMakeLists.txt")
        tests.add(std::filesystem::relative(path, root).generic_string(), read(path));
    }
  }
  return tests;
}

/// Says what is wrong with the support tables; true when nothing is.
bool support_holds(const support::Tests& tests) {
  const support::Tables tables = support_tables();
  std::vector<std::string> problems = support::problems_of(tables, tests);
  for (const std::string& problem : coverage::problems_of(tables, tests))
    problems.push_back(problem);
  for (const std::string& problem : problems) fmt::print("support: {}\n", problem);
  return problems.empty();
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
    if (const char* remedy = remedy_of(static_cast<Rule>(i)); *remedy != 0)
      page += fmt::format("\nRemedy: {}.\n", remedy);
  }
  return page;
}

std::vector<Page> all_pages(const support::Tests& tests) {
  std::vector<Page> pages{
      {"KMD.md", kmd_page()},
      {"ORDERING.md", ordering_page()},
      {"RULES.md", rules_page()},
      {"SUPPORT.md", support_page(support_tables(), tests)},
      {"isa/riscv.md", riscv_page()},
      {"isa/tensix.md", tensix_page()},
      {"isa/timing.md", timing_page()},
      {"isa/footprints.md", footprint_page()},
      {"registers/address_map.md", address_map_page()},
      {"registers/card.md", card_page()},
      {"registers/config.md", config_page()},
      {"registers/csr.md", csr_page()},
      {"registers/debug.md", debug_registers_page()},
      {"registers/ethernet.md", ethernet_page()},
      {"registers/debug_bus.md", debug_bus_page()},
      {"registers/noc.md", noc_registers_page()},
      {"registers/perf_counters.md", perf_counters_page()},
      {"registers/riscv_debug.md", riscv_debug_page()},
  };
  for (Page& page : coverage_pages(tests)) pages.push_back(std::move(page));
  return pages;
}

int generate(const std::filesystem::path& folder, bool check) {
  const support::Tests tests = tests_of(std::filesystem::absolute(folder) / "..");
  if (!support_holds(tests)) return 1;
  unsigned stale = 0;
  for (const Page& page : all_pages(tests)) {
    if (read(folder / page.path) == page.text) continue;
    ++stale;
    fmt::print("{} {}\n", check ? "stale:" : "writing", page.path);
    if (!check && !write(folder / page.path, page.text)) {
      fmt::print(stderr, "cannot write {}\n", (folder / page.path).string());
      return 1;
    }
  }
  if (check && stale != 0) fmt::print("./dev docs writes them anew\n");
  return check && stale != 0 ? 1 : 0;
}

}  // namespace bhemu::docs

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  const bool is_folder = argc > 1 && std::filesystem::is_directory(argv[argc - 1]);
  if ((argc != 2 && !check) || !is_folder) {
    fmt::print(stderr, "usage: {} [--check] FOLDER\n", argv[0]);
    return 2;
  }
  return bhemu::docs::generate(argv[argc - 1], check);
}
