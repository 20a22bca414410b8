// Expected results: expressions whose names are whole tensors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/program/expression.hpp"

namespace bhemu::host {
namespace {

/// The value of a node: one number (no dimensions) or a tensor. T is float or i64.
template <class T>
struct Array {
  std::vector<u64> shape;
  std::vector<T> values;

  u64 rows() const { return shape.size() < 2 ? 1 : values.size() / columns(); }
  u64 columns() const { return shape.empty() ? 1 : shape.back(); }
};

/// The chip's integers wrap around; 64 bits hold what the low 32 need, computed without a sign.
i64 wrapped(u64 value) {
  return static_cast<i64>(value);
}
float add(float a, float b) {
  return a + b;
}
i64 add(i64 a, i64 b) {
  return wrapped(static_cast<u64>(a) + static_cast<u64>(b));
}
float multiply(float a, float b) {
  return a * b;
}
i64 multiply(i64 a, i64 b) {
  return wrapped(static_cast<u64>(a) * static_cast<u64>(b));
}
float negate(float a) {
  return -a;
}
i64 negate(i64 a) {
  return wrapped(0 - static_cast<u64>(a));
}
float quotient(const ExpressionNode&, u64, float a, float b) {
  return a / b;
}
i64 quotient(const ExpressionNode& node, u64 index, i64 a, i64 b) {
  if (b == 0)
    throw ExpressionError(node.column, fmt::format("division by zero at element {}", index));
  if (b == -1) return node.operation == '/' ? negate(a) : 0;
  return node.operation == '/' ? a / b : a % b;
}

/// What sums are made in: products and sums of fp32 numbers are rounded once, at the end.
double wide(float value) {
  return value;
}
u64 wide(i64 value) {
  return static_cast<u64>(value);
}

template <class T>
class Evaluation {
 public:
  Evaluation(const TensorLookup& lookup, const Tensor& result) : lookup_(lookup), result_(result) {}

  Array<T> value(const ExpressionNode& node) const {
    using Kind = ExpressionNode::Kind;
    switch (node.kind) {
      case Kind::Integer:
        return {{}, {static_cast<T>(node.integer)}};
      case Kind::Real:
        if (!kFloat) fail(node, fmt::format("a fraction in an expression of {}", type()));
        return {{}, {static_cast<T>(node.real)}};
      case Kind::Name:
        return tensor(node);
      case Kind::Negate:
        return each(value(node.children[0]), [](T a) { return negate(a); });
      case Kind::Call:
        return call(node);
      case Kind::Binary:
        break;
    }
    return binary(node);
  }

 private:
  static constexpr bool kFloat = std::is_same_v<T, float>;
  [[noreturn]] static void fail(const ExpressionNode& node, const std::string& message) {
    throw ExpressionError(node.column, message);
  }
  const char* type() const { return name_of(result_.dtype); }

  Array<T> tensor(const ExpressionNode& node) const {
    const Tensor* tensor = lookup_(node.name);
    if (tensor == nullptr) fail(node, fmt::format("no tensor is called '{}'", node.name));
    if (!kFloat && is_float(tensor->dtype))
      fail(node, fmt::format("tensor '{}' is {}, the result is {}", node.name,
                             name_of(tensor->dtype), type()));
    return {tensor->shape, tensor->values<T>()};
  }

  template <class Operation>
  static Array<T> each(Array<T> array, Operation operation) {
    for (T& element : array.values) element = operation(element);
    return array;
  }

  /// Operands agree in every dimension, or have a 1 there, or one of them is a number.
  static std::vector<u64> common_shape(const ExpressionNode& node, const Array<T>& a,
                                       const Array<T>& b) {
    if (a.shape.empty() || a.shape == b.shape) return b.shape;
    if (b.shape.empty()) return a.shape;
    if (a.shape.size() != 2 || b.shape.size() != 2) fail(node, "operands of different shapes");
    std::vector<u64> shape(2);
    for (size_t i = 0; i < 2; ++i) {
      if (a.shape[i] != b.shape[i] && a.shape[i] != 1 && b.shape[i] != 1)
        fail(node, "operands of different shapes");
      shape[i] = a.shape[i] == 1 ? b.shape[i] : a.shape[i];
    }
    return shape;
  }

  /// From an element to the one below it, and to the next one of the row.
  struct Steps {
    u64 row;
    u64 column;
  };
  static Steps steps_of(const Array<T>& array, const Array<T>& out) {
    if (array.values.size() == out.values.size()) return {out.columns(), 1};
    return {array.rows() == 1 ? 0 : array.columns(), array.columns() == 1 ? u64{0} : u64{1}};
  }

