// A class that lists its parts, so that saving, hashing and resetting cannot forget one.
#include <fmt/format.h>

#include <regex>

#include "tidy_checks.hpp"

namespace bhemu::tidy {
namespace {

constexpr const char* kCheck = "parts";
constexpr std::string_view kNotListed = "// Not listed:";

struct Member {
  std::string name;
  unsigned line = 0;
};

/// Of the class `name`; a line of code that ends with a name, perhaps with a value, and a
/// semicolon.
std::vector<Member> members_of(const Source& header, const std::string& name) {
  static const std::regex member("[\\w>*&\\]] (\\w+_)( = .*|\\{.*\\})?;$");
  const std::regex begin("^class " + name + "\\b(?!.*;)");
  std::vector<Member> members;
  bool inside = false;
  for (std::size_t i = 0; i < header.code.size(); ++i) {
    std::string line = header.code[i];
    line.erase(line.find_last_not_of(' ') + 1);
    if (std::regex_search(line, begin)) inside = true;
    if (line == "};") inside = false;
    std::smatch match;
    if (inside && std::regex_search(line, match, member))
      members.push_back({match[1], static_cast<unsigned>(i + 1)});
  }
  return members;
}

/// Names after "Not listed:", to the end of that comment.
std::set<std::string> not_listed(const Source& source) {
  static const std::regex word("\\w+_\\b");
  std::set<std::string> names;
  bool inside = false;
  for (const std::string& line : source.lines) {
    const std::size_t begin = line.find_first_not_of(' ');
    const bool comment = begin != std::string::npos && line.compare(begin, 2, "//") == 0;
    inside = comment && (inside || line.compare(begin, kNotListed.size(), kNotListed) == 0);
    if (!inside) continue;
    for (auto it = std::sregex_iterator(line.begin(), line.end(), word);
         it != std::sregex_iterator(); ++it)
      names.insert(it->str());
  }
  return names;
}

bool mentions(const Source& source, const std::string& name) {
  const std::regex use("\\." + name + "\\b");
  for (const std::string& line : source.code)
    if (std::regex_search(line, use)) return true;
  return false;
}

void check_list(const Source& list, const Source& header, const std::string& name,
                Findings& findings) {
  const std::vector<Member> members = members_of(header, name);
  if (members.empty()) return;  // another class's header
  std::set<std::string> left = not_listed(list);
  for (const Member& member : members) {
    if (left.erase(member.name) != 0 || mentions(list, member.name)) continue;
    findings.push_back(
        {header.path, member.line, kCheck,
         fmt::format("'{}' is neither among the parts in {} nor under \"Not listed:\"", member.name,
                     list.path)});
  }
  for (const std::string& other : left)
    findings.push_back({list.path, 0, kCheck, fmt::format("'{}' is no member of {}", other, name)});
}

}  // namespace

std::vector<Finding> check_parts(const std::vector<Source>& sources) {
  static const std::regex parts("^struct (\\w+)::Parts \\{");
  Findings findings;
  for (const Source& list : sources) {
    if (!list.path.starts_with("src/")) continue;
    for (const std::string& line : list.code) {
      std::smatch match;
      if (!std::regex_search(line, match, parts)) continue;
      const std::string folder = list.path.substr(0, list.path.rfind('/') + 1);
      for (const Source& header : sources)
        if (header.has_suffix(".hpp") && header.path.starts_with(folder))
          check_list(list, header, match[1], findings);
    }
  }
  return findings;
}

}  // namespace bhemu::tidy
