// Products into the same rows of a Dst of bf16, one after the other with Dst kept in floats in
// between: against the scalar arithmetic, for every target that this host can run.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "support/rounds.hpp"
#include "tensix/fpu_kernel_bench.hpp"

namespace bhemu::tensix {
namespace {

using namespace kernels;

constexpr FpuMode kBf16{false, DstKind::Bf16};
constexpr u32 kSets = 4;  // of operands
constexpr u32 kChains = 2;

struct Drawn {
  u32 a;
  u32 b;
  u32 phase;
  u32 chain;
};

class FpuProductChain : public OnTarget {
 protected:
  bool takes_products() const {
    return GetParam() != HWY_SCALAR && std::getenv("BHEMU_SIMD") == nullptr;
  }
  u32 below(u32 limit) { return static_cast<u32>(random_() % limit); }

  /// Cells whose exponents lie about `middle`.
  u32 cell(u32 middle, u32 spread) {
    if (below(24) == 0) return 0;
    const u32 mantissa = below(3) == 0 ? below(4) << 8 : below(1024);
    return below(2) << 31 | (middle + below(spread)) << 23 | mantissa << 13;
  }
  void draw_operands() {
    // Mostly products that fit together; now and then others, and what is not narrow.
    const u32 apart = below(4) == 0 ? 30 : 5;
    const u32 middle = below(3) == 0 ? 70 + below(110) : 118;
    for (u32 set = 0; set < kSets; ++set) {
      const u32 spread = below(8) == 0 ? 60 : 1 + below(20);
      const u32 from_a = middle + below(apart);
      const u32 from_b = 118 + below(apart);
      const bool thin = below(4) == 0;  // many lanes of zeros
      for (u32 k = 0; k < 16; ++k) {
        for (u32 j = 0; j < 16; ++j) {
          tiles_[set].a[k][j] = thin && below(8) != 0 ? 0 : cell(from_a, spread);
          if (k < 8) tiles_[set].b[k][j] = thin && below(8) != 0 ? 0 : cell(from_b, spread);
        }
      }
    }
    const bool low = below(5) == 0;
    if (low) draw_low_operands();
    // What takes back what another one adds, or nearly so.
    if (low || below(2) == 0) {
      for (auto& row : tiles_[1].a) std::fill(std::begin(row), std::end(row), 0u);
      for (u32 k = 0; k < 16; ++k)
        for (u32 j = 0; j < 16; ++j)
          tiles_[1].a[k][j] = tiles_[0].a[k][j] ^ 0x80000000 ^ (below(16) == 0 ? 1u << 22 : 0);
    }
    middle_of_products_ = middle + 118 - 127;
  }
  /// Products about the lowest exponent, all but one far below the largest one's: what is left when
  /// one takes back another is no number any more.
  void draw_low_operands() {
    const u32 top = 104 + below(9);
    for (Tile& tile : tiles_) {
      for (u32 k = 0; k < 16; ++k) {
        for (u32 j = 0; j < 16; ++j) {
          tile.a[k][j] = cell(k + j == 0 ? 110 : 67, k + j == 0 ? 1 : 3);
          if (k < 8) tile.b[k][j] = cell(k + j == 0 ? top : top - 43, k + j == 0 ? 1 : 3);
        }
      }
      tile.a[0][0] = 110u << 23;
      tile.b[0][0] = top << 23;
    }
  }
  void draw_dst(Tile& tile) {
    const u32 kind = below(4);
    const u32 first = kind == 1 ? below(256) : middle_of_products_ + below(10);
    for (u32 i = 0; i < 8; ++i)
      for (u32 j = 0; j < 16; ++j) {
        const u32 exponent = kind == 0 ? 0 : std::min(first + below(8), 255u);
        tile.set(kBf16.dst, i, j, below(10) == 0 ? 0 : below(2) << 15 | exponent << 7 | below(128));
      }
  }
  void prepare() {
    for (u32 set = 0; set < kSets; ++set) {
      Tile& tile = tiles_[set];
      const OperandJob jobs[] = {{{tile.a[0], tile.a[8]}, &a_[set], nullptr, 0, true},
                                 {{tile.a[0], tile.a[8]}, &a_[set], nullptr, 1, false},
                                 {{tile.b[0], nullptr}, nullptr, &b_[set], 0, true},
                                 {{tile.b[0], nullptr}, nullptr, &b_[set], 1, false}};
      prepare_operands(jobs, std::size(jobs), {numeric::kCellAll, numeric::kCellAll, kBf16});
    }
  }
  /// The scalar product, into what a chain's rows hold.
  void multiply(const Drawn& product, Tile& tile) {
    const u32* rows[16];
    for (u32 k = 0; k < 16; ++k) rows[k] = tiles_[product.a].a[k];
    numeric::MatrixOperandA a;
    prepare_operand_a(a, rows, numeric::kCellAll, product.phase);
    for (u32 i = 0; i < 8; ++i) {
      numeric::MatrixOperandB b;
      prepare_operand_b(b, tiles_[product.b].b[i], numeric::kCellAll, product.phase, false);
      alignas(64) u32 row[16];
      for (u32 j = 0; j < 16; ++j) row[j] = tile.get(kBf16.dst, i, j);
      matrix_product_row(row, a, b, kBf16, product.phase);
      for (u32 j = 0; j < 16; ++j) tile.set(kBf16.dst, i, j, row[j]);
    }
  }
  /// Executes them as a list; what is left over is executed as scalars. Returns how many were not.
  u32 run(const std::vector<Drawn>& drawn, Tile (&dst)[kChains]) {
    std::vector<NarrowProduct> list;
    ProductChain chains[kChains];
    u32 last[kChains] = {ProductChain::kNone, ProductChain::kNone};
    for (u32 c = 0; c < kChains; ++c) {
      // Rows that are all zero may be named or not.
      u16* const rows = dst[c].high[0];
      const bool empty = below(2) == 0 && std::all_of(rows, rows + 8 * 16, std::logical_not<>());
      chains[c] = {empty ? nullptr : rows, rows, ProductChain::kNone};
    }
    for (u32 i = 0; i < drawn.size(); ++i) {
      const auto& [a, b, phase, chain] = drawn[i];
      list.push_back({static_cast<u8>(a), static_cast<u8>(b), static_cast<u8>(phase), 0});
      if (last[chain] == ProductChain::kNone)
        chains[chain].first = i;
      else
        list[last[chain]].skip = static_cast<u8>(i - last[chain]);
      last[chain] = i;
    }
    ProductSources sources{a_, b_, fields_};
    u32 left = 0;
    for (u32 done = 0;;) {
      done += run_narrow_products(sources, list.data(), chains + done, kChains - done);
      if (done == kChains) return static_cast<u32>(drawn.size()) - left;
      ++left;
      ProductChain& chain = chains[done];
      multiply(drawn[chain.first], dst[done]);
      const u8 skip = list[chain.first].skip;
      chain = {chain.rows, chain.rows, skip == 0 ? ProductChain::kNone : chain.first + skip};
    }
  }

