#include "host/expression.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace bhemu::host {
namespace {

constexpr size_t kMaxDepth = 64;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ExpressionNode parse() {
    ExpressionNode node = sum();
    skip_space();
    if (position_ != text_.size()) fail(fmt::format("unexpected '{}'", text_[position_]));
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw ExpressionError(position_, message);
  }
  void skip_space() {
    while (position_ < text_.size() &&
           (text_[position_] == ' ' || text_[position_] == '\n' || text_[position_] == '\t'))
      ++position_;
  }
  char peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++position_;
    return true;
  }

  template <class Operand>
  ExpressionNode chain(std::string_view operations, Operand operand) {
    if (++depth_ > kMaxDepth) fail("nested too deeply");
    ExpressionNode left = operand();
    size_t length = 0;
    while (operations.find(peek()) != std::string_view::npos && peek() != '\0') {
      // The tree leans to the left: a long chain is as deep as a nested one.
      if (++length > kMaxDepth) fail("too many operations in a row");
      ExpressionNode node;
      node.kind = ExpressionNode::Kind::Binary;
      node.column = position_;
      node.operation = text_[position_++];
      node.children.push_back(std::move(left));
      node.children.push_back(operand());
      left = std::move(node);
    }
    --depth_;
    return left;
  }
  ExpressionNode sum() {
    return chain("+-", [this] { return product(); });
  }
  ExpressionNode product() {
    return chain("*/%", [this] { return factor(); });
  }

  ExpressionNode factor() {
    const char next = peek();
    if (accept('-')) {
      if (++depth_ > kMaxDepth) fail("nested too deeply");
      ExpressionNode node;
      node.kind = ExpressionNode::Kind::Negate;
      node.column = position_ - 1;
      node.children.push_back(factor());
      --depth_;
      return node;
    }
    if (accept('(')) {
      ExpressionNode node = sum();
      if (!accept(')')) fail("expected ')'");
      return node;
    }
    if (is_digit(next) || next == '.') return number();
    if (is_word(next)) return name();
    if (next == '\0') fail("the expression ends too early");
    fail(fmt::format("unexpected '{}'", next));
  }

  ExpressionNode number() {
    ExpressionNode node;
    node.column = position_;
    const char* begin = text_.data() + position_;
    const char* end = text_.data() + text_.size();
    const bool hex = end - begin > 2 && begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
    u64 integer = 0;
    const auto whole = std::from_chars(hex ? begin + 2 : begin, end, integer, hex ? 16 : 10);
    double real = 0;
    const auto broken = hex ? whole : std::from_chars(begin, end, real);
    const char* stop = whole.ptr;
    if (!hex && (whole.ec == std::errc::invalid_argument || broken.ptr > whole.ptr)) {
      if (broken.ec != std::errc()) fail("not a number");
      node.kind = ExpressionNode::Kind::Real;
      node.real = real;
      stop = broken.ptr;
    } else {
      if (whole.ec != std::errc() || integer > u64{std::numeric_limits<i64>::max()})
        fail("not a number that fits 63 bits");
      node.integer = static_cast<i64>(integer);
    }
    position_ = static_cast<size_t>(stop - text_.data());
    if (position_ < text_.size() && (is_word(text_[position_]) || text_[position_] == '.'))
      fail(fmt::format("unexpected '{}' behind a number", text_[position_]));
    return node;
  }

  ExpressionNode name() {
    ExpressionNode node;
    node.kind = ExpressionNode::Kind::Name;
    node.column = position_;
    const size_t start = position_;
    while (position_ < text_.size() && (is_word(text_[position_]) || text_[position_] == '.'))
      ++position_;
    node.name = text_.substr(start, position_ - start);
    if (node.name.back() == '.' || node.name.find("..") != std::string::npos)
      fail("a word is missing beside '.'");
    if (!accept('(')) return node;
    node.kind = ExpressionNode::Kind::Call;
    if (accept(')')) return node;
    do {
      node.children.push_back(sum());
    } while (accept(','));
    if (!accept(')')) fail("expected ')' or ','");
    return node;
  }

  std::string_view text_;
  size_t position_ = 0;
  size_t depth_ = 0;
};

void check_arguments(const ExpressionNode& node, size_t wanted) {
  if (node.children.size() != wanted)
    throw ExpressionError(node.column,
                          fmt::format("{}() takes {} argument{}, not {}", node.name, wanted,
                                      wanted == 1 ? "" : "s", node.children.size()));
}

double as_real(const Value& value) {
  return value.is_real ? value.real : static_cast<double>(value.integer);
}

