// The exception flags of the cores' floating point, against a model in exact wide integers and
// against the host's own floating point where the two must agree.
#include "numeric/riscv_float_flags.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "numeric/riscv_float.hpp"
#include "support/mul_add_model.hpp"
#include "support/rounds.hpp"

namespace bhemu::numeric {
namespace {

constexpr u32 kSign = 0x80000000;
constexpr u32 kInfinity = 0x7F800000;

bool is_denormal(u32 v) {
  return (v & kInfinity) == 0 && (v & ~kSign) != 0;
}
bool is_nan(u32 v) {
  return (v & ~kSign) > kInfinity;
}
bool is_signaling(u32 v) {
  return is_nan(v) && (v & 0x400000) == 0;
}

/// A number with 1088 bits behind and before its point, in two's complement: products of singles
/// are integers in units of 2^-300.
class Wide {
 public:
  static Wide of(bool negative, u64 m, int shift) {
    Wide w;
    for (int bit = 0; bit < 64; ++bit)
      if ((m >> bit & 1) != 0) w.words_[(bit + shift) / 64] |= u64{1} << ((bit + shift) % 64);
    if (negative) w.negate();
    return w;
  }
  Wide operator+(const Wide& other) const {
    Wide sum;
    u64 carry = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const u64 partial = words_[i] + carry;
      sum.words_[i] = partial + other.words_[i];
      carry = u64{partial < carry} + u64{sum.words_[i] < partial};
    }
    return sum;
  }
  bool operator==(const Wide&) const = default;

