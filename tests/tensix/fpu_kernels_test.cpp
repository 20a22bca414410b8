// The vector kernels of the matrix unit against its scalar arithmetic, for every target that this
// host can run: random and special operands, all styles, formats, phases and options.
#include "tensix/fpu_kernel_bench.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

using namespace kernels;

class FpuKernels : public OnTarget {};

TEST_P(FpuKernels, matrix_products_equal_the_scalar_ones) {
  Operands operands;
  u32 taken = 0;
  u32 exact = 0;
  for (u32 round = 0; round < 5600; ++round) {
    const FpuMode mode = kModes[round % 4];
    const Spread spread = kSpreads[round / 4 % std::size(kSpreads)];
    MatrixJob job;
    Tile tile;
    tile.fill(operands, mode, spread);
    tile.describe(job);
    for (u32 k = 0; k < 16; ++k) job.a[k] = tile.a[k];
    job.mode = mode;
    job.phase = round / 16 % 4;
    job.mask_a = mode.five_bit ? numeric::kCellFp16 : kEightBitMasks[round / 64 % 2];
    job.mask_b = mode.five_bit ? numeric::kCellFp16 : kEightBitMasks[round / 128 % 2];
    job.dst.count = round % 3 == 0 ? 4 : 8;
    job.keep = round % 5 == 0;
    const bool in_floats = run_matrix_kernel(job);
    ASSERT_FALSE(in_floats && job.keep);
    ++(in_floats ? taken : exact);
    numeric::MatrixOperandA a;
    prepare_operand_a(a, job.a, job.mask_a, job.phase);
    for (u32 i = 0; i < job.dst.count; ++i) {
      numeric::MatrixOperandB b;
      prepare_operand_b(b, tile.b[i], job.mask_b, job.phase, job.keep);
      alignas(64) u32 expected[16];
      std::copy_n(tile.old[i], 16, expected);
      matrix_product_row(expected, a, b, mode, job.phase);
      for (u32 j = 0; j < 16; ++j)
        ASSERT_EQ(tile.get(mode.dst, i, j), expected[j]) << "round " << round << ", " << i << j;
    }
  }
  // Floats do all but exponents near the upper end of 8 bits, and kept denormals.
  EXPECT_GE(taken, 3000u);
  EXPECT_GE(exact, 1500u);
}

TEST_P(FpuKernels, matrix_products_leave_floats_only_beyond_the_limits) {
  Tile tile{};
  MatrixJob job;
  tile.describe(job);
  for (u32 k = 0; k < 16; ++k) job.a[k] = tile.a[k];
  job.mask_a = job.mask_b = numeric::kCellAll;
  // A zero takes no part; another small one makes the exponents lie far apart.
  const auto takes = [&](u32 a, u32 b, u32 other) {
    tile.a[0][0] = tile.b[0][0] = other << 23;
    tile.a[15][15] = a << 23;
    tile.b[7][15] = b << 23;
    return run_matrix_kernel(job);
  };
  EXPECT_TRUE(takes(240, 90, 1));
  EXPECT_TRUE(takes(110, 220, 1));
  EXPECT_FALSE(takes(241, 60, 1));
  EXPECT_FALSE(takes(60, 221, 1));
  EXPECT_FALSE(takes(200, 131, 1));
  EXPECT_TRUE(takes(254, 254, 0));
}

