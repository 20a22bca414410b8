// Checks the whole tree against the rules of docs/STYLE.md: bhemu_tidy ROOT. Part of the suite.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tidy_checks.hpp"

namespace {

namespace fs = std::filesystem;
using bhemu::tidy::Finding;
using bhemu::tidy::Source;

bool is_skipped_folder(const std::string& name) {
  return (name.starts_with(".") && name != ".ci") || name.starts_with("build") ||
         name == "__pycache__" || name == "prebuilt" || name == "corpus" || name == "results";
}

bool is_text(const fs::path& path) {
  static const std::set<std::string> suffixes = {".cpp", ".hpp", ".h",  ".c",    ".S",
                                                 ".def", ".inc", ".md", ".txt",  ".cmake",
                                                 ".py",  ".sh",  ".ld", ".yaml", ".json"};
  const std::string name = path.filename().string();
  return suffixes.count(path.extension().string()) != 0 || name == "dev" || name == "run";
}

std::vector<Source> read_tree(const fs::path& root) {
  std::vector<Source> sources;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::end(at); ++at) {
    if (at->is_directory()) {
      if (is_skipped_folder(at->path().filename().string())) at.disable_recursion_pending();
    } else if (at->is_regular_file() && is_text(at->path())) {
      std::ifstream stream(at->path(), std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
      sources.push_back(bhemu::tidy::make_source(fs::relative(at->path(), root).generic_string(),
                                                 std::move(text)));
    }
  }
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.path < b.path; });
  return sources;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !fs::is_directory(argv[1])) {
    fmt::print(stderr, "usage: {} ROOT\n", argv[0]);
    return 2;
  }
  const std::vector<Source> sources = read_tree(argv[1]);
  std::vector<Finding> findings = bhemu::tidy::check_unused_headers(sources);
  for (Finding& finding : bhemu::tidy::check_parts(sources)) findings.push_back(std::move(finding));
  for (const Source& source : sources)
    for (Finding& finding : bhemu::tidy::check(source)) findings.push_back(std::move(finding));
  for (const Finding& f : findings) fmt::print("{}:{}: {}: {}\n", f.path, f.line, f.check, f.text);
  fmt::print("{} files, {} findings\n", sources.size(), findings.size());
  return findings.empty() && !sources.empty() ? 0 : 1;
}
