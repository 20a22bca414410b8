// Arithmetic, logic and shifts over the types of sfpi.h.
#pragma once

namespace sfpi {
namespace impl_ {

// --- Which types mix --------------------------------------------------------------------------

template <class T>
inline constexpr bool is_float_vector =
    std::is_base_of_v<vFloat, T> || std::is_same_v<T, vDReg> || std::is_same_v<T, vConst<vFloat>>;
template <class T>
inline constexpr bool is_integer_vector =
    std::is_base_of_v<vInt, T> || std::is_base_of_v<vUInt, T> || std::is_same_v<T, vConst<vInt>>;
template <class T>
inline constexpr bool is_float_operand =
    is_float_vector<T> || std::is_arithmetic_v<T> || std::is_base_of_v<s2vFloat16, T>;
template <class T>
inline constexpr bool is_integer_operand = is_integer_vector<T> || std::is_integral_v<T>;

template <class A, class B>
inline constexpr bool is_float_pair = (is_float_vector<A> && is_float_operand<B>) ||
                                      (is_float_operand<A> && is_float_vector<B>);
template <class A, class B>
inline constexpr bool is_integer_pair = (is_integer_vector<A> && is_integer_operand<B>) ||
                                        (is_integer_operand<A> && is_integer_vector<B>);
template <class T>
inline constexpr bool is_unsigned_vector = std::is_base_of_v<vUInt, T>;
template <class A, class B = A>
using Integer = std::conditional_t<is_unsigned_vector<A> || is_unsigned_vector<B>, vUInt, vInt>;

template <class A, class B>
using IfFloats = std::enable_if_t<is_float_pair<A, B>, int>;
template <class A, class B>
using IfIntegers = std::enable_if_t<is_integer_pair<A, B>, int>;

template <class T>
sfpi_inline sfpu_t float_value(const T& a) {
  if constexpr (std::is_arithmetic_v<T>)
    return vFloat(float(a)).get();
  else
    return vFloat(a).get();
}
template <class T>
sfpi_inline sfpu_t integer_value(const T& a) {
  if constexpr (is_unsigned_vector<T>)
    return vUInt(a).get();
  else
    return vInt(a).get();
}

/// A number that the operation may take as its immediate.
struct Literal {
  bool exists;
  std::uint32_t bits;
};
template <class T>
sfpi_inline Literal float_literal(const T& a) {
  if constexpr (std::is_arithmetic_v<T>)
    return {true, float_bits(float(a))};
  else if constexpr (std::is_base_of_v<vVal, T>)
    return {a.has_word(), a.bits()};
  else
    return {false, 0};
}
template <class T>
sfpi_inline Literal integer_literal(const T& a) {
  if constexpr (std::is_integral_v<T>)
    return {true, std::uint32_t(a)};
  else if constexpr (std::is_base_of_v<vVal, T>)
    return {a.has_word(), a.bits()};
  else
    return {false, 0};
}

// --- Floats -----------------------------------------------------------------------------------

constexpr std::uint32_t kNegateA = 1, kNegateC = 2;

/// Whether SFPMULI and SFPADDI have the number, and no constant register saves the immediate.
sfpi_inline bool is_immediate16(const Literal& literal) {
  return literal.exists && __builtin_constant_p(literal.bits) && (literal.bits & 0xFFFF) == 0 &&
         literal.bits != 0 && literal.bits != 0x3F800000;
}

struct Negation : Unary {
  sfpi_inline explicit Negation(const sfpu_t& a) : Unary{word_of(), a} {}
  static constexpr std::uint32_t word_of() { return impl_::word(0x7C, SFPMOV_MOD1_COMPSIGN); }
};

/// a * b, or -a * b; `literal` is b if that is a number.
struct Product {
  sfpu_t a, b;
  Literal literal;
  std::uint32_t negated;
  sfpi_inline Multiplier general() const {
    return {word(0x86, negated), a, b, read_lreg(CREG_IDX_0)};
  }
  sfpi_inline double make() const {
    if (negated == 0 && is_immediate16(literal) && !is_constant(a))
      return InPlaceImmediate{0x74u << 24 | literal.bits >> 8, a}.make();
    return general().make();
  }
  sfpi_inline void into(double& d) const { general().into(d); }
  /// a * b + c, or a * b - c
  sfpi_inline Multiplier plus(const sfpu_t& c, std::uint32_t mod) const {
    return {word(0x84, mod ^ negated), a, b, c};
  }
};

/// a + b, or a - b; `literal` is b if that is a number.
struct Sum {
  sfpu_t a, b;
  Literal literal;
  std::uint32_t mod;
  sfpi_inline Multiplier general() const { return {word(0x85, mod), read_lreg(CREG_IDX_1), a, b}; }
  sfpi_inline double make() const {
    if (is_immediate16(literal) && !is_constant(a)) {
      const std::uint32_t bits = literal.bits ^ (mod == kNegateC ? 0x80000000 : 0);
      return InPlaceImmediate{0x75u << 24 | bits >> 8, a}.make();
    }
    return general().make();
  }
  sfpi_inline void into(double& d) const { general().into(d); }
};

template <class T>
inline constexpr bool is_product = std::is_base_of_v<Fresh<vFloat, Product>, T>;
template <class T>
inline constexpr bool is_negation = std::is_base_of_v<Fresh<vFloat, Negation>, T>;

template <class A, class B>
sfpi_inline auto multiply(const A& a, const B& b) {
  if constexpr (is_negation<A>)
    return Fresh<vFloat, Product>({a.op.c, float_value(b), float_literal(b), kNegateA});
  else if constexpr (is_negation<B>)
    return Fresh<vFloat, Product>({b.op.c, float_value(a), float_literal(a), kNegateA});
  else if constexpr (std::is_arithmetic_v<A>)
    return multiply(b, a);
  else
    return Fresh<vFloat, Product>({float_value(a), float_value(b), float_literal(b), 0});
}

template <class A, class B>
sfpi_inline auto subtract(const A& a, const B& b);

template <class A, class B>
sfpi_inline auto add(const A& a, const B& b) {
  if constexpr (is_negation<B>)
    return subtract(a, vFloat(b.op.c));
  else if constexpr (is_product<A>)
    return Fresh<vFloat, Multiplier>(a.op.plus(float_value(b), 0));
  else if constexpr (is_product<B>)
    return Fresh<vFloat, Multiplier>(b.op.plus(float_value(a), 0));
  else if constexpr (is_negation<A>)
    return subtract(b, vFloat(a.op.c));
  else if constexpr (std::is_arithmetic_v<A>)
    return add(b, a);
  else
    return Fresh<vFloat, Sum>({float_value(a), float_value(b), float_literal(b), 0});
}

template <class A, class B>
sfpi_inline auto subtract(const A& a, const B& b) {
  if constexpr (is_negation<B>)
    return add(a, vFloat(b.op.c));
  else if constexpr (is_product<A>)
    return Fresh<vFloat, Multiplier>(a.op.plus(float_value(b), kNegateC));
  else if constexpr (is_product<B>)
    return Fresh<vFloat, Multiplier>(b.op.plus(float_value(a), kNegateA));
  else
    return Fresh<vFloat, Sum>({float_value(a), float_value(b), float_literal(b), kNegateC});
}

// --- Integers ---------------------------------------------------------------------------------

sfpi_inline bool is_immediate12(const Literal& literal) {
  return literal.exists && __builtin_constant_p(literal.bits) && literal.bits + 2048 < 4096;
}

constexpr std::uint32_t kAddIntegers = SFPIADD_MOD1_ARG_LREG_DST | SFPIADD_MOD1_CC_NONE;
constexpr std::uint32_t kSubtractIntegers = SFPIADD_MOD1_ARG_2SCOMP_LREG_DST | SFPIADD_MOD1_CC_NONE;
constexpr std::uint32_t kAddImmediate = SFPIADD_MOD1_ARG_IMM | SFPIADD_MOD1_CC_NONE;

/// a + b, where `literal` is b if that is a number. Subtracting a number is adding its opposite.
struct IntegerSum {
  sfpu_t a, b;
  Literal literal;
  sfpi_inline Unary immediate() const { return {word(0x79, kAddImmediate, literal.bits), a}; }
  sfpi_inline InPlace general() const { return {word(0x79, kAddIntegers), a, b}; }
  sfpi_inline double make() const {
    return is_immediate12(literal) ? immediate().make() : general().make();
  }
  sfpi_inline void into(double& d) const {
    if (is_immediate12(literal))
      immediate().into(d);
    else
      general().into(d);
  }
};

template <class V, class A, class B>
sfpi_inline auto add_integers(const A& a, const B& b) {
  if constexpr (std::is_integral_v<A>)
    return add_integers<V>(b, a);
  else
    return Fresh<V, IntegerSum>({integer_value(a), integer_value(b), integer_literal(b)});
}
template <class V, class A, class B>
sfpi_inline auto subtract_integers(const A& a, const B& b) {
  if constexpr (std::is_integral_v<B>)
    return add_integers<V>(a, 0 - std::uint32_t(b));
  else
    return Fresh<V, InPlace>({word(0x79, kSubtractIntegers), integer_value(b), integer_value(a)});
}

/// VD op= b, without a copy of VD.
template <class Vector, class B>
sfpi_inline void change_in_place(Vector& a, std::uint32_t word, const B& b) {
  double& reg = a.in_place();
  reg = InPlace{word, variable(reg), integer_value(b)}.make();
}

// --- Shifts: left by what is positive ---------------------------------------------------------

constexpr std::uint32_t kShiftArithmetic = 2;

sfpi_inline UnaryImmediate shift_by_number(const sfpu_t& value, int amount, bool arithmetic) {
  return {word(0x7A, SFPSHFT_MOD1_SHIFT_IMM_C | (arithmetic ? kShiftArithmetic : 0)), value,
          std::uint32_t(amount)};
}
sfpi_inline InPlace shift_by_vector(const sfpu_t& value, const sfpu_t& amount, bool arithmetic) {
  return {word(0x7A, arithmetic ? kShiftArithmetic : 0), value, amount};
}

template <class V, class B>
sfpi_inline auto shift_left(const sfpu_t& a, const B& b) {
  constexpr bool arithmetic = std::is_same_v<V, vInt>;
  if constexpr (std::is_integral_v<B>)
    return Fresh<V, UnaryImmediate>(shift_by_number(a, int(b), arithmetic));
  else
    return Fresh<V, InPlace>(shift_by_vector(a, integer_value(b), arithmetic));
}
template <class V, class B>
sfpi_inline auto shift_right(const sfpu_t& a, const B& b) {
  if constexpr (std::is_integral_v<B>)
    return shift_left<V>(a, -int(b));
  else
    return shift_left<V>(a, subtract_integers<vInt>(0, b));
}

// --- Operators, where their operands' types are found -----------------------------------------

template <class A, class B, IfFloats<A, B> = 0>
sfpi_inline auto operator+(const A& a, const B& b) {
  return add(a, b);
}
template <class A, class B, IfFloats<A, B> = 0>
sfpi_inline auto operator-(const A& a, const B& b) {
  return subtract(a, b);
}
template <class A, class B, IfFloats<A, B> = 0>
sfpi_inline auto operator*(const A& a, const B& b) {
  return multiply(a, b);
}
template <class A, std::enable_if_t<is_float_vector<A>, int> = 0>
sfpi_inline auto operator-(const A& a) {
  return Fresh<vFloat, Negation>(Negation(float_value(a)));
}
template <class A, std::enable_if_t<is_float_vector<A>, int> = 0>
sfpi_inline vFloat operator+(const A& a) {
  return vFloat(a);
}

template <class A, class B, IfIntegers<A, B> = 0>
sfpi_inline auto operator+(const A& a, const B& b) {
  return add_integers<Integer<A, B>>(a, b);
}
template <class A, class B, IfIntegers<A, B> = 0>
sfpi_inline auto operator-(const A& a, const B& b) {
  return subtract_integers<Integer<A, B>>(a, b);
}
template <class A, class B, IfIntegers<A, B> = 0>
sfpi_inline auto operator&(const A& a, const B& b) {
  return Fresh<Integer<A, B>, Pair>({word(0x7E, 1), integer_value(a), integer_value(b)});
}
template <class A, class B, IfIntegers<A, B> = 0>
sfpi_inline auto operator|(const A& a, const B& b) {
  return Fresh<Integer<A, B>, Pair>({word(0x7F, 1), integer_value(a), integer_value(b)});
}
template <class A, class B, IfIntegers<A, B> = 0>
sfpi_inline auto operator^(const A& a, const B& b) {
  return Fresh<Integer<A, B>, InPlace>({word(0x8D), integer_value(a), integer_value(b)});
}
template <class A, class B,
          std::enable_if_t<is_integer_vector<A> && is_integer_operand<B>, int> = 0>
sfpi_inline auto operator<<(const A& a, const B& b) {
  return shift_left<Integer<A>>(integer_value(a), b);
}
template <class A, class B,
          std::enable_if_t<is_integer_vector<A> && is_integer_operand<B>, int> = 0>
sfpi_inline auto operator>>(const A& a, const B& b) {
  return shift_right<Integer<A>>(integer_value(a), b);
}
template <class A, std::enable_if_t<is_integer_vector<A>, int> = 0>
sfpi_inline auto operator~(const A& a) {
  return Fresh<Integer<A>, Unary>({word(0x80), integer_value(a)});
}
template <class A, std::enable_if_t<is_integer_vector<A>, int> = 0, class = void>
sfpi_inline auto operator-(const A& a) {
  return subtract_integers<Integer<A>>(0, a);
}
template <class A, std::enable_if_t<is_integer_vector<A>, int> = 0, class = void>
sfpi_inline A operator+(const A& a) {
  return a;
}

}  // namespace impl_

// An operator is looked for in the namespaces of its operands' types.
using impl_::operator+;
using impl_::operator-;
using impl_::operator*;
using impl_::operator&;
using impl_::operator|;
using impl_::operator^;
using impl_::operator~;
using impl_::operator<<;
using impl_::operator>>;

template <class T>
vFloat& vFloat::operator+=(const T& b) {
  return *this = *this + b;
}
template <class T>
vFloat& vFloat::operator-=(const T& b) {
  return *this = *this - b;
}
template <class T>
vFloat& vFloat::operator*=(const T& b) {
  return *this = *this * b;
}

#define SFPI_COMPOUND(Type)                                                                       \
  template <class T>                                                                              \
  Type& Type::operator+=(const T& b) {                                                            \
    if (impl_::is_immediate12(impl_::integer_literal(b))) return *this = *this + b;               \
    impl_::change_in_place(*this, impl_::word(0x79, impl_::kAddIntegers), b);                     \
    return *this;                                                                                 \
  }                                                                                               \
  template <class T>                                                                              \
  Type& Type::operator-=(const T& b) {                                                            \
    return *this = *this - b;                                                                     \
  }                                                                                               \
  template <class T>                                                                              \
  Type& Type::operator&=(const T& b) {                                                            \
    return *this = *this & b;                                                                     \
  }                                                                                               \
  template <class T>                                                                              \
  Type& Type::operator|=(const T& b) {                                                            \
    return *this = *this | b;                                                                     \
  }                                                                                               \
  template <class T>                                                                              \
  Type& Type::operator^=(const T& b) {                                                            \
    impl_::change_in_place(*this, impl_::word(0x8D), b);                                          \
    return *this;                                                                                 \
  }                                                                                               \
  template <class T>                                                                              \
  Type& Type::operator<<=(const T& b) {                                                           \
    if constexpr (std::is_integral_v<T>)                                                          \
      return *this = *this << b;                                                                  \
    else                                                                                          \
      impl_::change_in_place(                                                                     \
          *this, impl_::word(0x7A, std::is_same_v<Type, vInt> ? impl_::kShiftArithmetic : 0), b); \
    return *this;                                                                                 \
  }                                                                                               \
  template <class T>                                                                              \
  Type& Type::operator>>=(const T& b) {                                                           \
    return *this = *this >> b;                                                                    \
  }
SFPI_COMPOUND(vInt)
SFPI_COMPOUND(vUInt)
#undef SFPI_COMPOUND

}  // namespace sfpi