 private:
  void negate() {
    for (u64& word : words_) word = ~word;
    for (u64& word : words_)
      if (++word != 0) break;
  }
  std::array<u64, 17> words_{};
};

struct Parts {
  u64 m;
  int exponent;
};
Parts parts(u32 v) {
  if ((v & kInfinity) == 0) return {0, 1};
  return {(v & 0x7FFFFF) | 0x800000, static_cast<int>(v >> 23 & 255)};
}
Wide wide(u32 v) {
  return Wide::of((v & kSign) != 0, parts(v).m, parts(v).exponent + 150);
}
Wide wide_product(u32 x, u32 y) {
  const Parts a = parts(x), b = parts(y);
  return Wide::of(((x ^ y) & kSign) != 0, a.m * b.m, a.exponent + b.exponent);
}

u32 model(u32 x, u32 y, u32 z, u32 result) {
  const auto zero = [](u32 v) { return (v & kInfinity) == 0; };
  const auto infinite = [](u32 v) { return (v & ~kSign) == kInfinity; };
  if (is_signaling(x) || is_signaling(y) || is_signaling(z)) return kInvalid;
  if ((infinite(x) && zero(y)) || (infinite(y) && zero(x))) return kInvalid;
  if (is_nan(x) || is_nan(y) || is_nan(z)) return 0;
  if (is_nan(result)) return kInvalid;
  if (infinite(x) || infinite(y) || infinite(z)) return 0;
  if (infinite(result)) return kOverflow | kInexact;
  if (wide_product(x, y) + wide(z) == wide(result)) return 0;
  return zero(result) ? kUnderflow | kInexact : u32{kInexact};
}

TEST(RiscvFloatFlags, of_multiply_adds_agree_with_a_model_in_wide_integers) {
  std::mt19937_64 random(bhemu::test::seed(71));
  const u64 rounds = bhemu::test::rounds(200'000);
  for (u64 i = 0; i < rounds; ++i) {
    const auto [x, y, z] = bhemu::test::draw_mul_add(random, i);
    u32 flags = 0;
    const u32 result = RiscvFloat::single(&flags).mul_add(x, y, z);
    ASSERT_EQ(flags, model(x, y, z, result)) << std::hex << x << " " << y << " " << z;
  }
  for (const u32 x : bhemu::test::special_values())
    for (const u32 y : bhemu::test::special_values())
      for (const u32 z : bhemu::test::special_values()) {
        u32 flags = 0;
        const u32 result = RiscvFloat::single(&flags).mul_add(x, y, z);
        ASSERT_EQ(flags, model(x, y, z, result)) << std::hex << x << " " << y << " " << z;
      }
}

u32 host_flags() {
  u32 flags = 0;
  if (std::fetestexcept(FE_INEXACT) != 0) flags |= kInexact;
  if (std::fetestexcept(FE_UNDERFLOW) != 0) flags |= kUnderflow;
  if (std::fetestexcept(FE_OVERFLOW) != 0) flags |= kOverflow;
  if (std::fetestexcept(FE_INVALID) != 0) flags |= kInvalid;
  return flags;
}

/// Where neither operands nor the result are denormal, sums and products are those of IEEE 754.
TEST(RiscvFloatFlags, of_sums_and_products_without_denormals_are_the_hosts) {
  std::mt19937_64 random(bhemu::test::seed(72));
  const u64 rounds = bhemu::test::rounds(200'000);
  u64 compared = 0;
  for (u64 i = 0; i < rounds; ++i) {
    const auto [a, b, unused] = bhemu::test::draw_mul_add(random, i);
    for (const bool product : {false, true}) {
      volatile float x = std::bit_cast<float>(a);
      volatile float y = std::bit_cast<float>(b);
      std::feclearexcept(FE_ALL_EXCEPT);
      volatile float r = product ? x * y : x + y;
      const u32 expected = host_flags();
      const u32 host = std::bit_cast<u32>(static_cast<float>(r));
      if (is_denormal(a) || is_denormal(b) || is_denormal(host) || (expected & kUnderflow) != 0)
        continue;
      u32 flags = 0;
      const RiscvFloat fp = RiscvFloat::single(&flags);
      const u32 result = product ? fp.mul(a, b) : fp.add(a, b);
      if (!is_nan(host)) {
        ASSERT_EQ(result, host) << std::hex << a << " " << b;
      }
      ASSERT_EQ(flags, expected) << std::hex << a << " " << b << (product ? " times" : " plus");
      ++compared;
    }
  }
  EXPECT_GT(compared, rounds / 2);
}

TEST(RiscvFloatFlags, of_conversions_to_integers_are_the_hosts) {
  std::mt19937_64 random(bhemu::test::seed(73));
  for (u64 i = 0; i < bhemu::test::rounds(100'000); ++i) {
    const u32 exponent = 110 + static_cast<u32>(random() % 60);
    const u32 a = (static_cast<u32>(random()) & 0x807FFFFF) | exponent << 23;
    const double exact = std::bit_cast<float>(a);
    const double rounded = std::nearbyint(exact);
    for (const bool is_signed : {false, true}) {
      const double low = is_signed ? -2147483648.0 : 0.0;
      const double high = is_signed ? 2147483647.0 : 4294967295.0;
      const u32 expected = rounded < low || rounded > high ? u32{kInvalid}
                           : rounded != exact              ? u32{kInexact}
                                                           : 0;
      u32 flags = 0;
      const RiscvFloat fp = RiscvFloat::single(&flags);
      is_signed ? fp.to_signed(a, 32) : fp.to_unsigned(a, 32);
      ASSERT_EQ(flags, expected) << std::hex << a;
    }
  }
}

TEST(RiscvFloatFlags, of_conversions_from_integers_say_what_was_lost) {
  std::mt19937_64 random(bhemu::test::seed(74));
  for (u64 i = 0; i < bhemu::test::rounds(100'000); ++i) {
    const u32 value = static_cast<u32>(random()) >> (random() % 32);
    for (const HalfMode mode : {HalfMode::Fp16, HalfMode::Bf16Nearest, HalfMode::Bf16Truncate}) {
      u32 flags = 0;
      const u32 result = RiscvFloat::half(mode, &flags).from_unsigned(value);
      const float back = std::bit_cast<float>(widen_half(result, mode));
      const u32 expected = std::isinf(back)                     ? kOverflow | kInexact
                           : static_cast<double>(back) != value ? u32{kInexact}
                                                                : 0;
      ASSERT_EQ(flags, expected) << value;
    }
    u32 flags = 0;
    const u32 result = RiscvFloat::single(&flags).from_signed(static_cast<i32>(value));
    const double back = std::bit_cast<float>(result);
    ASSERT_EQ(flags, back != static_cast<i32>(value) ? u32{kInexact} : 0) << value;
  }
}

TEST(RiscvFloatFlags, of_every_half_narrowed_and_widened) {
  for (const HalfMode mode : {HalfMode::Fp16, HalfMode::Bf16Nearest, HalfMode::Bf16Truncate}) {
    const u32 infinity = mode == HalfMode::Fp16 ? 0x7C00 : 0x7F80;
    const u32 quiet = mode == HalfMode::Fp16 ? 0x200 : 0x40;
    for (u32 half = 0; half < 0x10000; ++half) {
      const bool nan = (half & 0x7FFF) > infinity;
      u32 flags = 0;
      const u32 single = RiscvFloat::half(mode, &flags).to_single(half);
      ASSERT_EQ(flags, nan && (half & quiet) == 0 ? u32{kInvalid} : 0) << std::hex << half;
      flags = 0;
      RiscvFloat::half(mode, &flags).from_single(single);
      ASSERT_EQ(flags, 0u) << "a widened half comes back: " << std::hex << half;
      if (nan || (half & infinity) == infinity || (half & infinity) == 0) continue;
      RiscvFloat::half(mode, &flags).from_single(single | 1);
      ASSERT_EQ(flags & kInexact, u32{kInexact}) << std::hex << half;
      ASSERT_EQ(flags & kOverflow, 0u) << std::hex << half;
    }
  }
  u32 flags = 0;
  const RiscvFloat fp16 = RiscvFloat::half(HalfMode::Fp16, &flags);
  EXPECT_EQ(fp16.from_single(0x47800000), 0x7C00u);  // 65536
  EXPECT_EQ(flags, kOverflow | kInexact);
  flags = 0;
  EXPECT_EQ(fp16.from_single(0x33000001), 0u);  // a denormal, flushed
  EXPECT_EQ(flags, kUnderflow | kInexact);
}

TEST(RiscvFloatFlags, of_comparisons_tell_quiet_nans_from_signaling_ones) {
  struct Row {
    u32 a, b;
    u32 equal, ordered;
  };
  constexpr u32 kQuiet = 0x7FC00000, kSignals = 0x7F800001, kOne = 0x3F800000;
  for (const Row& row : {Row{kOne, kOne, 0, 0}, Row{kQuiet, kOne, 0, kInvalid},
                         Row{kOne, kSignals, kInvalid, kInvalid}}) {
    u32 flags = 0;
    const RiscvFloat fp = RiscvFloat::single(&flags);
    fp.eq(row.a, row.b);
    EXPECT_EQ(flags, row.equal);
    flags = 0;
    fp.min(row.a, row.b);
    fp.max(row.a, row.b);
    EXPECT_EQ(flags, row.equal);
    flags = 0;
    fp.lt(row.a, row.b);
    EXPECT_EQ(flags, row.ordered);
    flags = 0;
    fp.le(row.a, row.b);
    EXPECT_EQ(flags, row.ordered);
    flags = 0;
    fp.sgnjx(row.a, row.b);
    fp.classify(row.a);
    EXPECT_EQ(flags, 0u);
  }
}

}  // namespace
}  // namespace bhemu::numeric
