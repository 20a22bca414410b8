#include "host/program/expression.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "host/boot/prepared.hpp"

namespace bhemu::host {
namespace {

Scope scope() {
  return {[](const ExpressionNode& node) -> i64 {
            if (node.name == "a.b") return 10;
            throw ExpressionError(node.column, "unknown " + node.name);
          },
          [](const ExpressionNode& node, const std::vector<Value>& values) -> i64 {
            if (node.name == "twice") return 2 * values.at(0).integer;
            throw ExpressionError(node.column, "unknown " + node.name);
          }};
}
u32 word(const char* text) {
  return evaluate_word(parse_expression(text), scope());
}

size_t error_column(const char* text) {
  try {
    word(text);
  } catch (const ExpressionError& error) {
    return error.column;
  }
  return 9999;
}

TEST(Expression, arithmetic_has_the_usual_precedence) {
  EXPECT_EQ(word("1 + 2 * 3"), 7u);
  EXPECT_EQ(word("(1 + 2) * 3"), 9u);
  EXPECT_EQ(word("20 - 3 - 2"), 15u);
  EXPECT_EQ(word("100 / 7 % 4"), 2u);
  EXPECT_EQ(word("-2 * -3"), 6u);
  EXPECT_EQ(word("0x10 + 0Xff"), 0x10Fu);
}

TEST(Expression, negative_words_are_twos_complement) {
  EXPECT_EQ(word("-1"), 0xFFFFFFFFu);
  EXPECT_EQ(word("-0x7fffffff - 1"), 0x80000000u);
  EXPECT_EQ(error_column("-0x80000001"), 0u);
  EXPECT_EQ(error_column("0x100000000"), 0u);
}

TEST(Expression, names_and_functions_come_from_the_scope) {
  EXPECT_EQ(word("a.b + 1"), 11u);
  EXPECT_EQ(word("twice(a.b) - 1"), 19u);
  EXPECT_EQ(word("max(3, min(a.b, 7))"), 7u);
  EXPECT_EQ(error_column("1 + a.c"), 4u);
}

TEST(Expression, floats_need_to_be_made_words) {
  EXPECT_EQ(word("float(1.5)"), 0x3FC00000u);
  EXPECT_EQ(word("float(1)"), 0x3F800000u);
  EXPECT_EQ(word("float(-1.5e1)"), 0xC1700000u);
  EXPECT_EQ(word("float(1 / 4.0)"), 0x3E800000u);
  EXPECT_EQ(word("bf16(1.5)"), 0x3FC0u);
  EXPECT_EQ(error_column("1.5"), 0u);
}

TEST(Expression, mistakes_name_their_column) {
  EXPECT_EQ(error_column("1 +"), 3u);
  EXPECT_EQ(error_column("1 2"), 2u);
  EXPECT_EQ(error_column("(1"), 2u);
  EXPECT_EQ(error_column("1 / 0"), 2u);
  EXPECT_EQ(error_column("12abc"), 2u);
  EXPECT_EQ(error_column("a..b"), 4u);
  EXPECT_EQ(error_column("$"), 0u);
  EXPECT_EQ(error_column(""), 0u);
  EXPECT_EQ(error_column("float(1, 2)"), 0u);
  EXPECT_EQ(error_column("9223372036854775807 + 1"), 20u);
  EXPECT_EQ(error_column("99999999999999999999"), 0u);
}

TEST(Expression, deep_nesting_is_refused_instead_of_overflowing_the_stack) {
  const std::string open(100000, '(');
  EXPECT_THROW(parse_expression(open), ExpressionError);
  EXPECT_THROW(parse_expression(std::string(100000, '-') + "1"), ExpressionError);
  std::string chain = "1";
  for (int i = 0; i < 100000; ++i) chain += "+1";
  EXPECT_THROW(parse_expression(chain), ExpressionError);
}

class Elementwise : public testing::Test {
 protected:
  Tensor evaluate(const char* text, DType dtype, Rounding rounding = Rounding::NearestEven) {
    Tensor result = make_tensor(dtype, input_.shape);
    evaluate_tensor(
        parse_expression(text),
        [this](const std::string& name) { return name == "x" ? &input_ : nullptr; }, rounding,
        result);
    return result;
  }
  void set(DType dtype, std::vector<u32> bits) {
    input_ = make_tensor(dtype, {bits.size()});
    for (size_t i = 0; i < bits.size(); ++i) input_.set_bits(i, bits[i]);
  }
  Tensor input_;
};

TEST_F(Elementwise, bf16_is_computed_in_fp32_and_rounded_once) {
  set(DType::Bf16, {0x3F80, 0x4000, 0xBFC0});
  const Tensor sum = evaluate("x + 1.5", DType::Bf16);
  EXPECT_EQ(sum.value_at(0), 2.5);
  EXPECT_EQ(sum.value_at(1), 3.5);
  EXPECT_EQ(sum.bits_at(2), 0u);
  // 1 + 2^-8 is a tie in bf16; twice rounded it would stay 1, once it is 1 + 2^-7.
  EXPECT_EQ(evaluate("x + 0.00390625 + 0.00390625", DType::Bf16).bits_at(0), 0x3F81u);
  EXPECT_EQ(evaluate("x + 0.00390625", DType::Bf16).bits_at(0), 0x3F80u);
  EXPECT_EQ(evaluate("x + 0.00390625", DType::Bf16, Rounding::Away).bits_at(0), 0x3F81u);
  EXPECT_EQ(evaluate("x + 0.007", DType::Bf16, Rounding::Truncate).bits_at(0), 0x3F80u);
}

TEST_F(Elementwise, integers_wrap_around) {
  set(DType::Int32, {0x7FFFFFFF, 0x80000000, 7});
  const Tensor sum = evaluate("x + 1", DType::Int32);
  EXPECT_EQ(sum.bits_at(0), 0x80000000u);
  EXPECT_EQ(evaluate("x * 2 - 1", DType::Int32).bits_at(1), 0xFFFFFFFFu);
  EXPECT_EQ(evaluate("relu(x)", DType::Int32).bits_at(1), 0u);
  EXPECT_EQ(evaluate("x % 4", DType::Int32).bits_at(2), 3u);
}

TEST_F(Elementwise, functions_are_worked_out_exactly_and_rounded_once) {
  set(DType::Fp32, {0x3F000000, 0, 0xC0000000});                        // 1/2, 0, -2
  EXPECT_EQ(evaluate("erf(x)", DType::Fp32).bits_at(0), 0x3F053F7Bu);   // 0.520499878
  EXPECT_EQ(evaluate("tanh(x)", DType::Fp32).bits_at(0), 0x3EEC9A9Fu);  // 0.462117157
  EXPECT_EQ(evaluate("tanh(x)", DType::Fp32).bits_at(2), 0xBF76CA83u);  // -0.964027580
  EXPECT_EQ(evaluate("exp(x) - 1", DType::Fp32).bits_at(1), 0u);
}

TEST_F(Elementwise, floats_become_integers_as_the_expression_says) {
  set(DType::Fp32, {0x40200000, 0xC0200000, 0x40700000});  // 2.5, -2.5, 3.75
  EXPECT_EQ(evaluate("round(x)", DType::Int32).bits_at(0), 3u);
  EXPECT_EQ(evaluate("round(x)", DType::Int32).bits_at(1), ~2u);
  EXPECT_EQ(evaluate("truncate(x)", DType::Int32).bits_at(1), ~1u);
  EXPECT_EQ(evaluate("truncate(x * 2) + 1", DType::Int32).bits_at(2), 8u);
  EXPECT_EQ(evaluate("truncate(x)", DType::Fp32).value_at(2), 3.0);
  EXPECT_THROW(evaluate("truncate(x / 0)", DType::Int32), ExpressionError);
}

TEST(Comparison, tolerances_are_a_constant_part_and_a_part_of_the_expected_value) {
  Tensor expected = make_tensor(DType::Fp32, {2});
  Tensor actual = expected;
  expected.set_bits(0, 0x42C80000);  // 100
  actual.set_bits(0, 0x42CA0000);    // 101
  actual.set_bits(1, 0x3E800000);    // 1/4 for 0
  EXPECT_EQ(compare_tensors(actual, expected, {}).wrong, 2u);
  EXPECT_EQ(compare_tensors(actual, expected, {0.25, 0}).wrong, 1u);
  EXPECT_EQ(compare_tensors(actual, expected, {0, 0.01}).wrong, 1u);
  EXPECT_EQ(compare_tensors(actual, expected, {0.25, 0.0075}).wrong, 0u);
  EXPECT_EQ(compare_tensors(actual, expected, {0.25, 0.0074}).wrong, 1u);
}

TEST_F(Elementwise, what_makes_no_sense_is_refused) {
  set(DType::Bf16, {0x3F80});
  EXPECT_THROW(evaluate("y + 1", DType::Bf16), ExpressionError);
  EXPECT_THROW(evaluate("x % 2", DType::Bf16), ExpressionError);
  EXPECT_THROW(evaluate("x + 1", DType::Int32), ExpressionError);
  EXPECT_THROW(evaluate("sin(x)", DType::Bf16), ExpressionError);
  set(DType::Int32, {0});
  EXPECT_THROW(evaluate("1 / x", DType::Int32), ExpressionError);
  EXPECT_THROW(evaluate("x + 0.5", DType::Int32), ExpressionError);
}

class Matrices : public testing::Test {
 protected:
  static Tensor matrix(std::vector<u64> shape, const std::vector<u32>& values) {
    Tensor tensor = make_tensor(DType::Int32, std::move(shape));
    for (size_t i = 0; i < values.size(); ++i) tensor.set_bits(i, values[i]);
    return tensor;
  }
  std::vector<u32> evaluate(const char* text, std::vector<u64> shape) {
    Tensor result = make_tensor(DType::Int32, std::move(shape));
    evaluate_tensor(
        parse_expression(text), [this](const std::string& name) { return name == "a" ? &a_ : &b_; },
        Rounding::NearestEven, result);
    std::vector<u32> values;
    for (u64 i = 0; i < result.elements(); ++i) values.push_back(result.bits_at(i));
    return values;
  }
  using Words = std::vector<u32>;
  const Tensor a_ = matrix({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b_ = matrix({3, 2}, {1, ~0u, 2, 0, 3, 1});
};

TEST_F(Matrices, products_and_transposes_follow_their_definition) {
  EXPECT_EQ(evaluate("matmul(a, b)", {2, 2}), (Words{14, 2, 32, 2}));
  EXPECT_EQ(evaluate("transpose(a)", {3, 2}), (Words{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(evaluate("transpose(matmul(a, b)) * 2", {2, 2}), (Words{28, 64, 4, 4}));
}

TEST_F(Matrices, reductions_go_over_rows_columns_or_everything) {
  EXPECT_EQ(evaluate("sum(a)", {1, 1}), (Words{21}));
  EXPECT_EQ(evaluate("sum(a, 0)", {1, 3}), (Words{5, 7, 9}));
  EXPECT_EQ(evaluate("sum(a, 1)", {2, 1}), (Words{6, 15}));
  EXPECT_EQ(evaluate("largest(b)", {1, 1}), (Words{3}));
  EXPECT_EQ(evaluate("largest(b, 0)", {1, 2}), (Words{3, 1}));
  EXPECT_EQ(evaluate("largest(b, 1)", {3, 1}), (Words{1, 2, 3}));
}

TEST_F(Matrices, a_single_row_or_column_is_repeated) {
  EXPECT_EQ(evaluate("a - sum(a, 1)", {2, 3}), (Words{~4u, ~3u, ~2u, ~10u, ~9u, ~8u}));
  EXPECT_EQ(evaluate("sum(a, 0) + a", {2, 3}), (Words{6, 9, 12, 9, 12, 15}));
  EXPECT_EQ(evaluate("largest(a, 1) * largest(a, 0)", {2, 3}), (Words{12, 15, 18, 24, 30, 36}));
}

TEST_F(Matrices, shapes_that_do_not_fit_are_refused) {
  EXPECT_THROW(evaluate("matmul(a, a)", {2, 3}), ExpressionError);
  EXPECT_THROW(evaluate("a + b", {2, 3}), ExpressionError);
  EXPECT_THROW(evaluate("transpose(a)", {2, 3}), ExpressionError);
  EXPECT_THROW(evaluate("sum(a, 2)", {2, 1}), ExpressionError);
  EXPECT_THROW(evaluate("sum(a, b)", {2, 1}), ExpressionError);
  EXPECT_THROW(evaluate("sum(1)", {1, 1}), ExpressionError);
}

}  // namespace
}  // namespace bhemu::host
