// Moves between Src and Dst against a model in the terms of the documents: cells of 19 bits, halves
// of Dst, every format, mode, view and permutation, wherever the documents define the result.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "numeric/format_codes.hpp"
#include "numeric/format_layout.hpp"
#include "tensix/sfpu/vector.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

enum class Move { A2D, B2D, D2A, D2B, B2A };

class Random {
 public:
  explicit Random(u32 seed) : random_(seed) {}
  u32 below(u32 n) { return static_cast<u32>(random_()) % n; }
  bool one_in(u32 n) { return below(n) == 0; }

 private:
  std::mt19937 random_;
};

const std::set<u32> kLongExponent = {0, 4, 5, 6, 7, 15, 8, 9};
const u32 kCodes[] = {0, 1, 4, 5, 6, 7, 8, 9, 10, 14, 15, 2, 3, 11};
constexpr u32 kTf32 = 4;

/// Everything that a move depends on.
struct Setting {
  Move move = Move::A2D;
  u32 code_a = 5;  // of the banks
  u32 code_b = 5;
  bool fp32 = false, int8 = false, force = false, keep = false;
  bool remap = false, swizzle = false, bit11 = false;
  u32 blocked = 0;
  u32 dst_field = 0, dst_counter = 0, offset = 0, base = 0;
  u32 src_field = 0, src_b_field = 0, a_counter = 0, b_counter = 0;
  u32 mod = 0;
  bool low = false;
  bool debug = false;  // the form that does not wait
};

struct Registers {
  u32 a[64][16], b[64][16];  // sign, ten bits of mantissa, eight of exponent
  u16 dst[1024][16];
  bool valid[1024];
};

class Model {
 public:
  Model(const Setting& s, Registers& r) : s_(s), r_(r) {}

  /// False: the documents do not say what happens.
  bool run() {
    switch (s_.move) {
      case Move::A2D:
        return to_dst(s_.code_a);
      case Move::B2D:
        return to_dst(s_.code_b);
      case Move::D2A:
        return from_dst(s_.code_a, r_.a, s_.a_counter);
      case Move::D2B:
        return from_dst(s_.code_b, r_.b, s_.b_counter);
      default:
        return b_to_a();
    }
  }

 private:
  u32 adj16(u32 r) const {
    r %= 1024;
    if (!s_.remap) return r;
    const u32 r5 = r >> 5 & 1, r4 = r >> 4 & 1, r3 = r >> 3 & 1;
    return (r & ~0x38u) | r3 << 5 | r5 << 4 | r4 << 3;
  }
  u32 adj32(u32 r) const {
    r = adj16(r);
    if (s_.swizzle) {
      const u32 r4 = r >> 4 & 1, r3 = r >> 3 & 1, r2 = r >> 2 & 1;
      r = (r & ~0xCu) | (r4 ^ r2) << 3 | r3 << 2;
    }
    const u32 top = (r >> 9 | r >> 8) & 1;
    return top << 9 | (r >> 3 & 31) << 4 | (r & 7);
  }
  u32 row16(u32 r) const { return s_.bit11 ? adj32(r) : adj16(r); }

  u32 flushed(u32 cell) const { return !s_.keep && (cell & 0xFF) == 0 ? 0 : cell; }
  bool is_blocked(u32 column) const { return (s_.blocked >> column & 1) != 0; }
  u32 dst_row(u32 rows) const {
    return (s_.dst_field + s_.dst_counter + s_.offset + s_.base) % 1024 / rows * rows;
  }

  void write32(u32 row, u32 column, u16 high, u16 low) {
    const u32 p = adj32(row);
    r_.dst[p][column] = high;
    r_.dst[p + 8][column] = low;
    r_.valid[p] = true;
  }
  void write16(u32 row, u32 column, u16 half, bool was_valid) {
    const u32 p = row16(row);
    r_.dst[p][column] = half;
    if (s_.bit11 && !was_valid) r_.dst[p + 8][column] = 0;
    r_.valid[p] = true;
  }

  bool to_dst(u32 code) {
    if (s_.fp32) code = kTf32;
    const bool wide = !s_.force && code == kTf32;
    const bool long_exponent = !s_.force && (s_.fp32 || s_.int8 || kLongExponent.contains(code));
    if (wide && s_.low) return false;
    const bool from_a = s_.move == Move::A2D;
    const bool to_8 = (s_.mod & 2) != 0;
    const u32 rows = to_8 ? 8 : !from_a && (s_.mod & 4) != 0 ? 4 : 1;
    const u32 first = (s_.src_field + (from_a ? s_.a_counter : s_.b_counter)) % 64;
    const bool spread = !from_a && to_8;
    const u32 src = spread || rows == 1 ? first : first / rows * rows;
    const u32 dst = dst_row(rows);
    for (u32 i = 0; i < rows; ++i) {
      const bool was_valid = r_.valid[adj32(dst + i)];
      for (u32 j = 0; j < 16; ++j) {
        if (is_blocked(j)) continue;
        const u32 column = !from_a && (s_.mod & 1) != 0 ? 0 : j;
        const u32 row = src + (spread ? 0 : i);
        const u32 cell = flushed(from_a ? r_.a[row][column] : r_.b[row][column]);
        const u32 sign = cell >> 18, mantissa = cell >> 8 & 1023, exponent = cell & 255;
        const u16 half =
            static_cast<u16>(long_exponent ? sign << 15 | mantissa / 8 << 8 | exponent
                                           : sign << 15 | mantissa << 5 | exponent % 32);
        if (wide)
          write32(dst + i, j, half, static_cast<u16>(mantissa % 8 << 13));
        else if (s_.low)
          write32(dst + i, j, was_valid ? r_.dst[adj32(dst + i)][j] : 0, half);
        else
          write16(dst + i, j, half, was_valid);
      }
    }
    return true;
  }

