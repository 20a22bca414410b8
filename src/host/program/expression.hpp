// The small language of program files: arguments such as `split.start(input.tiles)` and expected
// results such as `input + 1.5`.
//
//   expression = term { ("+" | "-") term }          term  = factor { ("*" | "/" | "%") factor }
//   factor     = "-" factor | "(" expression ")" | number | name [ "(" [ expression { "," ... } ]
//   ")" ] name       = word { "." word }                  number = 12 | 0x1F | 1.5 | 2e-3
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/program/tensor.hpp"

namespace bhemu::host {

/// `column` counts from 0 within the expression's text.
struct ExpressionError : std::runtime_error {
  ExpressionError(size_t column, const std::string& message)
      : std::runtime_error(message), column(column) {}
  size_t column;
};

struct ExpressionNode {
  enum class Kind : u8 { Integer, Real, Name, Call, Negate, Binary };
  Kind kind = Kind::Integer;
  i64 integer = 0;
  double real = 0;
  char operation = 0;  // Binary
  std::string name;    // Name, Call
  size_t column = 0;
  std::vector<ExpressionNode> children;
};

/// Throws ExpressionError.
ExpressionNode parse_expression(std::string_view text);

/// A value of the arithmetic: an integer, or a real number which float() or bf16() must turn into
/// bits before it can be an argument.
struct Value {
  bool is_real = false;
  i64 integer = 0;
  double real = 0;
};

/// What names and functions mean. Both throw ExpressionError for what they do not know.
struct Scope {
  std::function<i64(const ExpressionNode&)> name;
  std::function<i64(const ExpressionNode&, const std::vector<Value>&)> call;
};

/// Integer arithmetic is 64-bit and checked; float(x), bf16(x), min and max are built in.
Value evaluate(const ExpressionNode& node, const Scope& scope);
/// As one 32-bit word; negative numbers as two's complement.
u32 evaluate_word(const ExpressionNode& node, const Scope& scope);

/// Looks a tensor of the program up; null when there is none of that name.
using TensorLookup = std::function<const Tensor*(const std::string&)>;
/// Into `result`, whose shape the expression must have. Results of a float type are computed in
/// fp32, each operation rounded to nearest even, and rounded once to the result's type; integers
/// wrap around. docs/PROGRAMS.md lists the functions.
void evaluate_tensor(const ExpressionNode& node, const TensorLookup& lookup, Rounding rounding,
                     Tensor& result);

}  // namespace bhemu::host
