// The check of the support matrix: tables it must object to, and the nearest it must let pass.
#include <gtest/gtest.h>

#include "support_checks.hpp"

namespace bhemu::support {
namespace {

constexpr const char* kTests = "TEST(Suite, a_sentence) {}\nTEST_P(Rows, each) { \"MAD\"; }\n";

Tables sound_tables() {
  Tables tables;
  tables.instructions = {{"ADD", "Unit", true, {{"mode", 2}, {"reg", 6}}},
                         {"OLD", "Unit", false, {}}};
  tables.operands = {"reg"};
  tables.rules = {"unit-rule"};
  tables.rows = {
      {"ADD", "mode=0-1", "adds", "", Document, "page", nullptr, "Suite.a_sentence"},
      {"ADD", "mode=2", "subtracts", "", Silicon | Experiment, "card", nullptr, "Rows.each/MAD"},
      {"ADD", "mode=3", "reserved", "", 0, "", "unit-rule", "Suite.a_sentence"},
      {"OLD", "", "unknown", "", 0, "", "unit-rule", "Suite.a_sentence"},
  };
  tables.groups = {{"area", "group", "", Document, "page", "Suite.a_sentence"}};
  return tables;
}

std::vector<std::string> problems(const Tables& tables) {
  Tests tests;
  tests.add("tests/a.cpp", kTests);
  tests.add("tools/CMakeLists.txt", "  add_test(NAME Tool.says_so COMMAND tool)\n");
  return problems_of(tables, tests);
}

using Problems = std::vector<std::string>;

TEST(Support, sound_tables_are_let_pass) {
  EXPECT_EQ(problems(sound_tables()), Problems{});
  Tables tables = sound_tables();
  tables.rows[0].tests = "Tool.says_so, Rows.each";
  EXPECT_EQ(problems(tables), Problems{});
}

TEST(Support, a_value_of_a_mode_field_without_a_row_is_found) {
  Tables tables = sound_tables();
  tables.rows[0].modes = "mode=1";
  EXPECT_EQ(problems(tables), Problems{"ADD: no row for mode = 0"});
  tables = sound_tables();
  tables.operands.clear();
  EXPECT_EQ(problems(tables).size(), 1u);
  tables.rows[0].modes = "mode=0-1 reg=*";
  EXPECT_EQ(problems(tables), Problems{});
}

TEST(Support, flags_are_covered_bit_by_bit) {
  Tables tables = sound_tables();
  tables.instructions[0].fields.push_back({"wait", 15});
  EXPECT_EQ(problems(tables).size(), 1u);
  tables.rows[0].modes = "mode=0-1 wait#0-7";
  EXPECT_EQ(problems(tables), Problems{"ADD: no row for wait # 8 9 10 11 12 13 14"});
  tables.rows[1].modes = "mode=2 wait#8,9-14";
  EXPECT_EQ(problems(tables), Problems{});
}

TEST(Support, an_instruction_without_rows_and_rows_without_an_instruction_are_found) {
  Tables tables = sound_tables();
  tables.instructions.push_back({"NEW", "Unit", true, {}});
  EXPECT_EQ(problems(tables), Problems{"NEW: no row"});
  tables = sound_tables();
  tables.rows.push_back({"GONE", "", "m", "", Document, "page", nullptr, ""});
  EXPECT_EQ(problems(tables), Problems{"GONE: there is no such instruction"});
}

TEST(Support, a_test_that_does_not_exist_is_found) {
  Tables tables = sound_tables();
  tables.rows[0].tests = "Suite.a_sentence, Suite.another";
  EXPECT_EQ(problems(tables), Problems{"ADD [mode=0-1]: there is no test Suite.another"});
  tables = sound_tables();
  tables.rows[1].tests = "Rows.each/SUB";
  EXPECT_EQ(problems(tables), Problems{"ADD [mode=2]: there is no test Rows.each/SUB"});
  tables = sound_tables();
  tables.groups[0].tests = "Suite.gone";
  EXPECT_EQ(problems(tables), Problems{"area, group: there is no test Suite.gone"});
  tables = sound_tables();
  tables.needed_groups = {"group", "other"};
  EXPECT_EQ(problems(tables), Problems{"other: no group"});
}

TEST(Support, rows_that_claim_too_much_are_found) {
  Tables tables = sound_tables();
  tables.rows[0].evidence = 0;
  EXPECT_EQ(problems(tables), Problems{"ADD [mode=0-1]: has no evidence"});
  tables = sound_tables();
  tables.rows[2].rule = "unit-law";
  EXPECT_EQ(problems(tables), Problems{"ADD [mode=3]: there is no rule unit-law"});
  tables = sound_tables();
  tables.rows[2].tests = "";
  EXPECT_EQ(problems(tables), Problems{"ADD [mode=3]: no test sees the rule raised"});
  tables = sound_tables();
  tables.rows[3].rule = nullptr;
  EXPECT_EQ(problems(tables).size(), 2u);
}

TEST(Support, modes_that_cannot_be_read_are_found) {
  for (const char* modes :
       {"mode", "mode=", "mode=4", "mode=2-1", "mood=1", "mode=0-1,x", "mode#2"}) {
    Tables tables = sound_tables();
    tables.rows[0].modes = modes;
    EXPECT_NE(problems(tables), Problems{}) << modes;
  }
}

}  // namespace
}  // namespace bhemu::support
