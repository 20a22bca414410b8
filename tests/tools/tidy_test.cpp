// Every check of tools/tidy: a text it must object to, and the nearest text it must let pass.
#include <gtest/gtest.h>

#include "tidy_checks.hpp"

namespace bhemu::tidy {
namespace {

/// The checks that object, each once, in the order of their findings.
std::vector<std::string> objections(const std::string& path, const std::string& text) {
  std::vector<std::string> names;
  for (const Finding& finding : check(make_source(path, text)))
    if (names.empty() || names.back() != finding.check) names.push_back(finding.check);
  return names;
}

using Names = std::vector<std::string>;

std::string function_of(unsigned lines, const std::string& before = "") {
  std::string text = before + "void work() {\n";
  for (unsigned i = 0; i + 2 < lines; ++i) text += "  step();\n";
  return text + "}\n";
}

TEST(Tidy, a_plain_file_is_let_pass) {
  EXPECT_EQ(objections("src/base/a.cpp", "int twice(int a) { return 2 * a; }\n"), Names{});
}

TEST(Tidy, lines_are_counted_in_characters_and_end_at_100) {
  EXPECT_EQ(objections("src/base/a.cpp", "// " + std::string(97, 'x') + "\n"), Names{});
  EXPECT_EQ(objections("src/base/a.cpp", "// " + std::string(98, 'x') + "\n"),
            Names{"line-length"});
  std::string umlauts = "// ";
  for (int i = 0; i < 97; ++i) umlauts += "\xC3\xA4";
  EXPECT_EQ(objections("src/base/a.cpp", umlauts + "\n"), Names{});
  EXPECT_EQ(objections("src/base/rules.def", "// " + std::string(200, 'x') + "\n"), Names{});
}

TEST(Tidy, a_function_fits_seventy_lines) {
  EXPECT_EQ(objections("src/base/a.cpp", function_of(70)), Names{});
  EXPECT_EQ(objections("src/base/a.cpp", function_of(71)), Names{"function-length"});
  EXPECT_EQ(objections("src/base/a.cpp", "namespace a {\n" + function_of(71) + "}\n"),
            Names{"function-length"});
  EXPECT_EQ(objections("src/base/a.cpp", "struct A {\n" + function_of(71) + "};\n"),
            Names{"function-length"});
}

TEST(Tidy, a_long_initializer_is_no_function) {
  std::string text = "constexpr int kTable[] = {\n";
  for (int i = 0; i < 100; ++i) text += "    1,\n";
  EXPECT_EQ(objections("src/base/a.cpp", text + "};\n"), Names{});
}

TEST(Tidy, an_allowance_needs_a_reason) {
  const std::string allow = "// tidy: allow function-length: one case per opcode\n";
  EXPECT_EQ(objections("src/base/a.cpp", function_of(71, allow)), Names{});
  EXPECT_EQ(objections("src/base/a.cpp", function_of(71, "// tidy: allow function-length: \n")),
            (Names{"trailing-space", "function-length"}));
  const std::string far(500, '\n');
  EXPECT_EQ(objections("src/base/a.cpp", allow + far + function_of(71)), Names{"function-length"});
  const std::string file = "// tidy: allow function-length in this file: generated shapes\n";
  EXPECT_EQ(objections("src/base/a.cpp", file + far + function_of(71)), Names{});
}

TEST(Tidy, a_file_fits_six_hundred_lines) {
  std::string text;
  for (int i = 0; i < 600; ++i) text += "// a\n";
  EXPECT_EQ(objections("src/base/a.cpp", text), Names{});
  EXPECT_EQ(objections("src/base/a.cpp", text + "// a\n"), Names{"file-length"});
  EXPECT_EQ(objections("src/base/a.def", text + "// a\n"), Names{});
}

TEST(Tidy, unfinished_work_and_machine_paths_are_found) {
  EXPECT_EQ(objections("docs/a.md", std::string("a TO") + "DO\n"), Names{"unfinished"});
  EXPECT_EQ(objections("docs/a.md", "the mastodon is to do it\n"), Names{});
  EXPECT_EQ(objections("docs/a.md", std::string("see /ho") + "me/me/x\n"), Names{"machine-path"});
  EXPECT_EQ(objections("docs/a.md", "see docs/home/x\n"), Names{});
}

TEST(Tidy, ends_of_files_and_lines_are_clean) {
  EXPECT_EQ(objections("src/base/a.cpp", "int a();"), Names{"last-newline"});
  EXPECT_EQ(objections("src/base/a.cpp", "int a(); \n"), Names{"trailing-space"});
  EXPECT_EQ(objections("src/base/a.cpp", "\tint a();\n"), Names{"tab"});
  EXPECT_EQ(objections("src/base/a.cpp", ""), Names{"empty-file"});
}

TEST(Tidy, a_header_says_what_it_is_and_is_read_once) {
  EXPECT_EQ(objections("src/base/a.hpp", "// A thing.\n#pragma once\n"), Names{});
  EXPECT_EQ(objections("src/base/a.hpp", "#pragma once\n"), Names{"header-comment"});
  EXPECT_EQ(objections("src/base/a.hpp", "// A thing.\n"), Names{"pragma-once"});
}

TEST(Tidy, macros_live_with_their_tables) {
  EXPECT_EQ(objections("src/base/a.cpp", "#define A 1\n"), Names{"macro"});
  EXPECT_EQ(objections("src/base/a.cpp", "#define A 1\n#include \"base/a.def\"\n#undef A\n"),
            Names{});
  EXPECT_EQ(objections("src/base/check.hpp", "// C.\n#pragma once\n#define CHECK(a) (a)\n"),
            Names{});
}

TEST(Tidy, dependencies_point_one_way) {
  EXPECT_EQ(objections("src/tile/a.cpp", "#include \"riscv/core.hpp\"\n"), Names{});
  EXPECT_EQ(objections("src/tile/a.cpp", "#include \"base/types.hpp\"\n"), Names{});
  EXPECT_EQ(objections("src/riscv/a.cpp", "#include \"tile/tile.hpp\"\n"), Names{"dependency"});
  EXPECT_EQ(objections("src/sched/a.cpp", "#include \"tile/tile.hpp\"\n"), Names{"dependency"});
  EXPECT_EQ(objections("src/dram/a.cpp", "#include \"pcie/pcie.hpp\"\n"), Names{"dependency"});
  EXPECT_EQ(objections("src/nowhere/a.cpp", "int a();\n"), Names{"dependency"});
  EXPECT_EQ(objections("src/cli/a.cpp", "#include <iostream>\n"), Names{"iostream"});
}

TEST(Tidy, a_unit_of_the_coprocessor_does_not_know_its_siblings) {
  EXPECT_EQ(objections("src/tensix/pack/a.cpp", "#include \"tensix/fpu/kernels.hpp\"\n"),
            Names{"sibling"});
  EXPECT_EQ(objections("src/tensix/sync/a.cpp", "#include \"tensix/frontend/gate.hpp\"\n"),
            Names{"sibling"});
  EXPECT_EQ(objections("src/tensix/pack/a.cpp", "#include \"tensix/fpu/state.hpp\"\n"), Names{});
  EXPECT_EQ(objections("src/tensix/pack/a.cpp", "#include \"tensix/dst/rwc.hpp\"\n"), Names{});
  EXPECT_EQ(objections("src/tensix/pack/a.cpp", "#include \"tensix/context.hpp\"\n"), Names{});
  EXPECT_EQ(objections("src/tensix/frontend/a.cpp", "#include \"tensix/sync/sync.hpp\"\n"),
            Names{});
  EXPECT_EQ(objections("src/tensix/coprocessor.cpp", "#include \"tensix/fpu/kernels.hpp\"\n"),
            Names{});
}

TEST(Tidy, variables_belong_to_objects) {
  EXPECT_EQ(objections("src/base/a.cpp", "int counter = 0;\n"), Names{"global"});
  EXPECT_EQ(objections("src/base/a.cpp", "namespace {\nstd::mutex lock;\n}\n"), Names{"global"});
  EXPECT_EQ(objections("src/base/a.cpp", "std::array<int, 3> a{};\n"), Names{"global"});
  EXPECT_EQ(objections("src/base/a.cpp", "void f() { static int calls = 0; }\n"), Names{"global"});
  EXPECT_EQ(objections("src/base/a.cpp", "struct A { static int n; };\n"), Names{"global"});
  EXPECT_EQ(objections("src/base/a.cpp",
                       "struct A { int n; std::array<int, 2> m{}; static A make(); };\n"
                       "constexpr int kA = 1;\n"
                       "const std::array<int, 2> kB = {1, 2};\n"
                       "using B = int;\n"
                       "enum class C { X, Y };\n"
                       "void f() { static const int kOnce = 1; int b = kOnce; }\n"
                       "template <class T>\nT twice(T t) { return t + t; }\n"),
            Names{});
}

TEST(Tidy, comments_and_literals_are_no_code) {
  EXPECT_EQ(objections("src/base/a.cpp",
                       "// int counter = 0;\n"
                       "/* int other = 0;\n{ */\n"
                       "const char* text() { return \"{ int third = 0; \\\"\"; }\n"
                       "char brace() { return '{'; }\n"
                       "const char* raw() { return R\"x({\n int fourth; )\")x\"; }\n"
                       "int million() { return 1'000'000; }\n"),
            Names{});
}

TEST(Tidy, test_names_are_sentences) {
  const std::string open = "TEST(";
  EXPECT_EQ(objections("tests/base/a.cpp", open + "Bits, works) {}\n"), Names{"test-name"});
  EXPECT_EQ(objections("tests/base/a.cpp", open + "Bits, takes_a_field_out) {}\n"), Names{});
}

TEST(Tidy, a_header_that_nobody_includes_is_found) {
  const std::vector<Source> sources = {
      make_source("src/base/a.hpp", "// A.\n#pragma once\n"),
      make_source("src/base/b.hpp", "// B.\n#pragma once\n"),
      make_source("tests/base/b.cpp", "#include \"base/b.hpp\"\n"),
  };
  const auto findings = check_unused_headers(sources);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].path, "src/base/a.hpp");
}

TEST(Tidy, a_member_without_a_row_in_the_list_of_parts_is_found) {
  const std::string list =
      "// Not listed: what is made once (made_,\n// gone_).\n"
      "struct A::Parts {\n  void each(A& a) { visit(a.saved_); }\n};\n";
  const std::vector<Source> sources = {
      make_source("src/tile/a.hpp",
                  "// A.\nclass A final : public B {\n public:\n  void run();\n private:\n"
                  "  int made_ = 1;\n  std::array<int, 3> saved_;\n  bool forgotten_{};\n};\n"),
      make_source("src/tile/b.hpp", "// B.\nclass B {\n  int other_;\n};\n"),
      make_source("src/tile/parts.cpp", list),
  };
  const auto findings = check_parts(sources);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].path, "src/tile/a.hpp");
  EXPECT_EQ(findings[0].line, 8u);
  EXPECT_EQ(findings[1].text, "'gone_' is no member of A");
}

}  // namespace
}  // namespace bhemu::tidy
