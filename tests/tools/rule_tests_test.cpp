// Every rule has a test that breaks it and one that nearly does: rule_tests.def says which, and
// here it is held against the rules that there are and the tests that there are.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "base/fault.hpp"

namespace bhemu::test {
namespace {

namespace fs = std::filesystem;

const fs::path kTests = fs::path(BHEMU_SOURCE_DIR) / "tests";
const fs::path kPython = fs::path(BHEMU_SOURCE_DIR) / "python/tests";

struct Row {
  Rule rule;
  const char* enumerator;
  std::string breaks;
  std::string nearly;  // empty: the rule refuses a thing as a whole
};
const Row kRows[] = {
#define RULE_TESTED(enumerator, breaks, nearly) {Rule::enumerator, #enumerator, breaks, nearly},
#define RULE_REFUSES(enumerator, breaks) {Rule::enumerator, #enumerator, breaks, ""},
#include "rule_tests.def"
#undef RULE_TESTED
#undef RULE_REFUSES
};

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The text of each test and of the file that it stands in, by the name that rows use.
struct Known {
  std::string body;
  std::string file;
};
class Tests {
 public:
  Tests() {
    for (const auto& entry : fs::recursive_directory_iterator(kTests))
      if (entry.path().extension() == ".cpp") read(text_of(entry.path()));
    for (const auto& entry : fs::directory_iterator(kPython))
      if (entry.path().extension() == ".py") read_python(entry.path());
    for (const auto& entry : fs::directory_iterator(kTests / "hangs"))
      if (entry.path().extension() == ".yaml") {
        const std::string text = text_of(entry.path());
        known_["hangs/" + entry.path().stem().string()] = {text, text};
      }
  }
  const Known* find(const std::string& name) const {
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : &found->second;
  }

 private:
  void read(const std::string& text) {
    static const std::regex kTest(R"(TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\))");
    add(text, kTest, [](const std::smatch& match) { return match.str(1) + "." + match.str(2); });
  }
  void read_python(const fs::path& file) {
    static const std::regex kTest(R"(\ndef (test_\w+)\()");
    const std::string prefix = "python/" + file.stem().string() + ".";
    add(text_of(file), kTest, [&](const std::smatch& match) { return prefix + match.str(1); });
  }
  template <class Name>
  void add(const std::string& text, const std::regex& test, Name name) {
    std::string last;
    auto begin = text.begin();
    const auto end_last = [&](std::string::const_iterator end) {
      if (!last.empty()) known_[last] = {std::string(begin, end), text};
    };
    for (std::sregex_iterator at(text.begin(), text.end(), test), end; at != end; ++at) {
      end_last((*at)[0].first);
      last = name(*at);
      begin = (*at)[0].first;
    }
    end_last(text.end());
  }

  std::map<std::string, Known> known_;
};

TEST(RuleTests, each_rule_has_one_row_and_each_row_a_rule) {
  std::map<Rule, int> rows;
  for (const Row& row : kRows) ++rows[row.rule];
  for (unsigned i = 0; i < kRules; ++i) {
    const auto rule = static_cast<Rule>(i);
    EXPECT_EQ(rows[rule], 1) << info_of(rule).name
                             << ": add its tests to tests/tools/rule_tests.def";
  }
}

TEST(RuleTests, the_tests_of_each_row_are_there_and_know_the_rule) {
  const Tests tests;
  for (const Row& row : kRows) {
    const std::string name = info_of(row.rule).name;
    const Known* const breaks = tests.find(row.breaks);
    ASSERT_NE(breaks, nullptr) << name << ": there is no " << row.breaks;
    const bool known =
        breaks->file.find("Rule::" + std::string(row.enumerator)) != std::string::npos ||
        breaks->file.find(name) != std::string::npos;
    EXPECT_TRUE(known) << name << " is nowhere in the file of " << row.breaks;
    if (row.nearly.empty()) continue;
    EXPECT_NE(tests.find(row.nearly), nullptr) << name << ": there is no " << row.nearly;
  }
}

TEST(RuleTests, a_test_that_is_both_expects_silence_somewhere) {
  const Tests tests;
  const std::regex silence(
      R"(EXPECT_FALSE|EXPECT_EQ\([^;]*fault|\bempty\(\)|Rule::Count|silent|, 0u\)|Outcome::Ok)");
  for (const Row& row : kRows) {
    const Known* const known = tests.find(row.nearly);
    if (row.nearly != row.breaks || known == nullptr || row.nearly.starts_with("hangs/")) continue;
    EXPECT_TRUE(std::regex_search(known->body, silence))
        << info_of(row.rule).name << ": " << row.nearly << " expects no silence";
  }
}

TEST(RuleTests, programs_that_break_a_rule_have_a_mended_twin) {
  for (const Row& row : kRows) {
    if (!row.nearly.starts_with("hangs/")) continue;
    const std::string name = row.nearly.substr(6);
    const bool other_kernels = fs::exists(kTests / "hangs/prebuilt" / (name + "_mended"));
    const bool other_lines =
        text_of(kTests / "hangs" / (name + ".yaml")).find("# mended: ") != std::string::npos;
    EXPECT_TRUE(other_kernels || other_lines) << name;
  }
}

}  // namespace
}  // namespace bhemu::test
