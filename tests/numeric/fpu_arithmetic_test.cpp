// The accumulate step and the matrix product against a model in exact wide integers, written from
// the rules one element at a time and sharing nothing with the implementation.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "numeric/format_unpack.hpp"
#include "numeric/fpu_arithmetic.hpp"
#include "support/rounds.hpp"

namespace bhemu::numeric {
namespace {

__extension__ using Wide = __int128;

Wide floor_div(Wide a, Wide b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
/// Nearest, ties towards +infinity; `d` may be anything.
Wide nearest_up(Wide x, int d) {
  if (d <= 0) return x;
  const Wide unit = Wide{1} << std::min(d, 100);
  return floor_div(2 * x + unit, 2 * unit);
}
/// Nearest, ties away from zero.
Wide nearest_away(Wide x, int d) {
  return x < 0 ? -nearest_up(-x, d) : nearest_up(x, d);
}

struct ModelTerm {
  int exponent;
  Wide value;
};

class Model {
 public:
  explicit Model(FpuMode mode) : mode_(mode) {}

  int bias(u32 phase) const {
    const int kappa = !mode_.five_bit ? -127 : mode_.dst == DstKind::Fp32 ? 97 : -15;
    return kappa - ((phase & 1) != 0 ? 5 : 0) - ((phase & 2) != 0 ? 7 : 0);
  }
  static bool is_zero(u32 cell) { return (cell >> 23 & 255) == 0; }
  static int exponent(u32 cell) { return static_cast<int>(cell >> 23 & 255); }
  static Wide product(u32 a, u32 b, u32 phase) {
    const u32 na = 1024 + (a >> 13 & 1023), nb = 1024 + (b >> 13 & 1023);
    const Wide alpha = (phase & 1) != 0 ? na / 2 % 32 : na / 64;
    const Wide beta = (phase & 2) != 0 ? nb % 16 * 8 : nb / 16;
    return ((a ^ b) >> 31) != 0 ? -alpha * beta : alpha * beta;
  }

  ModelTerm group(const u32* a, const u32* b, u32 phase) const {
    int e[8], top = -1000;
    Wide p[8];
    for (int k = 0; k < 8; ++k) {
      const bool zero = is_zero(a[k]) || is_zero(b[k]);
      e[k] = zero ? std::max(bias(phase), 0) : exponent(a[k]) + exponent(b[k]) + bias(phase);
      p[k] = zero ? 0 : product(a[k], b[k], phase);
      top = std::max(top, e[k]);
    }
    if (top <= 0) return {0, 0};
    Wide sum = 0;
    for (int k = 0; k < 8; ++k) sum += nearest_away(p[k], top - e[k]);
    return {top, sum * 8192};
  }

  u32 dot(u32 old, const u32* a, const u32* b, u32 phase) const {
    const ModelTerm terms[2] = {group(a, b, phase), group(a + 8, b + 8, phase)};
    return accumulate(old, terms, 2);
  }

  u32 accumulate(u32 old, const ModelTerm* terms, int count) const {
    const bool wide = mode_.dst == DstKind::Fp32;
    const ModelTerm d = dst_term(old);
    int top = std::max(0, d.exponent);
    for (int i = 0; i < count; ++i) top = std::max(top, terms[i].exponent);
    if (top == 0) return 0;
    Wide sum = nearest_away(d.value, top - d.exponent);
    if (!wide) sum = nearest_away(sum, 13) * 8192;
    for (int i = 0; i < count; ++i) {
      Wide t = nearest_up(terms[i].value, top - terms[i].exponent);
      if (!wide) t = nearest_up(t, 13) * 8192;
      sum += t;
    }
    return encode(sum, top);
  }

 private:
  int fraction_bits() const {
    return mode_.dst == DstKind::Fp32 ? 23 : mode_.dst == DstKind::Bf16 ? 7 : 10;
  }
  int exponent_limit() const { return mode_.dst == DstKind::Fp16 ? 32 : 255; }
  u32 sign_bit() const { return mode_.dst == DstKind::Fp32 ? 0x80000000 : 0x8000; }

  ModelTerm dst_term(u32 old) const {
    const u32 unit = 1u << fraction_bits();
    const u32 magnitude = old & (sign_bit() - 1);
    if (magnitude < unit) return {0, 0};
    const Wide value = Wide{unit + magnitude % unit} << (23 - fraction_bits());
    return {static_cast<int>(magnitude / unit), (old & sign_bit()) != 0 ? -value : value};
  }

  u32 encode(Wide sum, int top) const {
    if (sum == 0) return 0;
    const u32 sign = sum < 0 ? sign_bit() : 0;
    const Wide magnitude = sum < 0 ? -sum : sum;
    int log2 = 0;
    while ((magnitude >> (log2 + 1)) != 0) ++log2;
    const int drop = log2 - fraction_bits();
    Wide q = drop > 0 ? nearest_up(magnitude, drop) : magnitude << -drop;
    int e = top + log2 - 23;
    const Wide unit = Wide{1} << fraction_bits();
    if (q == 2 * unit) {
      q = unit;
      ++e;
    }
    if (e <= 0) return 0;
    if (e >= exponent_limit())
      return sign | (mode_.dst == DstKind::Fp16   ? 0x7FFF
                     : mode_.dst == DstKind::Bf16 ? 0x7F80
                                                  : 0x7F800000);
    return sign | static_cast<u32>(Wide{e} * unit + q - unit);
  }

  FpuMode mode_;
};

constexpr FpuMode kModes[] = {
    {false, DstKind::Fp32}, {false, DstKind::Bf16}, {true, DstKind::Fp32}, {true, DstKind::Fp16}};

class Operands {
 public:
  explicit Operands(FpuMode mode) : mode_(mode), random_(test::seed(1234)) {}

  /// Cells whose exponents crowd together, some zeros, some extremes.
  u32 cell() {
    const u32 bits = static_cast<u32>(random_());
    const u32 limit = mode_.five_bit ? 31 : 255;
    u32 exponent = (mode_.five_bit ? 12 : 120) + (bits & 7);
    if ((bits >> 3 & 15) == 0) exponent = 0;
    if ((bits >> 3 & 15) == 1) exponent = bits >> 7 & limit;
    const u32 mantissa = (bits >> 15 & 3) == 0 ? (bits >> 17 & 1023) & 0x3C0 : bits >> 17 & 1023;
    return (bits & 0x8000) << 16 | exponent << 23 | mantissa << 13;
  }
  u32 dst() {
    const u32 bits = static_cast<u32>(random_());
    if (mode_.dst == DstKind::Fp16) return bits & 0xFFFF;
    const u32 word = (bits & 0x807FFFFF) | (112 + (bits >> 24 & 31)) << 23;
    return mode_.dst == DstKind::Fp32 ? word : word >> 16;
  }

 private:
  FpuMode mode_;
  std::mt19937_64 random_;
};

TEST(FpuArithmeticModel, random_matrix_products_agree_in_every_mode_and_phase) {
  for (const FpuMode mode : kModes) {
    Operands operands(mode);
    const Model model(mode);
    const u64 rounds = test::rounds(240 * 256) / 256;  // of 256 products
    for (u64 round = 0; round < rounds; ++round) {
      const u32 phase = static_cast<u32>(round % 4);
      u32 a[16][16], b[16], old[16], row[16];
      const u32* rows[16];
      for (u32 k = 0; k < 16; ++k) {
        rows[k] = a[k];
        b[k] = operands.cell();
        row[k] = old[k] = operands.dst();
        for (u32 j = 0; j < 16; ++j) a[k][j] = operands.cell();
      }
      MatrixOperandA prepared_a;
      MatrixOperandB prepared_b;
      prepare_operand_a(prepared_a, rows, kCellAll, phase);
      prepare_operand_b(prepared_b, b, kCellAll, phase, false);
      matrix_product_row(row, prepared_a, prepared_b, mode, phase);
      for (u32 j = 0; j < 16; ++j) {
        u32 column[16];
        for (u32 k = 0; k < 16; ++k) column[k] = a[k][j];
        ASSERT_EQ(row[j], model.dot(old[j], column, b, phase)) << "column " << j;
      }
    }
  }
}

TEST(FpuArithmeticModel, random_elementwise_products_agree_in_every_mode_and_phase) {
  for (const FpuMode mode : kModes) {
    Operands operands(mode);
    const Model model(mode);
    const u64 rounds = test::rounds(60'000);
    for (u64 round = 0; round < rounds; ++round) {
      const u32 phase = static_cast<u32>(round % 4);
      const u32 a = operands.cell(), b = operands.cell(), old = operands.dst();
      const int e = Model::exponent(a) + Model::exponent(b) + model.bias(phase);
      ModelTerm term{e, Model::product(a, b, phase) * 8192};
      if (Model::is_zero(a) || Model::is_zero(b) || e <= 0)
        term = {std::max(model.bias(phase), 0), 0};
      const u32 result = accumulate(mode.dst, term_of_dst(mode.dst, old),
                                    elementwise_product(a, b, mode, phase, false));
      ASSERT_EQ(result, model.accumulate(old, &term, 1)) << std::hex << a << " " << b;
    }
  }
}

TEST(FpuArithmeticModel, random_sums_and_differences_agree_with_and_without_dst) {
  for (const FpuMode mode : kModes) {
    Operands operands(mode);
    const Model model(mode);
    const u64 rounds = test::rounds(60'000);
    for (u64 round = 0; round < rounds; ++round) {
      const u32 a = operands.cell(), b = operands.cell();
      const u32 old = round % 2 == 0 ? operands.dst() : 0;
      auto number = [](u32 cell) {
        const Wide n = Model::is_zero(cell) ? 0 : 1024 + (cell >> 13 & 1023);
        return (cell >> 31) != 0 ? -n : n;
      };
      const int ea = Model::exponent(a), eb = Model::exponent(b), top = std::max(ea, eb);
      const Wide sum = nearest_away(number(a), top - ea) + nearest_away(number(b), top - eb);
      ModelTerm term{top, sum * 8192};
      if (mode.five_bit && mode.dst == DstKind::Fp32) term.exponent = top > 0 ? top + 112 : 97;
      const u32 result =
          accumulate(mode.dst, term_of_dst(mode.dst, old), elementwise_sum(a, b, mode, 0, false));
      ASSERT_EQ(result, model.accumulate(old, &term, 1)) << std::hex << a << " " << b;
    }
  }
}

/// All pairs of 8-bit floats as the unpackers deliver them, in every phase, on a Dst of 0.
TEST(FpuArithmeticModel, every_pair_of_fp8_numbers_has_its_product) {
  for (const bool e4m3 : {false, true}) {
    UnpackFlags flags;
    flags.fp8_e4m3 = e4m3;
    u32 cells[256];
    const UnpackRow convert = unpack_row_to_src(Format::Fp8, Format::Fp8, flags);
    ASSERT_NE(convert, nullptr);
    const u8 exponents[16] = {};
    for (u32 first = 0; first < 256; first += 16) {
      u32 datums[16];
      for (u32 i = 0; i < 16; ++i) datums[i] = first + i;
      ASSERT_TRUE(convert(datums, exponents, &cells[first]));
    }
    for (const FpuMode mode : {kModes[2], kModes[3]}) {
      const Model model(mode);
      for (u32 i = 0; i < 0x40000; ++i) {
        const u32 a = cells[i % 256], b = cells[i / 256 % 256], phase = i >> 16;
        const int e = Model::exponent(a) + Model::exponent(b) + model.bias(phase);
        ModelTerm term{e, Model::product(a, b, phase) * 8192};
        if (Model::is_zero(a) || Model::is_zero(b) || e <= 0)
          term = {std::max(model.bias(phase), 0), 0};
        ASSERT_EQ(accumulate(mode.dst, term_of_dst(mode.dst, 0),
                             elementwise_product(a, b, mode, phase, false)),
                  model.accumulate(0, &term, 1))
            << std::hex << a << " " << b << " phase " << phase;
      }
    }
  }
}

TEST(FpuArithmeticModel, rounding_helpers_agree_for_every_distance) {
  std::mt19937 random(77);
  for (u32 i = 0; i < 200'000; ++i) {
    const i32 x = static_cast<i32>(random() & 0x3FFFFFFF) >> (i % 30);
    for (const i32 value : {x, -x}) {
      const i32 distance = static_cast<i32>(i % 45) - 3;
      ASSERT_EQ(round_up(value, distance), static_cast<i32>(nearest_up(value, distance)));
      ASSERT_EQ(round_away(value, distance), static_cast<i32>(nearest_away(value, distance)));
    }
  }
}

TEST(FpuArithmeticModel, four_integer_phases_add_up_to_the_full_product) {
  for (i32 a = -255; a <= 255; ++a) {
    for (i32 b = -1023; b <= 1023; ++b) {
      auto cell = [](i32 v) {
        return (v < 0 ? 0x80000000u : 0u) | 16u << 23 | static_cast<u32>(std::abs(v)) << 13;
      };
      i32 sum = 0;
      for (u32 phase = 0; phase < 4; ++phase)
        sum += integer_slice(cell(a), integer_slice_mask_a(phase)) *
               integer_slice(cell(b), integer_slice_mask_b(phase));
      ASSERT_EQ(sum, a * b);
    }
  }
}

}  // namespace
}  // namespace bhemu::numeric
