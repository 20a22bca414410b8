// Operands and rows of Dst for the vector kernels of the matrix unit, and the targets they run on.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>
#include <string>
#include <vector>

#include "numeric/format_codes.hpp"
#include "numeric/format_layout.hpp"
#include "tensix/fpu/kernels.hpp"

namespace bhemu::tensix::kernels {

using numeric::DstKind;
using numeric::FpuMode;
using numeric::FpuTerm;

inline constexpr FpuMode kModes[] = {
    {false, DstKind::Fp32}, {false, DstKind::Bf16}, {true, DstKind::Fp32}, {true, DstKind::Fp16}};
inline constexpr u32 kEightBitMasks[] = {numeric::kCellAll, numeric::kCellBf16};

/// How exponents are spread. Of 8 bits, products lie about the lowest exponent (Low), far above 1.0
/// (High), and operands about as far from each other as their short form reaches (Edge).
enum class Spread { Close, Wide, Any, Extreme, Low, High, Edge };
inline constexpr Spread kSpreads[] = {Spread::Close, Spread::Wide, Spread::Any, Spread::Extreme,
                                      Spread::Low,   Spread::High, Spread::Edge};

class Operands {
 public:
  u32 bits() { return static_cast<u32>(random_()); }

  u32 exponent(bool five_bit, Spread spread) {
    const u32 limit = five_bit ? 31 : 255;
    const u32 middle = five_bit ? 15 : 127;
    switch (spread) {
      case Spread::Close:
        return middle - 2 + bits() % 5;
      case Spread::Wide:
        return middle - 8 + bits() % 17;
      case Spread::Any:
        return bits() & limit;
      case Spread::Low:
        return five_bit ? 3 + bits() % 9 : 52 + bits() % 24;
      case Spread::High:
        return five_bit ? 20 + bits() % 8 : 150 + bits() % 14;
      case Spread::Edge:
        return five_bit ? bits() % 2 * 30 + 1 : 90 + bits() % 2 * 41 + bits() % 3;
      default:
        return bits() % 2 == 0 ? bits() % 4 : limit - bits() % 4;
    }
  }
  u32 cell(bool five_bit, Spread spread) {
    const u32 choice = bits() % 24;
    u32 mantissa = bits() & 0x3FF;
    if (choice < 4) mantissa = 0;
    if (choice == 4) mantissa = 0x3FF;
    if (choice == 5) mantissa &= 0x3C0;
    const u32 e = choice == 6 ? 0 : exponent(five_bit, spread);
    return (bits() & 0x80000000) | e << 23 | mantissa << 13;
  }
  /// In IEEE order, right-aligned.
  u32 dst(FpuMode mode, Spread spread) {
    const u32 choice = bits() % 16;
    if (choice == 0) return 0;
    const u32 sign = bits() & 1;
    u32 e = exponent(mode.dst == DstKind::Fp16, spread);
    if (mode.dst != DstKind::Fp16 && spread == Spread::Low) e = bits() % 24;
    if (mode.dst != DstKind::Fp16 && spread == Spread::High) e = 170 + bits() % 30;
    const u32 fraction = choice == 1 ? 0 : choice == 2 ? 0x7FFFFF : bits() & 0x7FFFFF;
    if (mode.dst == DstKind::Fp16) return sign << 15 | e << 10 | fraction >> 13;
    const u32 word = sign << 31 | e << 23 | fraction;
    return mode.dst == DstKind::Fp32 ? word : word >> 16;
  }

 private:
  std::mt19937_64 random_{99};
};

/// Eight rows of Dst with their storage, and operands.
struct Tile {
  u32 a[16][16];
  u32 b[8][16];
  u32 old[8][16];
  u16 high[8][16];
  u16 low[8][16];

  void fill(Operands& operands, FpuMode mode, Spread spread) {
    for (auto& row : a)
      for (u32& cell : row) cell = operands.cell(mode.five_bit, spread);
    for (auto& row : b)
      for (u32& cell : row) cell = operands.cell(mode.five_bit, spread);
    for (u32 i = 0; i < 8; ++i)
      for (u32 j = 0; j < 16; ++j) set(mode.dst, i, j, operands.dst(mode, spread));
  }
  void set(DstKind kind, u32 i, u32 j, u32 word) {
    old[i][j] = word;
    low[i][j] = static_cast<u16>(word);
    const u16 half = static_cast<u16>(word);
    high[i][j] = kind == DstKind::Fp32   ? static_cast<u16>(numeric::dst_from_fp32(word) >> 16)
                 : kind == DstKind::Bf16 ? numeric::dst_from_bf16(half)
                                         : numeric::dst_from_fp16(half);
  }
  u32 get(DstKind kind, u32 i, u32 j) const {
    if (kind == DstKind::Fp32) return numeric::fp32_from_dst(u32{high[i][j]} << 16 | low[i][j]);
    return kind == DstKind::Bf16 ? numeric::bf16_from_dst(high[i][j])
                                 : numeric::fp16_from_dst(high[i][j]);
  }
  void describe(DstRows& rows, u32 count) {
    for (u32 i = 0; i < 8; ++i) {
      rows.old_high[i] = rows.high[i] = high[i];
      rows.old_low[i] = rows.low[i] = low[i];
    }
    rows.count = count;
  }
  template <class Job>
  void describe(Job& job) {
    for (u32 i = 0; i < 8; ++i) job.b[i] = b[i];
    describe(job.dst, 8);
  }
};

/// Every target that this host can run, one after the other.
class OnTarget : public testing::TestWithParam<i64> {
 protected:
  void SetUp() override {
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  void TearDown() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

inline std::vector<i64> host_targets() {
  std::vector<i64> targets;
  for (i64 all = hwy::SupportedTargets() & HWY_TARGETS; all != 0; all &= all - 1)
    targets.push_back(all & -all);
  return targets;
}
inline std::string target_name(const testing::TestParamInfo<i64>& info) {
  return hwy::TargetName(info.param);
}

}  // namespace bhemu::tensix::kernels