  bool from_dst(u32 code, u32 (&file)[64][16], u32 counter) {
    const bool long_exponent = !s_.force && kLongExponent.contains(code);
    const bool tf32 = long_exponent && code == kTf32;
    const bool wide = !s_.force && (s_.fp32 || s_.int8);
    if (!wide && (tf32 || (s_.low && !s_.bit11))) return false;
    const u32 rows = (s_.mod & 2) != 0 ? 4 : 1;
    const u32 src = (s_.src_field + counter) % 64 / rows * rows;
    const u32 dst = dst_row(rows);
    for (u32 i = 0; i < rows; ++i) {
      for (u32 j = 0; j < 16; ++j) {
        if (is_blocked(j)) continue;
        const u32 p = wide ? adj32(dst + i) : row16(dst + i);
        const u32 high = r_.valid[p] ? r_.dst[p][j] : 0;
        const u32 low = r_.valid[p] && (wide || s_.bit11) ? r_.dst[p + 8][j] : 0;
        file[src + i][j] = cell_of(s_.low ? low : high, low, long_exponent, tf32);
      }
    }
    return true;
  }
  u32 cell_of(u32 half, u32 low, bool long_exponent, bool tf32) const {
    if (tf32 && s_.low) return s_.fp32 ? 0 : low & 0x1FFF;  // tt-llk issue 449
    const u32 sign = half >> 15;
    if (!long_exponent) return sign << 18 | (half >> 5 & 1023) << 8 | (half & 31);
    const u32 mantissa = (half >> 8 & 127) * 8 + (tf32 ? low >> 13 : 0);
    return sign << 18 | mantissa << 8 | (half & 255);
  }

  bool b_to_a() {
    const u32 rows = (s_.mod & 2) != 0 ? 4 : 1;
    const u32 a = (s_.src_field + s_.a_counter) % 64 / rows * rows;
    const u32 b = (s_.src_b_field + s_.b_counter) % 64 / rows * rows;
    for (u32 i = 0; i < rows; ++i)
      for (u32 j = 0; j < 16; ++j)
        if (!is_blocked(j)) r_.a[a + i][j] = flushed(r_.b[b + i][j]);
    return true;
  }

  const Setting& s_;
  Registers& r_;
};

Setting random_setting(Random& random) {
  Setting s;
  s.move = static_cast<Move>(random.below(5));
  s.code_a = kCodes[random.below(std::size(kCodes))];
  s.code_b = kCodes[random.below(std::size(kCodes))];
  s.fp32 = random.one_in(3);
  s.int8 = random.one_in(4);
  s.force = random.one_in(8);
  s.keep = random.one_in(2);
  s.remap = random.one_in(3);
  s.swizzle = random.one_in(3);
  s.bit11 = random.one_in(4);
  s.blocked = random.one_in(4) ? random.below(0x10000) : 0;
  s.dst_field = random.below(1024);
  s.dst_counter = random.below(1024);
  s.offset = random.below(4096);
  s.base = random.one_in(4) ? random.below(1024) : 0;
  s.src_field = random.below(64);
  s.src_b_field = random.below(64);
  s.a_counter = random.below(64);
  s.b_counter = random.below(64);
  s.mod = random.below(8);
  s.low = random.one_in(3);
  s.debug = random.one_in(3);
  return s;
}

void apply(UnitBench& bench, const Setting& s) {
  bench.set_source_formats(s.code_a, s.code_b);
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(s.fp32);
  bench.set<cfg::ALU_ACC_CTRL_INT8_math_enabled>(s.int8);
  bench.set<cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src>(s.keep);
  bench.set<cfg::DEST_ACCESS_CFG_remap_addrs>(s.remap);
  bench.set<cfg::DEST_ACCESS_CFG_swizzle_32b>(s.swizzle);
  bench.set<cfg::DEST_REGW_BASE_Base>(s.base);
  bench.set_thread<thread_cfg::FP16A_FORCE_Enable>(s.force);
  bench.set_thread<thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset>(s.offset);
  bench.state().cfg.debug_feature_disable = s.bit11 ? 1u << 11 : 0;
  for (u32 lane = 0; lane < 8; ++lane)
    bench.sfpu().lane_config[lane] = (s.blocked >> 2 * lane & 3) << 9;
  sfpu::follow_lane_config(bench.sfpu());
  bench.rwc().dst = static_cast<u16>(s.dst_counter);
  bench.rwc().src_a = static_cast<u8>(s.a_counter);
  bench.rwc().src_b = static_cast<u8>(s.b_counter);
}