Value integer_operation(const ExpressionNode& node, i64 a, i64 b) {
  i64 result = 0;
  bool overflow = false;
  switch (node.operation) {
    case '+':
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case '-':
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case '*':
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    default:
      if (b == 0) throw ExpressionError(node.column, "division by zero");
      if (b == -1) {  // i64's minimum divided by -1 overflows
        overflow = node.operation == '/' && __builtin_sub_overflow(i64{0}, a, &result);
        break;
      }
      result = node.operation == '/' ? a / b : a % b;
  }
  if (overflow) throw ExpressionError(node.column, "the result does not fit 64 bits");
  return {false, result, 0};
}

Value real_operation(const ExpressionNode& node, double a, double b) {
  switch (node.operation) {
    case '+':
      return {true, 0, a + b};
    case '-':
      return {true, 0, a - b};
    case '*':
      return {true, 0, a * b};
    case '/':
      return {true, 0, a / b};
    default:
      throw ExpressionError(node.column, "'%' is for integers only");
  }
}

Value call(const ExpressionNode& node, const Scope& scope) {
  std::vector<Value> arguments;
  for (const ExpressionNode& child : node.children) arguments.push_back(evaluate(child, scope));
  if (node.name == "float" || node.name == "bf16") {
    check_arguments(node, 1);
    const auto value = static_cast<float>(as_real(arguments[0]));
    const u32 bits = node.name == "float" ? std::bit_cast<u32>(value) : to_bf16(value);
    return {false, bits, 0};
  }
  if (node.name == "min" || node.name == "max") {
    check_arguments(node, 2);
    const bool first_less = as_real(arguments[0]) < as_real(arguments[1]);
    return first_less == (node.name == "min") ? arguments[0] : arguments[1];
  }
  return {false, scope.call(node, arguments), 0};
}

// --- Elementwise.

enum class Function : u8 {
  Constant,
  Tensor,
  Negate,
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Abs,
  Min,
  Max,
  Relu,
  Sqrt
};

/// The tree with its names looked up.
struct Bound {
  Function function = Function::Constant;
  double real = 0;
  i64 integer = 0;
  const Tensor* tensor = nullptr;
  size_t column = 0;
  std::vector<Bound> children;
};

Function function_of(const ExpressionNode& node, bool result_is_float) {
  struct Row {
    const char* name;
    Function function;
    size_t arguments;
  };
  static constexpr Row kRows[] = {{"abs", Function::Abs, 1},
                                  {"min", Function::Min, 2},
                                  {"max", Function::Max, 2},
                                  {"relu", Function::Relu, 1},
                                  {"sqrt", Function::Sqrt, 1}};
  for (const Row& row : kRows) {
    if (node.name != row.name) continue;
    check_arguments(node, row.arguments);
    if (row.function == Function::Sqrt && !result_is_float)
      throw ExpressionError(node.column, "sqrt() is for float tensors only");
    return row.function;
  }
  throw ExpressionError(
      node.column,
      fmt::format("unknown function '{}' (known: abs, min, max, relu, sqrt)", node.name));
}

Bound bind_names(const ExpressionNode& node, const TensorLookup& lookup, const Tensor& result) {
  using Kind = ExpressionNode::Kind;
  const bool floating = is_float(result.dtype);
  Bound bound;
  bound.column = node.column;
  switch (node.kind) {
    case Kind::Integer:
      bound.integer = node.integer;
      bound.real = static_cast<double>(node.integer);
      break;
    case Kind::Real:
      if (!floating)
        throw ExpressionError(
            node.column, fmt::format("a fraction in an expression of {}", name_of(result.dtype)));
      bound.real = node.real;
      break;
    case Kind::Name:
      bound.function = Function::Tensor;
      bound.tensor = lookup(node.name);
      if (bound.tensor == nullptr)
        throw ExpressionError(node.column, fmt::format("no tensor is called '{}'", node.name));
      if (bound.tensor->shape != result.shape)
        throw ExpressionError(
            node.column, fmt::format("tensor '{}' has another shape than the result", node.name));
      if (!floating && is_float(bound.tensor->dtype))
        throw ExpressionError(node.column,
                              fmt::format("tensor '{}' is {}, the result is {}", node.name,
                                          name_of(bound.tensor->dtype), name_of(result.dtype)));
      break;
    case Kind::Negate:
      bound.function = Function::Negate;
      break;
    case Kind::Call:
      bound.function = function_of(node, floating);
      break;
    case Kind::Binary:
      bound.function = node.operation == '+'   ? Function::Add
                       : node.operation == '-' ? Function::Sub
                       : node.operation == '*' ? Function::Mul
                       : node.operation == '/' ? Function::Div
                                               : Function::Mod;
      if (floating && bound.function == Function::Mod)
        throw ExpressionError(node.column, "'%' is for integer tensors only");
      break;
  }
  for (const ExpressionNode& child : node.children)
    bound.children.push_back(bind_names(child, lookup, result));
  return bound;
}

