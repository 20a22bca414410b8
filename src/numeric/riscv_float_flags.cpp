#include "numeric/riscv_float_flags.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/bits.hpp"

namespace bhemu::numeric {
namespace {

constexpr u32 kSign = 0x80000000;
constexpr u32 kInfinity = 0x7F800000;

constexpr bool is_nan(u32 v) {
  return (v & ~kSign) > kInfinity;
}
constexpr bool is_infinite(u32 v) {
  return (v & ~kSign) == kInfinity;
}
/// As the cores take an operand: a denormal is zero.
constexpr bool is_zero(u32 v) {
  return (v & kInfinity) == 0;
}

/// m * 2^exponent, m odd, or zero.
struct Term {
  bool negative = false;
  u64 m = 0;
  i32 exponent = 0;
};

Term reduced(bool negative, u64 m, i32 exponent) {
  if (m == 0) return {};
  const int zeros = std::countr_zero(m);
  return {negative, m >> zeros, exponent + zeros};
}

Term term_of(u32 v) {
  if (is_zero(v)) return {};
  const u64 m = (u64{1} << 23) | bits(v, 0, 23);
  return reduced((v & kSign) != 0, m, static_cast<i32>(bits(v, 23, 8)));
}

/// 2^-150 is the unit of term_of; of a product it is the square.
Term product_of(u32 x, u32 y) {
  const Term a = term_of(x);
  const Term b = term_of(y);
  return reduced(a.negative != b.negative, a.m * b.m, a.exponent + b.exponent - 150);
}

bool cancel(const Term& a, const Term& b) {
  return a.m == b.m && a.exponent == b.exponent && (a.m == 0 || a.negative != b.negative);
}

/// The three add up to zero.
bool add_up_to_zero(std::array<Term, 3> terms) {
  // Zeros first, then by the lowest bit.
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    if ((a.m == 0) != (b.m == 0)) return a.m == 0;
    return a.exponent < b.exponent;
  });
  if (terms[0].m == 0) return cancel(terms[1], terms[2]);
  // A lowest bit that only one has stays.
  if (terms[0].exponent != terms[1].exponent) return false;
  const auto value = [](const Term& t) {
    return t.negative ? -static_cast<i64>(t.m) : static_cast<i64>(t.m);
  };
  const i64 sum = value(terms[0]) + value(terms[1]);
  const Term both = reduced(sum < 0, static_cast<u64>(sum < 0 ? -sum : sum), terms[0].exponent);
  return cancel(both, terms[2]);
}

Term negated(Term t) {
  t.negative = !t.negative;
  return t;
}

/// Of finite operands.
u32 flags_of_finite(u32 result, bool is_exact) {
  if (is_infinite(result)) return kOverflow | kInexact;
  if (is_exact) return 0;
  return is_zero(result) ? kUnderflow | kInexact : u32{kInexact};
}

}  // namespace

u32 mul_add_flags(u32 x, u32 y, u32 z, u32 result, bool signaling) {
  const bool nan = is_nan(x) || is_nan(y) || is_nan(z);
  const bool infinity_by_zero = (is_infinite(x) && is_zero(y)) || (is_zero(x) && is_infinite(y));
  if (signaling || infinity_by_zero) return kInvalid;
  if (nan) return 0;
  if (is_nan(result)) return kInvalid;
  if (is_infinite(x) || is_infinite(y) || is_infinite(z)) return 0;
  return flags_of_finite(result,
                         add_up_to_zero({product_of(x, y), term_of(z), negated(term_of(result))}));
}

u32 conversion_flags(u32 value, u32 result, bool signaling) {
  if (signaling) return kInvalid;
  if (is_nan(value) || is_infinite(value)) return 0;
  return flags_of_finite(result, cancel(term_of(value), negated(term_of(result))));
}

}  // namespace bhemu::numeric
