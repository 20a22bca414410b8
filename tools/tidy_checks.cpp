#include "tidy_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

namespace bhemu::tidy {
namespace {

constexpr std::size_t kLongestLine = 100;
constexpr std::size_t kLongestFile = 600;
constexpr unsigned kAllowanceReach = 8;
constexpr unsigned kWholeFileAllowance = 30;

void add(Findings& findings, const Source& source, std::size_t line, const char* check,
         std::string text) {
  findings.push_back({source.path, static_cast<unsigned>(line), check, std::move(text)});
}

/// Characters, not bytes: continuation bytes of UTF-8 do not count.
std::size_t width_of(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool is_prose(const Source& source) {
  return source.has_suffix(".md") || source.path == "LICENSE";
}

/// Names are put together here, or this file would find itself.
const std::vector<std::regex>& unfinished_words() {
  static const std::vector<std::regex> words = [] {
    std::vector<std::regex> made;
    for (const char* half : {"TO"
                             "DO",
                             "FIX"
                             "ME",
                             "X"
                             "XX",
                             "HA"
                             "CK"})
      made.emplace_back(fmt::format("\\b{}\\b", half));
    made.emplace_back(
        "not (yet )?implemented "
        "yet",
        std::regex::icase);
    made.emplace_back(
        "not yet "
        "implemented",
        std::regex::icase);
    return made;
  }();
  return words;
}

const std::regex& machine_path() {
  static const std::regex path(
      "(^|[^A-Za-z0-9_.~}])/("
      "work|tmp|home|root|Users)/");
  return path;
}

/// src/tensix/fpu/x.cpp, 1 -> "tensix"; 2 -> "fpu" when there is such a folder, else "".
std::string folder_of(const std::string& path, unsigned depth) {
  std::size_t begin = 0;
  for (unsigned i = 0; i < depth; ++i) {
    begin = path.find('/', begin);
    if (begin == std::string::npos) return {};
    ++begin;
  }
  const std::size_t end = path.find('/', begin);
  return end == std::string::npos ? std::string() : path.substr(begin, end - begin);
}

const std::map<std::string, std::set<std::string>>& direct_parts() {
  // The arrows of docs/ARCHITECTURE.md, "Parts"; CMakeLists.txt links by the same arrows.
  static const std::map<std::string, std::set<std::string>> parts = {
      {"base", {}},
      {"trace", {"base"}},
      {"mem", {"base"}},
      {"numeric", {"base"}},
      {"riscv", {"numeric", "mem"}},
      {"tensix", {"numeric", "mem", "trace"}},
      {"race", {"tensix"}},
      {"noc", {"mem", "numeric", "trace"}},
      {"dram", {"noc"}},
      {"pcie", {"noc"}},
      {"arc", {"noc"}},
      {"hazard", {"tile", "race"}},
      {"sched", {"noc"}},
      {"eth", {"mem"}},
      {"tile", {"riscv", "tensix", "noc", "eth"}},
      {"device", {"tile", "dram", "pcie", "arc", "sched"}},
      {"card", {"device"}},
      {"check", {"tile"}},
      {"host", {"device", "hazard", "check"}},
      {"debug", {"host"}},
      {"watch", {"host"}},
      {"gdb", {"debug", "watch"}},
      {"kmd", {"host", "card", "debug", "gdb"}},
      {"shim", {"kmd"}},
      {"capi", {"kmd"}},
      {"cli", {"debug", "gdb", "watch"}},
  };
  return parts;
}

/// True when one of the lines [first, last) allows `check`, and says why.
bool allows(const Source& source, std::size_t first, std::size_t last, const std::string& check) {
  const std::string wanted = "tidy: allow " + check + ": ";
  for (std::size_t i = first; i < last && i < source.lines.size(); ++i) {
    const std::size_t at = source.lines[i].find(wanted);
    if (at != std::string::npos && source.lines[i].size() > at + wanted.size()) return true;
  }
  return false;
}

bool is_allowed(const Source& source, const Finding& finding) {
  if (allows(source, 0, kWholeFileAllowance, finding.check + " in this file")) return true;
  const std::size_t last = finding.line;
  const std::size_t first = last <= kAllowanceReach ? 0 : last - 1 - kAllowanceReach;
  return last != 0 && allows(source, first, last, finding.check);
}

}  // namespace

void check_text(const Source& source, Findings& findings) {
  if (source.text.empty()) {
    add(findings, source, 0, "empty-file", "the file is empty");
    return;
  }
  if (source.text.back() != '\n') add(findings, source, 0, "last-newline", "no newline at the end");
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string& line = source.lines[i];
    if (line.empty()) continue;
    if (line.back() == '\r') add(findings, source, i + 1, "line-end", "carriage return");
    if (line.back() == ' ' || line.back() == '\t')
      add(findings, source, i + 1, "trailing-space", "blanks at the end of the line");
    if (line.find('\t') != std::string::npos && !is_prose(source) && !source.has_suffix(".S"))
      add(findings, source, i + 1, "tab", "a tab");
  }
}

void check_lengths(const Source& source, Findings& findings) {
  if (is_prose(source) || source.is_generated() || source.has_suffix(".json")) return;
  const bool is_table = source.has_suffix(".def") || source.has_suffix(".inc");
  for (std::size_t i = 0; !is_table && i < source.lines.size(); ++i)
    if (const std::size_t width = width_of(source.lines[i]); width > kLongestLine)
      add(findings, source, i + 1, "line-length",
          fmt::format("{} characters, at most {}", width, kLongestLine));
  if (!is_table && source.lines.size() > kLongestFile)
    add(findings, source, 0, "file-length",
        fmt::format("{} lines, at most {}", source.lines.size(), kLongestFile));
}

void check_words(const Source& source, Findings& findings) {
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    for (const std::regex& word : unfinished_words())
      if (std::smatch match; std::regex_search(source.lines[i], match, word))
        add(findings, source, i + 1, "unfinished", fmt::format("'{}'", match.str()));
    if (std::regex_search(source.lines[i], machine_path()))
      add(findings, source, i + 1, "machine-path", "a path of somebody's machine");
  }
}