/// Every product of slices at every distance to the largest exponent: all ties there are.
TEST_P(FpuKernels, every_product_is_aligned_as_the_scalar_ones_at_every_distance) {
  const FpuMode mode{false, DstKind::Fp32};
  for (u32 distance = 0; distance < 16; ++distance) {
    for (u32 alpha = 0; alpha < 16; ++alpha) {
      Tile tile{};
      MatrixJob job;
      tile.describe(job);
      for (u32 k = 0; k < 16; ++k) {
        job.a[k] = tile.a[k];
        // Lane 0 sets the exponent, lanes 1 to 7 are aligned to it.
        tile.a[0][k] = 127u << 23;
        tile.a[1][k] = (k % 2) << 31 | (127 - distance) << 23 | alpha << 19;
        tile.a[9][k] = tile.a[1][k] ^ 1u << 31;
        tile.a[8][k] = tile.a[0][k] ^ 1u << 31;
      }
      job.mode = mode;
      job.mask_a = job.mask_b = numeric::kCellAll;
      for (u32 beta = 0; beta < 64; beta += 8) {
        for (u32 i = 0; i < 8; ++i) {
          tile.b[i][0] = 127u << 23;
          tile.b[i][1] = 127u << 23 | (beta + i) << 17;
          tile.b[i][8] = tile.b[i][0];
          tile.b[i][9] = i % 2 == 0 ? tile.b[i][1] : 0;
          for (u32 j = 0; j < 16; ++j) tile.set(mode.dst, i, j, 0);
        }
        ASSERT_TRUE(run_matrix_kernel(job));
        numeric::MatrixOperandA a;
        prepare_operand_a(a, job.a, job.mask_a, 0);
        for (u32 i = 0; i < 8; ++i) {
          numeric::MatrixOperandB b;
          prepare_operand_b(b, tile.b[i], job.mask_b, 0, false);
          alignas(64) u32 expected[16] = {};
          matrix_product_row(expected, a, b, mode, 0);
          for (u32 j = 0; j < 16; ++j)
            ASSERT_EQ(tile.get(mode.dst, i, j), expected[j]) << distance << " " << alpha;
        }
      }
    }
  }
}

/// A 16-bit Dst rounds terms twice. The two roundings differ from one where thirteen ones lie below
/// the half: sums of eight products of one sign, 14 or 15 places down, meet that often.
TEST_P(FpuKernels, sums_just_below_a_power_of_two_equal_the_scalar_ones) {
  const FpuMode mode{false, DstKind::Fp32};
  for (const u32 exponent : {110u, 230u}) {  // in floats and beyond them
    for (u32 below = 0; below < 40; ++below) {
      for (const u32 fraction : {0u, 0x300000u, 0x7FFFFFu}) {
        Tile tile{};
        MatrixJob job;
        tile.describe(job);
        for (u32 k = 0; k < 16; ++k) job.a[k] = tile.a[k];
        // Eight ones make a sum of more bits than a number has.
        for (u32 k = 0; k < 8; ++k)
          for (u32 j = 0; j < 16; ++j) tile.a[k][j] = 127u << 23;
        const u32 old = 1u << 31 | (exponent - below) << 23 | fraction;
        for (u32 i = 0; i < 8; ++i) {
          for (u32 k = 0; k < 8; ++k) tile.b[i][k] = exponent << 23;
          for (u32 j = 0; j < 16; ++j) tile.set(mode.dst, i, j, old);
        }
        job.mode = mode;
        job.mask_a = job.mask_b = numeric::kCellAll;
        job.dst.count = 8;
        run_matrix_kernel(job);
        numeric::MatrixOperandA a;
        prepare_operand_a(a, job.a, job.mask_a, 0);
        numeric::MatrixOperandB b;
        prepare_operand_b(b, tile.b[0], job.mask_b, 0, false);
        alignas(64) u32 expected[16];
        std::copy_n(tile.old[0], 16, expected);
        matrix_product_row(expected, a, b, mode, 0);
        ASSERT_EQ(tile.get(mode.dst, 3, 5), expected[5]) << exponent << ", " << below;
      }
    }
  }
}