u32 word_of(const Setting& s) {
  const u32 low = s.low;
  const std::initializer_list<FieldValue> a = {
      {"src", s.src_field}, {"dst", s.dst_field}, {"instr_mod", s.mod & 3}, {"dest_32b_lo", low}};
  const std::initializer_list<FieldValue> b = {{"src", s.src_field},
                                               {"dst", s.dst_field},
                                               {"movb2d_instr_mod", s.mod},
                                               {"dest_32b_lo", low}};
  switch (s.move) {
    case Move::A2D:
      return s.debug ? encode<op::MOVDBGA2D>(a) : encode<op::MOVA2D>(a);
    case Move::B2D:
      return s.debug ? encode<op::MOVDBGB2D>(b) : encode<op::MOVB2D>(b);
    case Move::D2A:
      return encode<op::MOVD2A>(a);
    case Move::D2B:
      return encode<op::MOVD2B>(a);
    default:
      return encode<op::MOVB2A>(
          {{"srca", s.src_field}, {"srcb", s.src_b_field}, {"instr_mod", s.mod & 3}});
  }
}

void fill(Random& random, Registers& r, bool all_valid) {
  const auto cell = [&] {
    const u32 bits = random.below(1u << 19);
    return random.one_in(5) ? bits & ~0xFFu : bits;
  };
  for (u32 row = 0; row < 64; ++row) {
    for (u32 j = 0; j < 16; ++j) {
      r.a[row][j] = cell();
      r.b[row][j] = cell();
    }
  }
  for (u32 row = 0; row < 1024; ++row) {
    r.valid[row] = all_valid || !random.one_in(4);
    for (u32 j = 0; j < 16; ++j) r.dst[row][j] = static_cast<u16>(random.below(0x10000));
  }
}

void load(UnitBench& bench, const Registers& r) {
  FpuState& fpu = bench.fpu();
  for (u32 row = 0; row < 64; ++row) {
    for (u32 j = 0; j < 16; ++j) {
      fpu.src_a.bank[0][row].datum[j] = numeric::cell_from_src_bits(r.a[row][j]);
      fpu.src_b.bank[0][row].datum[j] = numeric::cell_from_src_bits(r.b[row][j]);
    }
  }
  for (u32 row = 0; row < 1024; ++row) {
    fpu.dst.valid[row] = r.valid[row];
    for (u32 j = 0; j < 16; ++j) fpu.dst.row[row].datum[j] = r.dst[row][j];
  }
}

bool same(UnitBench& bench, const Registers& r) {
  const FpuState& fpu = bench.fpu();
  for (u32 row = 0; row < 64; ++row)
    for (u32 j = 0; j < 16; ++j)
      if (fpu.src_a.bank[0][row].datum[j] != numeric::cell_from_src_bits(r.a[row][j]) ||
          fpu.src_b.bank[0][row].datum[j] != numeric::cell_from_src_bits(r.b[row][j]))
        return false;
  for (u32 row = 0; row < 1024; ++row) {
    if ((fpu.dst.valid[row] != 0) != r.valid[row]) return false;
    for (u32 j = 0; j < 16; ++j)
      if (fpu.dst.row[row].datum[j] != r.dst[row][j]) return false;
  }
  return true;
}

TEST(FpuMovesModel, random_moves_in_every_format_mode_and_view_agree) {
  Random random(8);
  auto registers = std::make_unique<Registers>();
  u32 defined = 0;
  for (u32 round = 0; round < 6000; ++round) {
    if (round % 16 == 0) fill(random, *registers, false);
    const Setting s = random_setting(random);
    // A row that is written in part has to be valid before (Dst.md).
    if (s.blocked != 0) std::fill_n(registers->valid, 1024, true);
    UnitBench bench;
    apply(bench, s);
    load(bench, *registers);
    if (!Model(s, *registers).run()) continue;
    ++defined;
    ASSERT_EQ(bench.run(word_of(s)), Completion::Done);
    ASSERT_TRUE(same(bench, *registers))
        << "round " << round << ", move " << static_cast<u32>(s.move) << ", codes " << s.code_a
        << " " << s.code_b << ", fp32 " << s.fp32 << ", int8 " << s.int8 << ", force " << s.force
        << ", mod " << s.mod << ", low " << s.low << ", bit 11 " << s.bit11;
    for (const Fault& fault : bench.faults().faults())
      ASSERT_EQ(fault.rule, Rule::FpuMoveInFp32) << fault.text;
  }
  EXPECT_GT(defined, 4000u);
}

}  // namespace
}  // namespace bhemu::tensix
