#include "host/program/yaml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "host/suggest.hpp"

namespace bhemu::host {

std::string text_of(Mark mark) {
  return mark.line == 0 ? "" : fmt::format("{}:{}", mark.line, mark.column);
}

Mark YamlReader::mark_of(const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  if (mark.line < 0) return {1, 1};
  return {static_cast<u32>(mark.line) + 1, static_cast<u32>(mark.column) + 1};
}

void YamlReader::fail(Mark mark, const std::string& message) const {
  throw InputError(file_, text_of(mark), message);
}
void YamlReader::fail(const YAML::Node& node, const std::string& message) const {
  fail(mark_of(node), message);
}

void YamlReader::check_keys(const YAML::Node& node, const std::string& what,
                            const std::vector<std::string>& known) const {
  if (!node.IsMap()) fail(node, fmt::format("{} must be a mapping (key: value)", what));
  std::vector<std::string> seen;
  for (const auto& item : node) {
    if (!item.first.IsScalar()) fail(item.first, fmt::format("a key of {} must be a word", what));
    const std::string& key = item.first.Scalar();
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail(item.first, fmt::format("unknown key '{}' in {}{}", key, what, suggestion(key, known)));
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      fail(item.first, fmt::format("key '{}' appears twice in {}", key, what));
    seen.push_back(key);
  }
}

void YamlReader::check_sequence(const YAML::Node& node, const std::string& what) const {
  if (!node.IsSequence()) fail(node, fmt::format("{} must be a list", what));
}

std::string YamlReader::text(const YAML::Node& node, const std::string& what) const {
  if (!node.IsScalar() || node.Scalar().empty()) fail(node, fmt::format("{} must be a text", what));
  return node.Scalar();
}

u64 YamlReader::integer(const YAML::Node& node, const std::string& what, u64 low, u64 high) const {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  u64 value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (result.ec != std::errc() || result.ptr != end)
    fail(node, fmt::format("{} must be a whole number, like 12 or 0x1f", what));
  if (value < low || value > high)
    fail(node, fmt::format("{} is {}; it must be between {} and {}", what, value, low, high));
  return value;
}

double YamlReader::real(const YAML::Node& node, const std::string& what) const {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value))
    fail(node, fmt::format("{} must be a number", what));
  return value;
}

size_t YamlReader::choice(const YAML::Node& node, const std::string& what,
                          const std::vector<std::string>& names) const {
  const std::string word = text(node, what);
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end())
    fail(node, fmt::format("{} '{}' is unknown{}", what, word, suggestion(word, names)));
  return static_cast<size_t>(found - names.begin());
}

Coord YamlReader::tile(const YAML::Node& node) const {
  if (!node.IsSequence() || node.size() != 2)
    fail(node, "a tile is a pair [x, y] of translated coordinates");
  return {static_cast<u8>(integer(node[0], "x", 0, 63)),
          static_cast<u8>(integer(node[1], "y", 0, 63))};
}

ArgumentSpec YamlReader::expression(const YAML::Node& node, const std::string& what) const {
  ArgumentSpec result;
  result.text = text(node, what);
  result.mark = mark_of(node);
  try {
    result.expression = parse_expression(result.text);
  } catch (const ExpressionError& error) {
    fail({result.mark.line, result.mark.column + static_cast<u32>(error.column)},
         fmt::format("{} '{}': {}", what, result.text, error.what()));
  }
  return result;
}

YAML::Node YamlReader::required(const YAML::Node& node, const char* key,
                                const std::string& what) const {
  const YAML::Node child = node[key];
  if (!child) fail(node, fmt::format("{} lacks '{}'", what, key));
  return child;
}

}  // namespace bhemu::host