  template <class Operation>
  static Array<T> pairs(const ExpressionNode& node, const Array<T>& a, const Array<T>& b,
                        Operation operation) {
    Array<T> out{common_shape(node, a, b), {}};
    u64 elements = 1;
    for (const u64 size : out.shape) elements *= size;
    out.values.resize(elements);
    // A row that there is only one of, or a column, goes with all.
    const Steps of_a = steps_of(a, out);
    const Steps of_b = steps_of(b, out);
    const u64 columns = out.columns();
    for (u64 row = 0, i = 0; i < elements; ++row) {
      const T* x = a.values.data() + row * of_a.row;
      const T* y = b.values.data() + row * of_b.row;
      for (u64 column = 0; column < columns; ++column, ++i, x += of_a.column, y += of_b.column)
        out.values[i] = operation(i, *x, *y);
    }
    return out;
  }

  Array<T> binary(const ExpressionNode& node) const {
    if (kFloat && node.operation == '%') fail(node, "'%' is for integer tensors only");
    const Array<T> a = value(node.children[0]);
    const Array<T> b = value(node.children[1]);
    switch (node.operation) {
      case '+':
        return pairs(node, a, b, [](u64, T x, T y) { return add(x, y); });
      case '-':
        return pairs(node, a, b, [](u64, T x, T y) { return add(x, negate(y)); });
      case '*':
        return pairs(node, a, b, [](u64, T x, T y) { return multiply(x, y); });
      default:
        return pairs(node, a, b, [&](u64 i, T x, T y) { return quotient(node, i, x, y); });
    }
  }

  Array<T> call(const ExpressionNode& node) const {
    const std::string& name = node.name;
    if (name == "min" || name == "max") {
      check_arguments(node, 2);
      const bool least = name == "min";
      return pairs(node, value(node.children[0]), value(node.children[1]),
                   [=](u64, T a, T b) { return (least ? a < b : a > b) ? a : b; });
    }
    if (name == "matmul") {
      check_arguments(node, 2);
      return product(node, matrix(node.children[0]), matrix(node.children[1]));
    }
    if (name == "sum" || name == "largest") return reduction(node);
    if (name == "transpose") {
      check_arguments(node, 1);
      return transposed(matrix(node.children[0]));
    }
    if (name == "abs" || name == "relu") {
      check_arguments(node, 1);
      const bool absolute = name == "abs";
      return each(value(node.children[0]), [=](T a) {
        return absolute ? (a < 0 ? negate(a) : a == 0 ? T{0} : a) : a > 0 ? a : T{0};
      });
    }
    if (name == "round" || name == "truncate") return whole_numbers(node);
    return real_function(node);
  }

  /// Of a float expression, also where the result is a tensor of integers. Ties go away from zero.
  Array<T> whole_numbers(const ExpressionNode& node) const {
    check_arguments(node, 1);
    const Array<float> in = Evaluation<float>(lookup_, result_).value(node.children[0]);
    Array<T> out{in.shape, std::vector<T>(in.values.size())};
    for (u64 i = 0; i < in.values.size(); ++i) {
      const float whole =
          node.name == "round" ? std::round(in.values[i]) : std::trunc(in.values[i]);
      if (!(std::fabs(whole) < 0x1p63f))
        fail(node, fmt::format("{} at element {} is no integer of 64 bits", whole, i));
      out.values[i] = static_cast<T>(whole);
    }
    return out;
  }

  /// Worked out in double precision and rounded once.
  Array<T> real_function(const ExpressionNode& node) const {
    using Function = double (*)(double);
    static constexpr std::pair<const char*, Function> kFunctions[] = {
        {"erf", [](double a) { return std::erf(a); }},
        {"exp", [](double a) { return std::exp(a); }},
        {"sqrt", [](double a) { return std::sqrt(a); }},
        {"tanh", [](double a) { return std::tanh(a); }},
    };
    for (const auto& [name, function] : kFunctions) {
      if (node.name != name) continue;
      check_arguments(node, 1);
      if (!kFloat) fail(node, fmt::format("{}() is for float tensors only", node.name));
      return each(value(node.children[0]),
                  [call = function](T a) { return static_cast<T>(call(static_cast<double>(a))); });
    }
    fail(node, fmt::format("unknown function '{}' (known: abs, erf, exp, largest, matmul, max, "
                           "min, relu, round, sqrt, sum, tanh, transpose, truncate)",
                           node.name));
  }