TEST_P(FpuKernels, sums_that_round_up_twice_equal_the_scalar_ones) {
  Operands operands;
  for (u32 round = 0; round < 2000; ++round) {
    const FpuMode mode = kModes[1 + round % 2 * 2];
    const u32 middle = mode.five_bit ? 10 : 127;
    Tile tile{};
    MatrixJob job;
    tile.describe(job);
    for (u32 k = 0; k < 16; ++k) job.a[k] = tile.a[k];
    job.mode = mode;
    job.mask_a = job.mask_b = mode.five_bit ? numeric::kCellFp16 : numeric::kCellAll;
    const u32 sign = operands.bits() & 0x80000000;
    for (u32 k = 0; k < 16; ++k) {
      for (u32 j = 0; j < 8; ++j) {
        tile.a[j][k] = sign | middle << 23 | (operands.bits() & 0x3FF) << 13;
        tile.b[k % 8][j] = middle << 23 | (operands.bits() & 0x3FF) << 13;
      }
      tile.a[8][k] = (middle + 14 + k % 2) << 23;
    }
    for (u32 i = 0; i < 8; ++i) tile.b[i][8] = middle << 23;
    ASSERT_TRUE(run_matrix_kernel(job));
    numeric::MatrixOperandA a;
    prepare_operand_a(a, job.a, job.mask_a, 0);
    for (u32 i = 0; i < 8; ++i) {
      numeric::MatrixOperandB b;
      prepare_operand_b(b, tile.b[i], job.mask_b, 0, false);
      alignas(64) u32 expected[16] = {};
      matrix_product_row(expected, a, b, mode, 0);
      for (u32 j = 0; j < 16; ++j) ASSERT_EQ(tile.get(mode.dst, i, j), expected[j]) << round;
    }
  }
}

TEST_P(FpuKernels, elementwise_operations_equal_the_scalar_ones) {
  Operands operands;
  for (u32 round = 0; round < 6000; ++round) {
    const FpuMode mode = kModes[round % 4];
    ElementwiseJob job;
    Tile tile;
    tile.fill(operands, mode, kSpreads[operands.bits() % 4]);
    tile.describe(job);
    for (u32 i = 0; i < 8; ++i) job.a[i] = tile.a[i];
    job.mode = mode;
    job.phase = operands.bits() % 4;
    job.kind = static_cast<Elementwise>(operands.bits() % 3);
    job.keep = operands.bits() % 4 == 0;
    job.broadcast_column = operands.bits() % 4 == 0;
    job.mask_a = mode.five_bit ? numeric::kCellFp16 : kEightBitMasks[operands.bits() % 2];
    job.mask_b = mode.five_bit ? numeric::kCellFp16 : kEightBitMasks[operands.bits() % 2];
    run_elementwise_kernel(job);
    for (u32 i = 0; i < 8; ++i) {
      for (u32 j = 0; j < 16; ++j) {
        const u32 sign = job.kind == Elementwise::Sub ? 0x80000000 : 0;
        const u32 a = tile.a[i][j] & job.mask_a;
        const u32 b = (tile.b[i][job.broadcast_column ? 0 : j] ^ sign) & job.mask_b;
        const FpuTerm term = job.kind == Elementwise::Mul
                                 ? elementwise_product(a, b, mode, job.phase, job.keep)
                                 : elementwise_sum(a, b, mode, job.phase, job.keep);
        const u32 expected = accumulate(mode.dst, term_of_dst(mode.dst, tile.old[i][j]), term);
        ASSERT_EQ(tile.get(mode.dst, i, j), expected)
            << "round " << round << std::hex << ", a " << a << ", b " << b << ", Dst "
            << tile.old[i][j];
      }
    }
  }
}

u32 integer_cell(Operands& operands) {
  const u32 e = operands.bits() % 8 == 0 ? 0 : 16;
  return (operands.bits() & 0x80000000) | e << 23 | (operands.bits() & 0x3FF) << 13;
}