  std::mt19937_64 random_{test::seed(23)};
  Tile tiles_[kSets];
  ProductOperandA a_[kSets];
  ProductOperandB b_[kSets];
  ProductFields fields_[kProductOperands * kProductOperands];
  u32 middle_of_products_ = 0;
};

TEST_P(FpuProductChain, gives_what_its_products_give_one_after_the_other) {
  const u64 rounds = test::rounds(1000);
  u64 products = 0;
  u64 taken = 0;
  for (u64 round = 0; round < rounds; ++round) {
    draw_operands();
    prepare();
    Tile dst[kChains];
    Tile expected[kChains];
    for (u32 c = 0; c < kChains; ++c) {
      draw_dst(dst[c]);
      expected[c] = dst[c];
    }
    std::vector<Drawn> drawn(1 + below(below(8) == 0 ? 64 : 12));
    for (Drawn& product : drawn) product = {below(kSets), below(kSets), below(4), below(kChains)};
    taken += run(drawn, dst);
    products += drawn.size();
    for (const Drawn& product : drawn) multiply(product, expected[product.chain]);
    for (u32 c = 0; c < kChains; ++c)
      for (u32 i = 0; i < 8; ++i)
        for (u32 j = 0; j < 16; ++j)
          ASSERT_EQ(dst[c].get(kBf16.dst, i, j), expected[c].get(kBf16.dst, i, j))
              << "round " << round << ", chain " << c << ", row " << i << ", column " << j;
  }
  if (takes_products()) {
    EXPECT_GT(taken, products / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FpuProductChain, testing::ValuesIn(host_targets()), target_name);

}  // namespace
}  // namespace bhemu::tensix