void check_header(const Source& source, Findings& findings) {
  if (!source.has_suffix(".hpp")) return;
  if (source.lines.empty() || !source.lines[0].starts_with("// "))
    add(findings, source, 0, "header-comment", "the first line does not say what the header is");
  if (std::find(source.lines.begin(), source.lines.end(), "#pragma once") == source.lines.end())
    add(findings, source, 0, "pragma-once", "no #pragma once");
}

void check_macros(const Source& source, Findings& findings) {
  static const std::regex define("^\\s*#\\s*define\\s+(\\w+)");
  static const std::regex table("^\\s*#\\s*include\\s+\"[^\"]+\\.(def|inc)\"");
  if (!source.is_cpp() || source.path == "src/base/check.hpp") return;
  const bool includes_table =
      std::any_of(source.lines.begin(), source.lines.end(),
                  [](const std::string& line) { return std::regex_search(line, table); });
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    std::smatch match;
    // Highway is steered by macros of its own (HWY_TARGET_INCLUDE).
    if (!std::regex_search(source.lines[i], match, define) || match[1].str().starts_with("HWY_"))
      continue;
    if (!includes_table)
      add(findings, source, i + 1, "macro",
          fmt::format("{} is defined in a file that includes no table", match[1].str()));
  }
}

/// Inside src/tensix: what the folder of a unit may include of other folders beside `cfg`, `dst`,
/// `footprint` and every unit's state.hpp. A unit does not know a sibling; the front end, which
/// feeds them all, and the performance counters, which watch it, know some.
const std::map<std::string, std::set<std::string>>& tensix_arrows() {
  static const std::map<std::string, std::set<std::string>> arrows = {
      {"frontend", {"fpu", "sfpu", "sync"}},
      {"perf", {"frontend"}},
  };
  return arrows;
}

