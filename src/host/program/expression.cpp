#include "host/program/expression.hpp"

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

}  // namespace bhemu::host