float element_float(const Bound& node, u64 index) {
  if (node.function == Function::Constant) return static_cast<float>(node.real);
  if (node.function == Function::Tensor) return static_cast<float>(node.tensor->value_at(index));
  const float a = element_float(node.children[0], index);
  const float b = node.children.size() > 1 ? element_float(node.children[1], index) : 0.0f;
  switch (node.function) {
    case Function::Negate:
      return -a;
    case Function::Add:
      return a + b;
    case Function::Sub:
      return a - b;
    case Function::Mul:
      return a * b;
    case Function::Div:
      return a / b;
    case Function::Abs:
      return std::fabs(a);
    case Function::Min:
      return a < b ? a : b;
    case Function::Max:
      return a > b ? a : b;
    case Function::Relu:
      return a > 0 ? a : 0.0f;
    default:
      return std::sqrt(a);
  }
}

/// Integers of the chip wrap around; 64 bits hold what the low 32 need, computed without a sign.
i64 element_integer(const Bound& node, u64 index) {
  if (node.function == Function::Constant) return node.integer;
  if (node.function == Function::Tensor) return static_cast<i64>(node.tensor->value_at(index));
  const i64 a = element_integer(node.children[0], index);
  const i64 b = node.children.size() > 1 ? element_integer(node.children[1], index) : 0;
  const auto wrap = [](u64 value) { return static_cast<i64>(value); };
  switch (node.function) {
    case Function::Negate:
      return wrap(0 - static_cast<u64>(a));
    case Function::Add:
      return wrap(static_cast<u64>(a) + static_cast<u64>(b));
    case Function::Sub:
      return wrap(static_cast<u64>(a) - static_cast<u64>(b));
    case Function::Mul:
      return wrap(static_cast<u64>(a) * static_cast<u64>(b));
    case Function::Abs:
      return a < 0 ? wrap(0 - static_cast<u64>(a)) : a;
    case Function::Min:
      return a < b ? a : b;
    case Function::Max:
      return a > b ? a : b;
    case Function::Relu:
      return a > 0 ? a : 0;
    default:
      break;
  }
  if (b == 0)
    throw ExpressionError(node.column, fmt::format("division by zero at element {}", index));
  if (b == -1) return node.function == Function::Div ? wrap(0 - static_cast<u64>(a)) : 0;
  return node.function == Function::Div ? a / b : a % b;
}

}  // namespace

ExpressionNode parse_expression(std::string_view text) {
  return Parser(text).parse();
}

Value evaluate(const ExpressionNode& node, const Scope& scope) {
  using Kind = ExpressionNode::Kind;
  switch (node.kind) {
    case Kind::Integer:
      return {false, node.integer, 0};
    case Kind::Real:
      return {true, 0, node.real};
    case Kind::Name:
      return {false, scope.name(node), 0};
    case Kind::Call:
      return call(node, scope);
    case Kind::Negate: {
      const Value value = evaluate(node.children[0], scope);
      if (value.is_real) return {true, 0, -value.real};
      ExpressionNode minus = node;
      minus.operation = '-';
      return integer_operation(minus, 0, value.integer);
    }
    case Kind::Binary:
      break;
  }
  const Value a = evaluate(node.children[0], scope);
  const Value b = evaluate(node.children[1], scope);
  if (a.is_real || b.is_real) return real_operation(node, as_real(a), as_real(b));
  return integer_operation(node, a.integer, b.integer);
}

u32 evaluate_word(const ExpressionNode& node, const Scope& scope) {
  const Value value = evaluate(node, scope);
  if (value.is_real)
    throw ExpressionError(node.column, fmt::format("{} is no word: write float({}) or bf16({})",
                                                   value.real, value.real, value.real));
  if (value.integer < std::numeric_limits<i32>::min() ||
      value.integer > i64{std::numeric_limits<u32>::max()})
    throw ExpressionError(node.column, fmt::format("{} does not fit 32 bits", value.integer));
  return static_cast<u32>(value.integer);
}

void evaluate_elementwise(const ExpressionNode& node, const TensorLookup& lookup, Rounding rounding,
                          Tensor& result) {
  const Bound bound = bind_names(node, lookup, result);
  for (u64 i = 0; i < result.elements(); ++i) {
    if (!is_float(result.dtype)) {
      result.set_bits(i, static_cast<u32>(element_integer(bound, i)));
      continue;
    }
    const float value = element_float(bound, i);
    result.set_bits(i, result.dtype == DType::Bf16   ? to_bf16(value, rounding)
                       : result.dtype == DType::Fp16 ? to_fp16(value, rounding)
                                                     : std::bit_cast<u32>(value));
  }
}

}  // namespace bhemu::host
