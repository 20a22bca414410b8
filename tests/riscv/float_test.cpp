// Floating point against a second model and against measured vectors.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "riscv/guest.hpp"

namespace bhemu::riscv {
namespace {

using numeric::HalfMode;
using numeric::RiscvFloat;

u32 bits_of(float value) {
  return std::bit_cast<u32>(value);
}
float float_of(u32 value) {
  return std::bit_cast<float>(value);
}
bool is_nan(u32 value) {
  return (value & 0x7FFFFFFF) > 0x7F800000;
}
u32 flush(u32 value) {
  return (value & 0x7F800000) == 0 ? value & 0x80000000 : value;
}

/// The multiply-add of the numerics notes, written with divisions on signed integers: no shifts,
/// no code shared with the library.
u32 model_mul_add(u32 x, u32 y, u32 z) {
  const auto exponent = [](u32 v) { return static_cast<int>(v / 0x800000 % 256); };
  const auto magnitude = [&](u32 v) -> i64 {
    return exponent(v) == 0 ? 0 : 0x800000 + static_cast<i64>(v % 0x800000);
  };
  const auto is_infinite = [](u32 v) { return (v & 0x7FFFFFFF) == 0x7F800000; };
  const auto divide_sticky = [](i64 v, int places) {
    for (int i = 0; i < places; ++i) v = v / 2 % 2 == 0 && v % 2 == 1 ? v / 2 + 1 : v / 2;
    return v;
  };
  constexpr u32 kNan = 0x7FC00000;
  if (is_nan(x) || is_nan(y) || is_nan(z)) return kNan;
  const i64 mx = magnitude(x), my = magnitude(y), mz = magnitude(z);
  if ((is_infinite(x) && my == 0) || (is_infinite(y) && mx == 0)) return kNan;
  const bool minus_p = (x >= 0x80000000) != (y >= 0x80000000);
  const bool minus_z = z >= 0x80000000;
  const u32 sign_p = minus_p ? 0x80000000 : 0;
  const bool product_infinite = is_infinite(x) || is_infinite(y);
  if (is_infinite(z)) return product_infinite && minus_p != minus_z ? kNan : z;
  const int e = exponent(x) + exponent(y) - 127;
  if (product_infinite || (mx * my != 0 && e >= 255)) return sign_p + 0x7F800000;
  const u32 zero = minus_p && minus_z ? 0x80000000 : 0;
  if (mx * my == 0 || e < 0) return mz != 0 ? z : zero;
  i64 p = divide_sticky(mx * my, 20);
  i64 q = mz * 8;
  const int base = std::max(e, exponent(z));
  const auto align = [&](i64 v, int places) {
    i64 whole = v;
    for (int i = 0; i < places && whole != 0; ++i) whole /= 2;
    return whole == 0 ? 0 : divide_sticky(v, places);
  };
  p = align(p, base - e) * (minus_p ? -1 : 1);
  q = align(q, base - exponent(z)) * (minus_z ? -1 : 1);
  const i64 sum = p + q;
  if (sum == 0) return zero;
  i64 r = std::abs(sum);
  int k = 0;
  while (r >> 27 >> std::max(k, 0) != 0) ++k;
  while (k <= 0 && k > -40 && r * (i64{1} << -k) < (i64{1} << 26)) --k;
  int result_exponent = base + k;
  const u32 sign = sum < 0 ? 0x80000000 : 0;
  if (result_exponent >= 255) return sign + 0x7F800000;
  if (result_exponent <= 0) {
    ++k;
    result_exponent = 0;
  }
  r = k > 0 ? divide_sticky(r, k) : r * (i64{1} << -k);
  u32 v = static_cast<u32>(result_exponent) * 0x800000 + static_cast<u32>(r / 8 % 0x800000);
  if (r % 8 > 4 || (r % 8 == 4 && v % 2 == 1)) ++v;
  return sign + (v < 0x800000 ? 0 : v);
}

constexpr u32 kSpecial[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001,
                            1,          0x80000001, 0x007FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF,
                            0xFF7FFFFF, 0x3F800000, 0xBF800000, 0x34000000, 0x00FFFFFF, 0x4B7FFFFF};

class Operands {
 public:
  explicit Operands(u64 seed) : random_(seed) {}
  u32 next() {
    const u32 any = static_cast<u32>(random_());
    switch (random_() % 6) {
      case 0:
        return kSpecial[any % std::size(kSpecial)];
      case 1:
        return any;
      case 2:
        return (any & 0x807FFFFF) | static_cast<u32>(random_() % 4) << 23;
      case 3:
        return (any & 0x807FFFFF) | static_cast<u32>(251 + random_() % 4) << 23;
      default:
        return (any & 0x807FFFFF) | static_cast<u32>(118 + random_() % 20) << 23;
    }
  }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

TEST(Float, multiply_add_equals_the_second_model) {
  Operands operands(1);
  for (int i = 0; i < 300'000; ++i) {
    const u32 x = operands.next();
    const u32 y = operands.next();
    u32 z = operands.next();
    if (i % 3 == 0) z = bits_of(-float_of(x) * float_of(y)) + static_cast<u32>(i % 5) - 2;
    ASSERT_EQ(numeric::riscv_mul_add(x, y, z), model_mul_add(x, y, z))
        << std::hex << x << ' ' << y << ' ' << z;
  }
  for (const u32 x : kSpecial)
    for (const u32 y : kSpecial)
      for (const u32 z : kSpecial)
        ASSERT_EQ(numeric::riscv_mul_add(x, y, z), model_mul_add(x, y, z));
}

TEST(Float, addition_and_multiplication_are_ieee_but_for_denormals) {
  Operands operands(2);
  const RiscvFloat fp = RiscvFloat::single();
  for (int i = 0; i < 300'000; ++i) {
    const u32 a = operands.next();
    const u32 b = operands.next();
    const float fa = float_of(flush(a));
    const float fb = float_of(flush(b));
    const u32 sum = bits_of(fa + fb);
    const u32 product = bits_of(fa * fb);
    ASSERT_EQ(fp.add(a, b), is_nan(sum) ? numeric::kNanSingle : flush(sum))
        << std::hex << a << ' ' << b;
    const u32 exact = is_nan(product) ? numeric::kNanSingle : flush(product);
    ASSERT_EQ(fp.mul(a, b), exact) << std::hex << a << ' ' << b;
    ASSERT_EQ(fp.lt(a, b), float_of(a) < float_of(b));
    ASSERT_EQ(fp.le(a, b), float_of(a) <= float_of(b));
    ASSERT_EQ(fp.eq(a, b), float_of(a) == float_of(b));
  }
}

// Section 16.1 of the numerics notes: what the reference simulator of the vendor gives.
struct Measured {
  u32 word, a, b, c, result;
};
constexpr Measured kMeasured[] = {
    {0x001071D3, 0x00000001, 0x80000001, 0, 0x00000000},
    {0x001071D3, 0x3F800000, 0x33800000, 0, 0x3F800000},
    {0x101071D3, 0x80000000, 0x3F800000, 0, 0x80000000},
    {0x101071D3, 0x00FFFFFF, 0x3F000000, 0, 0x00800000},
    {0x101071C3, 0x3F800001, 0x3F800001, 0xBF800002, 0x32800000},
    {0x101071C3, 0x3F800001, 0x3F800001, 0xBF800000, 0x34880000},
    {0x101071C3, 0x3FFFFFFF, 0x3FFFFFFF, 0xC07FFFFE, 0x33000000},
    {0x101071C3, 0x3F9FCC98, 0x0099CB03, 0x80800000, 0x00800000},
    {0x101071C3, 0x7F7FFFFF, 0x3F800001, 0xFF7FFFFF, 0x73F00000},
    {0x101071C3, 0x7F000000, 0x7F000000, 0xFF800000, 0xFF800000},
    {0x101071C3, 0x7F000000, 0x40000000, 0xFF7FFFFF, 0x7F800000},
    {0x101071C3, 0x20000000, 0x20000000, 0x00800000, 0x01000000},
    {0x101071CF, 0x00000000, 0x3F800000, 0, 0x80000000},
    {0x101071CB, 0x3F800000, 0x3F800000, 0x3F800000, 0x00000000},
    {0x281001D3, 0x00000001, 0x80000000, 0, 0x80000000},
    {0x281011D3, 0x7FC00001, 0x7F800001, 0, 0x7FC00000},
    {0xC00075D3, 0x40200000, 0, 0, 2},
    {0xC00075D3, 0xFFC00000, 0, 0, 0x7FFFFFFF},
    {0xC01075D3, 0xBF000000, 0, 0, 0},
    {0xA01015D3, 0x80000001, 0, 0, 1},
    {0xE00015D3, 0x7F800001, 0, 0, 0x100},
};

TEST(Float, instructions_give_the_measured_results) {
  for (const Measured& m : kMeasured) {
    for (u32 mode = 0; mode < 8; ++mode) {
      const bool has_mode = row_of(find_row(m.word)->op).bits[17] == '-';
      if (!has_mode && mode != 7) continue;
      Guest guest;
      guest.core.f[0] = m.a;
      guest.core.f[1] = m.b;
      guest.core.f[2] = m.c;
      // Rounding mode bits have no effect, reserved values included.
      const u32 word = has_mode ? with_bits(m.word, 12, 3, mode) : m.word;
      ASSERT_EQ(guest.execute({word}), Outcome::Ok);
      const bool to_x = rd_of(m.word) == 11;
      EXPECT_EQ(to_x ? guest.core.x[11] : guest.core.f[3], m.result) << std::hex << m.word;
    }
  }
}

TEST(Float, integers_convert_to_nearest_even) {
  const RiscvFloat fp = RiscvFloat::single();
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const u32 value = static_cast<u32>(random()) >> (random() % 32);
    ASSERT_EQ(fp.from_unsigned(value), bits_of(static_cast<float>(value)));
    ASSERT_EQ(fp.from_signed(static_cast<i32>(value)),
              bits_of(static_cast<float>(static_cast<i32>(value))));
    const u32 f = static_cast<u32>(random());
    if (is_nan(f)) continue;
    const double exact = std::nearbyint(static_cast<double>(float_of(f)));
    const double low = std::clamp(exact, -2147483648.0, 2147483647.0);
    ASSERT_EQ(static_cast<i32>(fp.to_signed(f, 32)), static_cast<i32>(low));
    ASSERT_EQ(fp.to_unsigned(f, 32), static_cast<u32>(std::clamp(exact, 0.0, 4294967295.0)));
    const double cut = std::clamp(std::trunc(static_cast<double>(float_of(f))), -128.0, 127.0);
    ASSERT_EQ(fp.to_signed(f, 8, true), static_cast<u8>(static_cast<i32>(cut)));
  }
}

// ---- Half formats -----------------------------------------------------------------------------

double double_of_half(u32 half, HalfMode mode) {
  const int bias = mode == HalfMode::Fp16 ? 15 : 127;
  const int fraction_bits = mode == HalfMode::Fp16 ? 10 : 7;
  const int exponent = static_cast<int>((half & 0x7FFF) >> fraction_bits);
  const double fraction = half & ((1u << fraction_bits) - 1);
  if (exponent == 0) return (half & 0x8000) != 0 ? -0.0 : 0.0;
  const double value = std::ldexp(1.0 + std::ldexp(fraction, -fraction_bits), exponent - bias);
  return (half & 0x8000) != 0 ? -value : value;
}

/// Rounds by scaling and nearbyint; finite values only.
u32 half_of_double(double value, HalfMode mode) {
  const int fraction_bits = mode == HalfMode::Fp16 ? 10 : 7;
  const int bias = mode == HalfMode::Fp16 ? 15 : 127;
  const u32 sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  const double scaled = std::ldexp(magnitude, fraction_bits - exponent);
  const double units = mode == HalfMode::Bf16Truncate ? std::floor(scaled) : std::nearbyint(scaled);
  const double rounded = std::ldexp(units, exponent - fraction_bits);
  if (rounded < std::ldexp(1.0, 1 - bias)) return sign;
  exponent = std::ilogb(rounded);
  if (exponent > bias) return sign | (((2u * static_cast<u32>(bias)) + 1) << fraction_bits);
  const double fraction = std::ldexp(rounded, fraction_bits - exponent) - (1 << fraction_bits);
  return sign | static_cast<u32>(exponent + bias) << fraction_bits | static_cast<u32>(fraction);
}

constexpr HalfMode kModes[] = {HalfMode::Fp16, HalfMode::Bf16Truncate, HalfMode::Bf16Nearest};

bool is_finite_half(u32 half, HalfMode mode) {
  return (half & 0x7FFF) < (mode == HalfMode::Fp16 ? 0x7C00 : 0x7F80);
}

TEST(Half, every_finite_value_survives_widening_and_narrowing) {
  for (const HalfMode mode : kModes) {
    for (u32 half = 0; half < 0x10000; ++half) {
      if (!is_finite_half(half, mode)) continue;
      const u32 single = numeric::widen_half(half, mode);
      ASSERT_EQ(static_cast<double>(float_of(single)), double_of_half(half, mode));
      const u32 back = double_of_half(half, mode) == 0 ? half & 0x8000 : half;
      ASSERT_EQ(numeric::narrow_half(single, mode), back);
      ASSERT_EQ(numeric::narrow_half_odd(single, mode), back);
    }
  }
}

TEST(Half, narrowing_rounds_as_the_mode_says) {
  std::mt19937_64 random(4);
  for (const HalfMode mode : kModes) {
    for (int i = 0; i < 200'000; ++i) {
      u32 single = static_cast<u32>(random());
      if (i % 2 == 0) single = (single & 0x807FFFFF) | static_cast<u32>(95 + random() % 60) << 23;
      if (i % 4 == 0) single &= 0xFFFFF000;  // ties
      if ((single & 0x7F800000) == 0x7F800000) continue;
      ASSERT_EQ(numeric::narrow_half(single, mode),
                half_of_double(static_cast<double>(float_of(flush(single))), mode))
          << std::hex << single;
    }
    EXPECT_EQ(numeric::narrow_half(0xFFC12345, mode), numeric::nan_half(mode));
    EXPECT_EQ(numeric::narrow_half(0xFF800000, mode), mode == HalfMode::Fp16 ? 0xFC00u : 0xFF80u);
  }
}

TEST(Half, arithmetic_rounds_the_single_precision_result) {
  std::mt19937_64 random(5);
  for (const HalfMode mode : kModes) {
    const RiscvFloat fp = RiscvFloat::half(mode);
    for (int i = 0; i < 200'000; ++i) {
      const u32 a = static_cast<u32>(random()) & 0xFFFF;
      const u32 b = static_cast<u32>(random()) & 0xFFFF;
      if (!is_finite_half(a, mode) || !is_finite_half(b, mode)) continue;
      const float x = static_cast<float>(double_of_half(a, mode));
      const float y = static_cast<float>(double_of_half(b, mode));
      for (const auto& [result, single] : {std::pair{fp.add(a, b), x + y}, {fp.mul(a, b), x * y}}) {
        const u32 exact = flush(bits_of(single));
        if ((exact & 0x7F800000) == 0x7F800000) continue;
        ASSERT_EQ(result, half_of_double(static_cast<double>(float_of(exact)), mode));
      }
    }
  }
}

struct HalfVector {
  Op op;
  u32 cfg0, a, b, c, result;
};
constexpr u32 kBf16 = kCfg0EnBFloat;
constexpr u32 kBf16Nearest = kCfg0EnBFloat | kCfg0EnBFloatRTNE;
constexpr HalfVector kHalfVectors[] = {
    {Op::fadd_h, 0, 0xFFFF3C00, 0xFFFF3C00, 0, 0xFFFF4000},
    {Op::fadd_h, kCfg0EnBFloatRTNE, 0xFFFF3C00, 0xFFFF3C00, 0, 0xFFFF4000},  // bit 31 alone: FP16
    {Op::fadd_h, kBf16, 0xFFFF3F80, 0xFFFF3F80, 0, 0xFFFF4000},
    {Op::fadd_h, kBf16, 0xFFFF3F81, 0xFFFF3BFF, 0, 0xFFFF3F81},  // 1 + 2^-7 + almost 2^-7
    {Op::fadd_h, kBf16Nearest, 0xFFFF3F81, 0xFFFF3BFF, 0, 0xFFFF3F82},
    {Op::fsub_h, 0, 0xFFFF3C00, 0xFFFF3C00, 0, 0xFFFF0000},
    {Op::fmul_h, 0, 0xFFFF0400, 0xFFFF3800, 0, 0xFFFF0000},  // a denormal result is flushed
    {Op::fmul_h, 0, 0xFFFF8400, 0xFFFF3800, 0, 0xFFFF8000},
    {Op::fmul_h, 0, 0xFFFF7BFF, 0xFFFF4000, 0, 0xFFFF7C00},
    {Op::fadd_h, 0, 0xFFFF03FF, 0xFFFF0000, 0, 0xFFFF0000},  // a denormal operand is zero
    {Op::fadd_h, 0, 0x00003C00, 0xFFFF3C00, 0, 0xFFFF7E00},  // not boxed: NaN
    {Op::fadd_h, kBf16, 0x00003C00, 0xFFFF3C00, 0, 0xFFFF7FC0},
    {Op::fmadd_h, 0, 0xFFFF4000, 0xFFFF4200, 0xFFFF3C00, 0xFFFF4700},
    {Op::fmsub_h, 0, 0xFFFF4000, 0xFFFF4200, 0xFFFF3C00, 0xFFFF4500},
    {Op::fnmsub_h, 0, 0xFFFF4000, 0xFFFF4200, 0xFFFF3C00, 0xFFFFC500},
    {Op::fnmadd_h, 0, 0xFFFF4000, 0xFFFF4200, 0xFFFF3C00, 0xFFFFC700},
    {Op::fmin_h, 0, 0xFFFF0000, 0xFFFF8000, 0, 0xFFFF8000},
    {Op::fmax_h, kBf16, 0xFFFF7FC1, 0xFFFF0001, 0, 0xFFFF0001},
    {Op::fsgnjn_h, 0, 0xFFFF3C00, 0xFFFF3C00, 0, 0xFFFFBC00},
    {Op::fsgnjx_h, 0, 0xFFFFBC00, 0xFFFFBC00, 0, 0xFFFF3C00},
    {Op::fcvt_s_h, 0, 0xFFFF3C01, 0, 0, 0x3F802000},
    {Op::fcvt_s_h, kBf16, 0xFFFF3F81, 0, 0, 0x3F810000},
    {Op::fcvt_h_s, 0, 0x3F801000, 0, 0, 0xFFFF3C00},
    {Op::fcvt_h_s, 0, 0x3F803000, 0, 0, 0xFFFF3C02},
    {Op::fcvt_h_s, kBf16, 0x3F81FFFF, 0, 0, 0xFFFF3F81},
    {Op::fcvt_h_s, kBf16Nearest, 0x3F818000, 0, 0, 0xFFFF3F82},
};

TEST(Half, instructions_follow_cfg0) {
  for (const HalfVector& v : kHalfVectors) {
    Guest guest;
    guest.core.csr.cfg0 = v.cfg0;
    guest.core.f[1] = v.a;
    guest.core.f[2] = v.b;
    guest.core.f[3] = v.c;
    const bool unary = v.op == Op::fcvt_s_h || v.op == Op::fcvt_h_s;
    const bool ternary = row_of(v.op).format == Format::FpTernaryHalf;
    const u32 word =
        match_of(v.op) | 4 << 7 | 1 << 15 | (unary ? 0 : 2 << 20) | (ternary ? 3u << 27 : 0);
    ASSERT_EQ(guest.execute({word}), Outcome::Ok);
    EXPECT_EQ(guest.core.f[4], v.result) << row_of(v.op).name << std::hex << ' ' << v.a;
  }
}

TEST(Half, moves_loads_and_compares) {
  Guest guest;
  guest.core.x[10] = 0x2000;
  guest.memory.write32(0x2000, 0x3C00C000);
  guest.execute(
      {encode_i(Op::flh, 1, 10, 0), encode_i(Op::flh, 2, 10, 2),
       match_of(Op::fmv_x_h) | 11 << 7 | 1 << 15, match_of(Op::fmv_h_x) | 3 << 7 | 10 << 15,
       encode_r(Op::flt_h, 12, 1, 2), encode_r(Op::feq_h, 13, 1, 1), encode_r(Op::fle_h, 14, 2, 1),
       encode_s(Op::fsh, 1, 10, 4), match_of(Op::fcvt_w_h) | 15 << 7 | 1 << 15,
       match_of(Op::fcvt_wu_h) | 16 << 7 | 2 << 15, match_of(Op::fcvt_h_w) | 5 << 7 | 15 << 15,
       match_of(Op::fcvt_h_wu) | 6 << 7 | 16 << 15, match_of(Op::fclass_h) | 17 << 7 | 1 << 15});
  EXPECT_EQ(guest.core.f[1], 0xFFFFC000);
  EXPECT_EQ(guest.core.f[2], 0xFFFF3C00);
  EXPECT_EQ(guest.core.x[11], 0xFFFFC000);
  EXPECT_EQ(guest.core.f[3], 0xFFFF2000);
  EXPECT_EQ(guest.core.x[12], 1u);
  EXPECT_EQ(guest.core.x[13], 1u);
  EXPECT_EQ(guest.core.x[14], 0u);
  EXPECT_EQ(guest.memory.read32(0x2004), 0xC000u);
  EXPECT_EQ(guest.core.x[15], static_cast<u32>(-2));
  EXPECT_EQ(guest.core.x[16], 1u);
  EXPECT_EQ(guest.core.f[5], 0xFFFFC000);
  EXPECT_EQ(guest.core.f[6], 0xFFFF3C00);
  EXPECT_EQ(guest.core.x[17], 2u);
}

}  // namespace
}  // namespace bhemu::riscv