bool is_shared_in_tensix(const std::string& folder) {
  return folder == "cfg" || folder == "dst" || folder == "footprint";
}

/// `path`: of an include in a file of src/tensix.
bool is_sibling(const std::string& file, const std::string& path) {
  if (!path.starts_with("tensix/") || path.ends_with("/state.hpp")) return false;
  const std::string own = folder_of(file, 2);
  const std::string other = folder_of(path, 1);
  if (own.empty() || other.empty() || own == other || is_shared_in_tensix(other)) return false;
  const auto found = tensix_arrows().find(own);
  return found == tensix_arrows().end() || found->second.count(other) == 0;
}

std::set<std::string> allowed_parts(const std::string& part) {
  std::set<std::string> allowed;
  const auto found = direct_parts().find(part);
  if (found == direct_parts().end()) return allowed;
  allowed.insert(part);
  for (const std::string& next : found->second) allowed.merge(allowed_parts(next));
  return allowed;
}

void check_includes(const Source& source, Findings& findings) {
  static const std::regex include("^\\s*#\\s*include\\s+[\"<]([^\">]+)[\">]");
  if (!source.path.starts_with("src/")) return;
  const std::string part = folder_of(source.path, 1);
  const auto allowed = allowed_parts(part);
  if (allowed.empty()) {
    add(findings, source, 0, "dependency", fmt::format("src/{} is not a known part", part));
    return;
  }
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(source.lines[i], match, include)) continue;
    const std::string path = match[1].str();
    if (path == "iostream") add(findings, source, i + 1, "iostream", "src/ prints with fmt");
    const std::string target = folder_of(path, 0);
    if (direct_parts().count(target) != 0 && allowed.count(target) == 0)
      add(findings, source, i + 1, "dependency",
          fmt::format("{} must not know {} ({})", part, target, path));
    if (part == "tensix" && is_sibling(source.path, path))
      add(findings, source, i + 1, "sibling",
          fmt::format("{} must not know its sibling {} ({})", folder_of(source.path, 2),
                      folder_of(path, 1), path));
  }
}

void check_test_names(const Source& source, Findings& findings) {
  static const std::regex test("^\\s*(TEST|TEST_F|TEST_P|TYPED_TEST)\\(\\s*\\w+,\\s*(\\w+)\\)");
  if (!source.path.starts_with("tests/")) return;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(source.lines[i], match, test)) continue;
    const std::string name = match[2].str();
    if (std::count(name.begin(), name.end(), '_') < 2)
      add(findings, source, i + 1, "test-name", fmt::format("'{}' is not a sentence", name));
  }
}

std::vector<Finding> check(const Source& source) {
  Findings findings;
  check_text(source, findings);
  check_lengths(source, findings);
  check_words(source, findings);
  check_header(source, findings);
  check_macros(source, findings);
  check_includes(source, findings);
  check_scopes(source, findings);
  check_test_names(source, findings);
  std::erase_if(findings, [&](const Finding& finding) { return is_allowed(source, finding); });
  return findings;
}

std::vector<Finding> check_unused_headers(const std::vector<Source>& sources) {
  static const std::regex include("^\\s*#\\s*include\\s+\"([^\"]+)\"");
  std::set<std::string> included;
  for (const Source& source : sources)
    for (const std::string& line : source.lines)
      if (std::smatch match; std::regex_search(line, match, include)) included.insert(match[1]);
  Findings findings;
  for (const Source& source : sources)
    if (source.path.starts_with("src/") && source.has_suffix(".hpp") &&
        included.count(source.path.substr(4)) == 0)
      add(findings, source, 0, "unused-header", "no file includes it");
  return findings;
}

}  // namespace bhemu::tidy