Tile integer_tile(Operands& operands) {
  Tile tile;
  for (auto& row : tile.a)
    for (u32& cell : row) cell = integer_cell(operands);
  for (auto& row : tile.b)
    for (u32& cell : row) cell = integer_cell(operands);
  for (u32 i = 0; i < 8; ++i) {
    for (u32 j = 0; j < 16; ++j) {
      // Half of them where the sum is clamped.
      const u32 edge = 0x7FFFFFFF - operands.bits() % 5000;
      tile.set(DstKind::Fp32, i, j,
               (operands.bits() & 0x80000000) |
                   (operands.bits() % 2 == 0 ? edge : operands.bits() % 5000));
    }
  }
  return tile;
}

TEST_P(FpuKernels, integer_operations_equal_the_scalar_ones) {
  using namespace numeric;
  Operands operands;
  for (u32 round = 0; round < 2000; ++round) {
    Tile tile = integer_tile(operands);
    ElementwiseJob job;
    tile.describe(job);
    for (u32 i = 0; i < 8; ++i) job.a[i] = tile.a[i];
    job.mask_a = job.mask_b = kCellFp16;
    job.phase = round % 4;
    job.kind = static_cast<Elementwise>(round % 3);
    job.keep = operands.bits() % 2 == 0;
    run_integer_elementwise_kernel(job);
    for (u32 i = 0; i < 8; ++i) {
      for (u32 j = 0; j < 16; ++j) {
        const u32 a = tile.a[i][j];
        const u32 b = tile.b[i][j] ^ (job.kind == Elementwise::Sub ? 0x80000000 : 0);
        const i64 sum = job.kind == Elementwise::Mul
                            ? i64{integer_slice(a, integer_slice_mask_a(job.phase))} *
                                  integer_slice(b, integer_slice_mask_b(job.phase), job.keep)
                            : i64{integer_operand(a)} + integer_operand(b, job.keep);
        ASSERT_EQ(tile.get(DstKind::Fp32, i, j), integer_accumulate(tile.old[i][j], sum));
      }
    }
  }
}

TEST_P(FpuKernels, integer_matrix_products_equal_the_scalar_ones) {
  using namespace numeric;
  Operands operands;
  for (u32 round = 0; round < 1000; ++round) {
    Tile tile = integer_tile(operands);
    MatrixJob job;
    tile.describe(job);
    for (u32 k = 0; k < 16; ++k) job.a[k] = tile.a[k];
    job.mask_a = job.mask_b = kCellFp16;
    job.phase = round % 4;
    job.keep = operands.bits() % 2 == 0;
    run_integer_matrix_kernel(job);
    for (u32 i = 0; i < 8; ++i) {
      for (u32 j = 0; j < 16; ++j) {
        i64 sum = 0;
        for (u32 k = 0; k < 16; ++k)
          sum += i64{integer_slice(tile.a[k][j], integer_slice_mask_a(job.phase))} *
                 integer_slice(tile.b[i][k], integer_slice_mask_b(job.phase), job.keep);
        ASSERT_EQ(tile.get(DstKind::Fp32, i, j), integer_accumulate(tile.old[i][j], sum));
      }
    }
  }
}

/// One word of Dst as MOVD2A and MOVD2B take it (MOVD2A.md), on its own.
u32 cell_of_dst(u16 high, u16 low, const MoveFromDstJob& job) {
  if (job.tf32 && job.low) return numeric::cell_from_src_bits(low & 0x1FFF);
  const u16 half = job.low ? low : high;
  if (job.five_bit)
    return (half >> 15) * 0x80000000u | u32{half & 0x1Fu} << 23 |
           u32{static_cast<u32>(half) >> 5 & 0x3FFu} << 13;
  const u32 cell = u32{numeric::bf16_from_dst(half)} << 16;
  return job.tf32 ? cell | (low & 0xE000) : cell;
}

