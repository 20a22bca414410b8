// The programs of tests/hangs, each broken in one way in which kernels are really broken, and its
// mended twin. The report's first line must name the cause, the user's line (marked HERE in the
// source) and the remedy; the twin must pass without a word. What is expected stands in the first
// lines of each program file, with the status where it is not that of a hang.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command.hpp"
#include "support/narrow.hpp"

namespace bhemu::test {
namespace {

const std::filesystem::path kHangs = std::filesystem::path(BHEMU_SOURCE_DIR) / "tests/hangs";

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The rest of the lines that begin with a word.
std::vector<std::string> after(const std::vector<std::string>& lines, const std::string& word) {
  std::vector<std::string> found;
  for (const std::string& line : lines)
    if (line.starts_with(word)) found.push_back(line.substr(word.size()));
  return found;
}

struct Program {
  std::string name;
  std::vector<std::string> text;

  explicit Program(std::string stem)
      : name(std::move(stem)), text(lines_of(contents(kHangs / (name + ".yaml")))) {}

  /// Those whose options name no board run on a narrow one.
  std::string options() const {
    const auto all = after(text, "# options:");
    const std::string options = all.empty() ? "" : all.front();
    return options.find("--board") != std::string::npos ? options : options + kNarrow;
  }
  /// Of `bhemu run`: 3 unless the file says something else.
  int status() const {
    const auto status = after(text, "# status: ");
    return status.empty() ? 3 : std::stoi(status.front());
  }
  /// "name.c:12", where the source says HERE; empty: nowhere.
  std::string place() const {
    const auto source = lines_of(contents(kHangs / (name + ".c")));
    for (size_t i = 0; i < source.size(); ++i)
      if (source[i].ends_with("// HERE")) return name + ".c:" + std::to_string(i + 1);
    return "";
  }
  /// The program file, wherever it lies, or its twin: other kernels, and what `# mended:` says.
  std::string file(bool mended) const {
    std::string whole;
    for (std::string line : text) {
      const size_t instead = line.find("  # mended: ");
      if (mended && instead != std::string::npos)
        line = line.substr(instead + std::string("  # mended: ").size());
      const std::string own = name + (mended ? "_mended" : "") + "/";
      replace(line, "../../kernels/", std::string(BHEMU_SOURCE_DIR) + "/kernels/");
      replace(line, " prebuilt/" + name + "/", " " + (kHangs / "prebuilt" / own).string());
      whole += line + "\n";
    }
    return whole;
  }

 private:
  static void replace(std::string& line, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = line.find(from, at)) != std::string::npos; at += to.size())
      line.replace(at, from.size(), to);
  }
};

class Hangs : public testing::TestWithParam<std::string> {};

TEST_P(Hangs, the_first_line_names_cause_and_place_and_the_next_the_remedy) {
  const Program program(GetParam());
  Scratch scratch("bhemu_hangs_test");
  const CommandResult result = bhemu(
      scratch, "run " + scratch.file("program.yaml", program.file(false)) + program.options());
  EXPECT_EQ(result.status, program.status()) << result.out << result.err;
  const auto said = lines_of(result.err);
  ASSERT_GE(said.size(), 2u) << result.out << result.err;
  EXPECT_TRUE(said[0].starts_with("First cause: ")) << result.err;
  for (const std::string& part : after(program.text, "# first: "))
    EXPECT_NE(said[0].find(part), std::string::npos) << "no '" << part << "' in\n" << result.err;
  EXPECT_NE(said[0].find(program.place()), std::string::npos) << program.place() << " is not in\n"
                                                              << result.err;
  const auto remedies = after(said, "Remedy: ");
  for (const std::string& part : after(program.text, "# remedy: "))
    EXPECT_TRUE(!remedies.empty() && remedies[0].find(part) != std::string::npos)
        << "no '" << part << "' in\n"
        << result.err;
}

TEST_P(Hangs, the_mended_twin_passes_without_a_word) {
  const Program program(GetParam());
  Scratch scratch("bhemu_hangs_test");
  const CommandResult result =
      bhemu(scratch, "run " + scratch.file("program.yaml", program.file(true)) + program.options());
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_EQ(result.err, "");
}

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kHangs))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Programs, Hangs, testing::ValuesIn(programs()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace bhemu::test