  static void check_arguments(const ExpressionNode& node, size_t wanted) {
    if (node.children.size() != wanted)
      fail(node, fmt::format("{}() takes {} argument{}, not {}", node.name, wanted,
                             wanted == 1 ? "" : "s", node.children.size()));
  }

  Array<T> matrix(const ExpressionNode& node) const {
    Array<T> array = value(node);
    if (array.shape.size() != 2) fail(node, "a matrix is wanted here: two dimensions");
    return array;
  }

  static Array<T> transposed(const Array<T>& in) {
    Array<T> out{{in.shape[1], in.shape[0]}, std::vector<T>(in.values.size())};
    for (u64 row = 0; row < in.rows(); ++row) {
      for (u64 column = 0; column < in.columns(); ++column)
        out.values[column * in.rows() + row] = in.values[row * in.columns() + column];
    }
    return out;
  }

  static Array<T> product(const ExpressionNode& node, const Array<T>& a, const Array<T>& b) {
    if (a.columns() != b.rows())
      fail(node,
           fmt::format("matmul() of {}x{} by {}x{}", a.rows(), a.columns(), b.rows(), b.columns()));
    Array<T> out{{a.rows(), b.columns()}, std::vector<T>(a.rows() * b.columns())};
    using Wide = decltype(wide(T{}));
    std::vector<Wide> factors(b.values.size());
    std::transform(b.values.begin(), b.values.end(), factors.begin(), [](T x) { return wide(x); });
    const u64 columns = b.columns();
    std::vector<Wide> sums(columns);
    for (u64 row = 0; row < a.rows(); ++row) {
      std::fill(sums.begin(), sums.end(), 0);
      for (u64 k = 0; k < a.columns(); ++k) {
        const Wide factor = wide(a.values[row * a.columns() + k]);
        const Wide* const others = factors.data() + k * columns;
        for (u64 column = 0; column < columns; ++column) sums[column] += factor * others[column];
      }
      for (u64 column = 0; column < columns; ++column)
        out.values[row * columns + column] = static_cast<T>(sums[column]);
    }
    return out;
  }

  /// sum(a), largest(a): of all elements, 1x1; with 0 of each column, 1xC; with 1 of each row, Rx1.
  Array<T> reduction(const ExpressionNode& node) const {
    if (node.children.size() != 2) check_arguments(node, 1);
    const bool sum = node.name == "sum";
    Array<T> in = matrix(node.children[0]);
    if (node.children.size() == 1) return reduced_rows(sum, {{1, in.values.size()}, in.values});
    const ExpressionNode& axis = node.children[1];
    if (axis.kind != ExpressionNode::Kind::Integer || axis.integer > 1)
      fail(axis, "0 (over rows) or 1 (over columns) is wanted here");
    return axis.integer == 1 ? reduced_rows(sum, in)
                             : transposed(reduced_rows(sum, transposed(in)));
  }

  static Array<T> reduced_rows(bool sum, const Array<T>& in) {
    Array<T> out{{in.rows(), 1}, {}};
    for (u64 row = 0; row < in.rows(); ++row) {
      const T* begin = in.values.data() + row * in.columns();
      const T* end = begin + in.columns();
      auto total = wide(T{0});
      for (const T* element = begin; element != end; ++element) total += wide(*element);
      out.values.push_back(sum ? static_cast<T>(total) : *std::max_element(begin, end));
    }
    return out;
  }

  const TensorLookup& lookup_;
  const Tensor& result_;
};

template <class T>
Array<T> evaluate_for(const ExpressionNode& node, const TensorLookup& lookup,
                      const Tensor& result) {
  Array<T> array = Evaluation<T>(lookup, result).value(node);
  if (array.shape.empty()) array.values.assign(result.elements(), T{array.values[0]});
  if (!array.shape.empty() && array.shape != result.shape)
    throw ExpressionError(node.column, "the expression has another shape than the result");
  return array;
}

}  // namespace

void evaluate_tensor(const ExpressionNode& node, const TensorLookup& lookup, Rounding rounding,
                     Tensor& result) {
  if (!is_float(result.dtype)) {
    const Array<i64> array = evaluate_for<i64>(node, lookup, result);
    for (u64 i = 0; i < array.values.size(); ++i)
      result.set_bits(i, static_cast<u32>(array.values[i]));
    return;
  }
  const Array<float> array = evaluate_for<float>(node, lookup, result);
  for (u64 i = 0; i < array.values.size(); ++i)
    result.set_bits(i, to_float_bits(result.dtype, array.values[i], rounding));
  share_exponents(result, rounding);
}

}  // namespace bhemu::host
