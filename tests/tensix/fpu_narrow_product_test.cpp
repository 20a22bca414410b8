// Products into a Dst of bf16 in their usual form, which works in floats alone: against the scalar
// arithmetic, for every target that this host can run.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tensix/fpu_kernel_bench.hpp"

namespace bhemu::tensix {
namespace {

using namespace kernels;

constexpr FpuMode kBf16{false, DstKind::Bf16};

class FpuNarrowProduct : public OnTarget {
 protected:
  /// Whether products have to be taken: scalar code leaves them to others, and BHEMU_SIMD chooses
  /// it where it names another target than the test's.
  bool takes_products() const {
    return GetParam() != HWY_SCALAR && std::getenv("BHEMU_SIMD") == nullptr;
  }
  /// Prepares the operands as `job` has them. All phases of a round share the exponents.
  void prepare() {
    tile_.describe(job_);
    for (u32 k = 0; k < 16; ++k) job_.a[k] = tile_.a[k];
    job_.mode = kBf16;
    sources_.known = 0;
    has_exponents_ = false;
  }
  /// False if the product was left to others, which is checked to have changed nothing.
  bool multiply(u32 phase) {
    job_.phase = phase;
    const bool first = !std::exchange(has_exponents_, true);
    const OperandJob operands[] = {{{tile_.a[0], tile_.a[8]}, &a_, nullptr, phase & 1, first},
                                   {{tile_.b[0], nullptr}, nullptr, &b_, phase >> 1, first}};
    prepare_operands(operands, std::size(operands), {job_.mask_a, job_.mask_b, job_.mode});
    const Tile before = tile_;
    const NarrowProduct product{0, 0, static_cast<u8>(phase), 0};
    ProductChain chain{tile_.high[0], tile_.high[0], 0};
    if (run_narrow_products(sources_, &product, &chain, 1) == 0) {
      EXPECT_EQ(std::memcmp(&before, &tile_, sizeof tile_), 0);
      return false;
    }
    EXPECT_EQ(sources_.known, 1u);
    return true;
  }
  void expect_the_scalar_result(const char* what, u32 round) {
    numeric::MatrixOperandA a;
    prepare_operand_a(a, job_.a, job_.mask_a, job_.phase);
    for (u32 i = 0; i < 8; ++i) {
      numeric::MatrixOperandB b;
      prepare_operand_b(b, tile_.b[i], job_.mask_b, job_.phase, false);
      alignas(64) u32 expected[16];
      std::copy_n(tile_.old[i], 16, expected);
      matrix_product_row(expected, a, b, kBf16, job_.phase);
      for (u32 j = 0; j < 16; ++j)
        ASSERT_EQ(tile_.get(kBf16.dst, i, j), expected[j])
            << what << ", round " << round << ", row " << i << ", column " << j;
    }
  }
  /// A product of the first phase, with all bits of the operands. False if it was left to others.
  bool agrees(const char* what, u32 round) {
    job_.mask_a = job_.mask_b = numeric::kCellAll;
    prepare();
    if (!multiply(0)) return false;
    expect_the_scalar_result(what, round);
    return true;
  }
  /// Rows without products, beside which a running sum begins at another number.
  void empty_some_rows() {
    for (auto& row : tile_.b)
      if (operands_.bits() % 4 == 0) std::fill(std::begin(row), std::end(row), 0u);
  }
  /// What is there becomes what the next product adds to.
  void go_on() {
    for (u32 i = 0; i < 8; ++i)
      for (u32 j = 0; j < 16; ++j) tile_.set(kBf16.dst, i, j, tile_.get(kBf16.dst, i, j));
  }

  /// Dst of one power of two, and in the second group as much with the other sign, in one lane or
  /// in two: what is left is how the first group's sum was rounded beside it.
  void take_dst_back(u32 exponent) {
    for (u32 j = 0; j < 16; ++j) {
      const u32 sign = operands_.bits() & 1;
      const u32 lanes = 1 + operands_.bits() % 2;
      for (u32 i = 0; i < 8; ++i) {
        tile_.set(kBf16.dst, i, j, sign << 15 | exponent << 7);
        tile_.b[i][j / 8 + 8] = 127u << 23;
      }
      for (u32 k = 8; k < 16; ++k)
        tile_.a[k][j] = k < 8 + lanes ? (sign ^ 1) << 31 | (exponent + 1 - lanes) << 23 : 0;
    }
  }