TEST_P(FpuKernels, moves_from_dst_equal_the_scalar_ones_and_leave_blocked_columns) {
  Operands operands;
  for (u32 round = 0; round < 800; ++round) {
    Tile tile{};
    MoveFromDstJob job;
    tile.describe(job.dst, round % 2 == 0 ? 4 : 1);
    for (u32 i = 0; i < 4; ++i) {
      job.cells[i] = tile.a[i];
      for (u32 j = 0; j < 16; ++j) {
        tile.a[i][j] = 0xABCDE000;
        tile.high[i][j] = static_cast<u16>(operands.bits());
        tile.low[i][j] = static_cast<u16>(operands.bits());
      }
    }
    job.tf32 = round / 2 % 2 != 0;
    job.five_bit = !job.tf32 && round / 4 % 2 != 0;
    job.low = round / 8 % 2 != 0;
    job.blocked = round / 16 % 2 != 0 ? operands.bits() & 0xFFFF : 0;
    run_move_from_dst_kernel(job);
    for (u32 i = 0; i < 4; ++i) {
      for (u32 j = 0; j < 16; ++j) {
        const bool moved = i < job.dst.count && (job.blocked >> j & 1) == 0;
        ASSERT_EQ(tile.a[i][j],
                  moved ? cell_of_dst(tile.high[i][j], tile.low[i][j], job) : 0xABCDE000)
            << "round " << round << ", row " << i << ", column " << j;
      }
    }
  }
}

constexpr numeric::PoolMode kPoolModes[] = {
    {numeric::PoolStyle::Bf16, numeric::PoolStyle::Bf16, false},
    {numeric::PoolStyle::Bf16, numeric::PoolStyle::Bf16, true},
    {numeric::PoolStyle::Bf16, numeric::PoolStyle::Tf32, false},
    {numeric::PoolStyle::Tf32, numeric::PoolStyle::Tf32, false},
    {numeric::PoolStyle::Tf32, numeric::PoolStyle::Bf16, false},
    {numeric::PoolStyle::Tf32, numeric::PoolStyle::Int32, true},
    {numeric::PoolStyle::Fp16, numeric::PoolStyle::Fp16, false},
    {numeric::PoolStyle::Fp16, numeric::PoolStyle::Fp16, true},
    {numeric::PoolStyle::Fp16, numeric::PoolStyle::Tf32, false},
    {numeric::PoolStyle::Int8, numeric::PoolStyle::Int32, false},
    {numeric::PoolStyle::Int8, numeric::PoolStyle::Int32, true},
};

/// Operands of one pooling: many ties, zeros of both signs, rows scaled away.
void fill_for_pooling(Tile& tile, Operands& operands, const numeric::PoolMode& mode, u32 round) {
  const bool five_bit =
      mode.source == numeric::PoolStyle::Fp16 || mode.source == numeric::PoolStyle::Int8;
  for (u32 k = 0; k < 16; ++k) {
    const u32 one = (five_bit ? 15u : 127u) << 23;
    tile.b[0][k] = round % 3 == 0 ? one : operands.cell(five_bit, kSpreads[round % 4]);
    for (u32 j = 0; j < 16; ++j) {
      tile.a[k][j] = operands.cell(five_bit, kSpreads[round / 2 % 4]);
      if (round % 5 == 0) tile.a[k][j] &= 0x9FF00000;
    }
  }
  for (u32 i = 0; i < 4; ++i) {
    for (u32 j = 0; j < 16; ++j) {
      const bool absent = round % 7 == 0;
      tile.high[i][j] = absent ? 0xFFFF : static_cast<u16>(operands.bits());
      tile.low[i][j] = absent ? 0xFFFF : static_cast<u16>(operands.bits());
    }
  }
}

