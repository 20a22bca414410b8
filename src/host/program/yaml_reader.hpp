// yaml-cpp with manners: every complaint names line and column, unknown and repeated keys are
// complaints, scalars are read strictly.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <string>
#include <vector>

#include "host/error.hpp"
#include "host/program/program.hpp"

namespace bhemu::host {

class YamlReader {
 public:
  explicit YamlReader(std::string file) : file_(std::move(file)) {}
  const std::string& file() const { return file_; }

  [[noreturn]] void fail(Mark mark, const std::string& message) const;
  [[noreturn]] void fail(const YAML::Node& node, const std::string& message) const;
  static Mark mark_of(const YAML::Node& node);

  /// Throws unless `node` is a mapping with only these keys, each once.
  void check_keys(const YAML::Node& node, const std::string& what,
                  const std::vector<std::string>& known) const;
  void check_sequence(const YAML::Node& node, const std::string& what) const;

  std::string text(const YAML::Node& node, const std::string& what) const;
  u64 integer(const YAML::Node& node, const std::string& what, u64 low, u64 high) const;
  double real(const YAML::Node& node, const std::string& what) const;
  /// The index of the scalar among `names`.
  size_t choice(const YAML::Node& node, const std::string& what,
                const std::vector<std::string>& names) const;
  Coord tile(const YAML::Node& node) const;
  ArgumentSpec expression(const YAML::Node& node, const std::string& what) const;
  /// The child `key` of a mapping; complains about the mapping when it is not there.
  YAML::Node required(const YAML::Node& node, const char* key, const std::string& what) const;

 private:
  std::string file_;
};

}  // namespace bhemu::host