  /// Mantissas of SrcA of eight lanes, in units of 1/16 (0 or 16 to 31), whose products with
  /// these of SrcB, in units of 1/64, come to `sum`. False if none were found.
  bool draw_sum(u32 sum, const u32 (&beta)[8], u32 (&alpha)[8]) {
    for (u32 attempt = 0; attempt < 1000; ++attempt) {
      u32 rest = sum;
      for (u32 k = 0; k < 7; ++k) {
        alpha[k] = operands_.bits() % 3 == 0 ? 0 : 16 + operands_.bits() % 16;
        if (alpha[k] * beta[k] > rest) alpha[k] = 0;
        rest -= alpha[k] * beta[k];
      }
      alpha[7] = rest / beta[7];
      if (alpha[7] * beta[7] == rest && alpha[7] < 32 && (alpha[7] >= 16 || alpha[7] == 0))
        return true;
    }
    return false;
  }

  Tile tile_{};
  MatrixJob job_;
  ProductOperandA a_;
  ProductOperandB b_;
  ProductFields fields_;
  ProductSources sources_{&a_, &b_, &fields_};
  bool has_exponents_ = false;
  Operands operands_;
};

TEST_P(FpuNarrowProduct, equals_the_scalar_one_in_every_phase_whatever_dst_holds) {
  u32 taken[std::size(kSpreads)] = {};
  for (u32 round = 0; round < 3500; ++round) {
    const u32 kind = round % std::size(kSpreads);
    tile_.fill(operands_, kBf16, kSpreads[kind]);
    job_.mask_a = kEightBitMasks[round / 2 % 2];
    job_.mask_b = kEightBitMasks[round / 4 % 2];
    // Numbers of every size, zeros, and what looks like denormals, which count as zeros.
    const u32 base = operands_.bits() % 230;
    for (u32 i = 0; i < 8 && round % 3 != 0; ++i)
      for (u32 j = 0; j < 16; ++j)
        tile_.set(kBf16.dst, i, j,
                  (operands_.bits() & 0x807F) | (operands_.bits() % 8 == 0 ? 0 : base + j) << 7);
    prepare();
    for (u32 phase = 0; phase < 4; ++phase) {
      if (!multiply(phase)) continue;
      ++taken[kind];
      expect_the_scalar_result("spread", round);
      if (HasFatalFailure()) return;
      go_on();
    }
  }
  if (!takes_products()) return;
  for (const Spread spread : {Spread::Close, Spread::Wide})
    EXPECT_GT(taken[static_cast<u32>(spread)], 1000u);
  for (const Spread spread : {Spread::High, Spread::Edge})
    EXPECT_GT(taken[static_cast<u32>(spread)], 0u);
}

/// Sums about a half of what the last bit of the largest term is worth, above and below, from
/// either group and both at once: where they are rounded, twice from a distance of 14 on.
TEST_P(FpuNarrowProduct, sums_near_a_tie_are_rounded_as_the_scalar_ones_at_every_distance) {
  u32 taken = 0;
  for (u32 round = 0; round < 12000; ++round) {
    const u32 distance = round % 2 == 0 ? 14 + round / 2 % 2 : round / 2 % 20;
    const u32 beside = operands_.bits() % 4;
    tile_ = Tile{};
    const u32 middle = 120;
    const auto cell = [&](u32 exponent, u32 mantissa) {
      return (operands_.bits() & 0x80000000) | exponent << 23 | mantissa << 13;
    };
    const u32 sign = operands_.bits() & 0x80000000;
    const u32 lanes = 3 + operands_.bits() % 6;
    const bool any = operands_.bits() % 3 != 0;
    for (u32 j = 0; j < 16; ++j) {
      for (u32 k = 0; k < 16; ++k) {
        // Some lanes of any value and one sign, or lanes of one, two and so on and of few units.
        const u32 choice = operands_.bits() % 8;
        const u32 few = cell(middle - 8 - operands_.bits() % 4, operands_.bits() & 0x3FF);
        if (any)
          tile_.a[k][j] = k % 8 < lanes ? sign | (few & 0x7FE000) | middle << 23 : 0;
        else
          tile_.a[k][j] = choice < 5 ? sign | (middle - choice % 3) << 23 : choice < 7 ? few : 0;
        const u32 one = operands_.bits() % 4 == 0 ? 0x10u << 17 : 0;
        tile_.b[k % 8][j] = 127u << 23 | (any ? operands_.bits() & 0x7F0000 : one);
      }
      // What the sums are added to: lane 8 of the other group, or Dst, or nothing.
      if (beside == 0) tile_.a[8][j] = cell(middle + distance, operands_.bits() & 0x3C0);
      for (u32 i = 0; i < 8; ++i)
        tile_.set(kBf16.dst, i, j,
                  beside == 1 ? cell(middle + distance, operands_.bits() & 0x3F8) >> 16 : 0);
    }
    if (beside == 3) take_dst_back(middle + distance);
    empty_some_rows();
    taken += agrees("tie", round) ? 1 : 0;
    if (HasFatalFailure()) return;
  }
  if (takes_products()) {
    EXPECT_GT(taken, 11990u) << "nearly never are all rows without products";
  }
}

/// Sums that are a few units beside a tie, at the distances around where roundings become two,
/// which nothing hides: what is larger is taken back.
TEST_P(FpuNarrowProduct, sums_a_few_units_beside_a_tie_are_rounded_as_the_scalar_ones) {
  constexpr u32 kMiddle = 120;
  u32 taken = 0;
  for (u32 round = 0; round < 600; ++round) {
    const u32 distance = 12 + round % 4;
    tile_ = Tile{};
    u32 beta[8];
    for (u32& b : beta) b = 64 + operands_.bits() % 64;
    for (u32 j = 0; j < 16; ++j) {
      u32 alpha[8];
      const u32 sign = operands_.bits() & 0x80000000;
      if (!draw_sum((1u << (distance - 1)) + operands_.bits() % 11 - 5, beta, alpha)) continue;
      for (u32 k = 0; k < 8; ++k)
        tile_.a[k][j] = alpha[k] == 0 ? 0 : sign | kMiddle << 23 | (alpha[k] - 16) << 19;
    }
    for (auto& row : tile_.b)
      for (u32 k = 0; k < 8; ++k) row[k] = 127u << 23 | (beta[k] - 64) << 17;
    take_dst_back(kMiddle + distance);
    empty_some_rows();
    taken += agrees("beside a tie", round) ? 1 : 0;
    if (HasFatalFailure()) return;
  }
  if (takes_products()) {
    EXPECT_GT(taken, 550u);
  }
}

/// Every fraction of Dst at every distance below a product, ties among them.
TEST_P(FpuNarrowProduct, dst_is_rounded_as_by_the_scalar_one_at_every_distance_below_a_product) {
  for (u32 round = 0; round < 32 * 16; ++round) {
    const u32 distance = round % 32;
    tile_ = Tile{};
    for (u32 j = 0; j < 16; ++j) {
      tile_.a[3][j] = (j % 2) << 31 | (100 + distance) << 23;
      for (u32 i = 0; i < 8; ++i) {
        tile_.b[i][3] = 127u << 23;
        const u32 fraction = (round / 32 * 128 + i * 16 + j) & 0x7F;
        tile_.set(kBf16.dst, i, j, (operands_.bits() & 0x8000) | 100u << 7 | fraction);
      }
    }
    agrees("fraction", round);
    if (HasFatalFailure()) return;
  }
}

/// A column without products keeps what it holds, however small, and whatever stands beside it.
TEST_P(FpuNarrowProduct, a_column_of_zeros_keeps_what_dst_holds) {
  u32 taken = 0;
  for (u32 exponent = 0; exponent < 256; ++exponent) {
    tile_ = Tile{};
    for (u32 i = 0; i < 8; ++i) {
      tile_.b[i][0] = 127u << 23;
      for (u32 j = 0; j < 16; ++j) tile_.set(kBf16.dst, i, j, exponent << 7 | (i * 16 + j));
    }
    for (u32 j = 0; j < 8; ++j) tile_.a[0][j] = 127u << 23;
    taken += agrees("exponent", exponent) ? 1 : 0;
    if (HasFatalFailure()) return;
  }
  if (takes_products()) {
    EXPECT_GT(taken, 100u);
  }
}

/// Results that leave the range of exponents at either end.
TEST_P(FpuNarrowProduct, results_beyond_either_end_are_the_scalar_ones) {
  u32 taken = 0;
  for (u32 round = 0; round < 4000; ++round) {
    tile_ = Tile{};
    const bool large = round % 2 == 0;
    const u32 top = large ? 250 - round / 2 % 20 : 44 + round / 2 % 20;
    const u32 dst_top = 255 - round / 2 % 2;  // a Dst of 255 is left to others
    for (u32 k = 0; k < 16; ++k) {
      for (u32 j = 0; j < 16; ++j) {
        tile_.a[k][j] =
            (operands_.bits() & 0x80000000) | top << 23 | (operands_.bits() & 0x380) << 13;
        tile_.b[k % 8][j] = (large ? 124 + j % 4 : 85 + j % 4) << 23;
        if (operands_.bits() % 4 == 0) tile_.a[k][j] -= (operands_.bits() % 40) << 23;
      }
    }
    for (u32 i = 0; i < 8; ++i)
      for (u32 j = 0; j < 16; ++j)
        tile_.set(kBf16.dst, i, j,
                  (operands_.bits() & 0x807F) |
                      (large ? dst_top - operands_.bits() % 8 : operands_.bits() % 8) << 7);
    taken += agrees("end", round) ? 1 : 0;
    if (HasFatalFailure()) return;
  }
  if (takes_products()) {
    EXPECT_GT(taken, 500u);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FpuNarrowProduct, testing::ValuesIn(host_targets()), target_name);

}  // namespace
}  // namespace bhemu::tensix