TEST_P(FpuKernels, pooling_equals_the_scalar_one_in_every_mode) {
  Operands operands;
  for (u32 round = 0; round < 2200; ++round) {
    PoolJob job;
    job.mode = kPoolModes[round % std::size(kPoolModes)];
    job.wide = job.mode.dst == numeric::PoolStyle::Tf32 ||
               job.mode.dst == numeric::PoolStyle::Int32 || round / 11 % 2 == 0;
    Tile tile{};
    fill_for_pooling(tile, operands, job.mode, round / 11);
    const Tile before = tile;
    tile.describe(job.dst, 4);
    for (u32 k = 0; k < 16; ++k) job.a[k] = tile.a[k];
    job.scale = tile.b[0];
    run_pool_kernel(job);
    for (u32 j = 0; j < 16; ++j) {
      u32 column[16];
      for (u32 k = 0; k < 16; ++k) column[k] = tile.a[k][j];
      const auto stored = [&](const Tile& t, u32 i) {
        return u32{t.high[i][j]} << 16 | (job.wide ? t.low[i][j] : 0);
      };
      const u32 expected = pool_maximum(column, job.scale, stored(before, 0), job.mode);
      ASSERT_EQ(stored(tile, 0), job.wide ? expected : expected & 0xFFFF0000)
          << "round " << round << ", column " << j;
      for (u32 i = 1; i < 4; ++i) {
        const bool counts = job.mode.index && job.wide;
        ASSERT_EQ(stored(tile, i), counts ? (stored(before, i) + 0x100) & 0xF00 : 0);
      }
    }
  }
}

TEST(FpuKernelSelection, mvmul_with_exponents_beyond_floats_gives_the_scalar_result) {
  UnitBench bench;
  bench.set_source_formats(static_cast<u32>(numeric::Format::Tf32),
                           static_cast<u32>(numeric::Format::Tf32));
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  Operands operands;
  auto& a = bench.fpu().src_a.bank[0];
  auto& b = bench.fpu().src_b.bank[0];
  const u32* rows[16];
  for (u32 k = 0; k < 16; ++k) {
    rows[k] = a[k].datum.data();
    for (u32 j = 0; j < 16; ++j) {
      a[k].datum[j] = operands.cell(false, Spread::Any);
      b[k].datum[j] = operands.cell(false, Spread::Any);
    }
  }
  a[0].datum[0] = 255u << 23;
  // Row 0 is invalid, and reads 0 although something else lies there.
  DstAccess dst = bench.dst();
  dst.write32(0, 3, 0x3F123456);
  dst.set_valid32(0, false);
  ASSERT_EQ(bench.run<op::MVMUL>(), Completion::Done);
  ASSERT_TRUE(bench.dst().valid32(0));
  numeric::MatrixOperandA operand_a;
  prepare_operand_a(operand_a, rows, numeric::kCellAll, 0);
  for (u32 i = 0; i < 8; ++i) {
    numeric::MatrixOperandB operand_b;
    prepare_operand_b(operand_b, b[i].datum.data(), numeric::kCellAll, 0, false);
    alignas(64) u32 expected[16] = {};
    matrix_product_row(expected, operand_a, operand_b, {false, DstKind::Fp32}, 0);
    for (u32 j = 0; j < 16; ++j)
      EXPECT_EQ(numeric::fp32_from_dst(bench.dst().read32(i, j)), expected[j]) << i << " " << j;
  }
}

TEST(FpuKernelSelection, mvmul_reads_an_invalid_row_as_zero_and_makes_it_valid) {
  UnitBench bench;
  bench.set_source_formats(static_cast<u32>(numeric::Format::Bf16),
                           static_cast<u32>(numeric::Format::Bf16));
  DstAccess dst = bench.dst();
  for (u32 row = 0; row < 9; ++row) dst.write16(row, 5, numeric::dst_from_bf16(0x4040));
  dst.set_valid16(2, false);
  ASSERT_EQ(bench.run<op::MVMUL>(), Completion::Done);
  EXPECT_TRUE(dst.valid16(2));
  EXPECT_EQ(dst.read16(2, 5), 0);
  EXPECT_EQ(dst.read16(3, 5), numeric::dst_from_bf16(0x4040));
  EXPECT_EQ(dst.read16(8, 5), numeric::dst_from_bf16(0x4040));
}

INSTANTIATE_TEST_SUITE_P(Targets, FpuKernels, testing::ValuesIn(host_targets()), target_name);

}  // namespace
}  // namespace bhemu::tensix
