// The tables of rules: each has a name, a sentence and what to do about it.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/fault.hpp"

namespace bhemu {
namespace {

TEST(Rules, each_has_a_name_of_its_own_a_sentence_and_a_remedy) {
  std::set<std::string> names;
  for (unsigned i = 0; i < kRules; ++i) {
    const auto rule = static_cast<Rule>(i);
    const RuleInfo& info = info_of(rule);
    const std::string summary = info.summary;
    const std::string remedy = remedy_of(rule) != nullptr ? remedy_of(rule) : "";
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is there twice";
    EXPECT_EQ(rule_named(info.name), rule) << info.name;
    EXPECT_TRUE(summary.ends_with(".")) << info.name << ": " << summary;
    EXPECT_GE(remedy.size(), 10u) << info.name << " has no remedy";
    EXPECT_FALSE(remedy.ends_with(".")) << info.name << ": " << remedy;
  }
}

}  // namespace
}  // namespace bhemu
