// Runs the bhemu command as a user would and keeps what it said.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace bhemu::test {

struct CommandResult {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A directory of the test's own, removed at the end.
class Scratch {
 public:
  explicit Scratch(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / (name + "." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

inline CommandResult shell(const Scratch& scratch, const std::string& command) {
  const std::string errors = (scratch.path() / "stderr").string();
  CommandResult result;
  std::FILE* pipe = ::popen((command + " 2>" + errors).c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    result.out.append(buffer, count);
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.err = contents(errors);
  return result;
}

inline CommandResult bhemu(const Scratch& scratch, const std::string& arguments) {
  return shell(scratch, std::string(BHEMU_BINARY_DIR) + "/bin/bhemu " + arguments);
}

}  // namespace bhemu::test
