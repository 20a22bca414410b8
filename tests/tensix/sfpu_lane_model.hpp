// One lane of the vector unit, by the rules of its instructions' pages: what an instruction word
// writes to which register and what it does to the lane's flag. Shares nothing with the library; an
// independent reading of tt-isa-documentation BlackholeA0 SFP*.md.
#pragma once

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "support/mul_add_model.hpp"

namespace bhemu::tensix::test {

struct LaneState {
  std::array<u32, 16> reg{};
  bool flag = false;
  bool use_flag = false;
  u32 random = 0;
};

class LaneModel {
 public:
  explicit LaneModel(const LaneState& state) : s_(state) {}

  /// Executes one word in an enabled lane. False: the model does not know the instruction.
  bool execute(u32 word) {
    w_ = word;
    m_ = word % 16;
    vd_ = word / 16 % 16;
    vc_ = word / 256 % 16;
    vb_ = word / 4096 % 16;
    va_ = word / 65536 % 16;
    imm12_ = word / 4096 % 4096;
    const u32 opcode = word >> 24;
    if (opcode == 0x73 || opcode == 0x71) {  // SFPLUT and SFPLOADI have their fields elsewhere
      m_ = word / 65536 % 16;
      vd_ = word / 0x100000 % 16;
    }
    return opcode <= 0x83 ? fields(opcode) : rest(opcode);
  }
  const LaneState& state() const { return s_; }

 private:
  static constexpr u32 kTop = 0x80000000;
  static u32 exponent(u32 v) { return v / 0x800000 % 256; }
  static u32 fraction(u32 v) { return v % 0x800000; }
  static u32 sign(u32 v) { return v & kTop; }
  static u32 float_of(u32 sign, u32 exponent, u32 fraction) {
    return sign + exponent * 0x800000 + fraction;
  }
  bool m(u32 index) const { return (m_ >> index) % 2 != 0; }
  u32 a() const { return s_.reg[va_]; }
  u32 b() const { return s_.reg[vb_]; }
  u32 c() const { return s_.reg[vc_]; }
  u32 d() const { return s_.reg[vd_]; }
  i32 immediate() const {
    return imm12_ >= 2048 ? static_cast<i32>(imm12_) - 4096 : static_cast<i32>(imm12_);
  }

  bool write(u32 value) {
    if (vd_ < 8) s_.reg[vd_] = value;
    return true;
  }
  /// Bit 3 of the multiply-add family: the lane's LReg 7 names the destination.
  bool write_indirect(u32 value) {
    if (m(3)) vd_ = s_.reg[7] % 16;
    return write(value);
  }
  /// Writes, then the flag of the instructions that set one, then inverts it with bit 3.
  bool write_with_flag(u32 value, std::optional<bool> flag) {
    if (vd_ >= 8) return true;
    s_.reg[vd_] = value;
    if (flag) s_.flag = *flag;
    if (m(3)) s_.flag = !s_.flag;
    return true;
  }
  u32 draw() {
    const u32 now = s_.random;
    const u32 parity = now % 2 + now / 2 % 2 + (now >> 21) % 2 + (now >> 31);
    s_.random = now / 2 + (parity % 2 == 0 ? kTop : 0);
    return now;
  }
  static u32 phi(u32 x, u32 y, u32 z) { return bhemu::test::MulAddModel::of(x, y, z); }

  bool fields(u32 opcode) {
    switch (opcode) {
      case 0x71:
        return load_immediate();
      case 0x73:
        return lut();
      case 0x74:
        return write_indirect(phi(w_ << 8 & 0xFFFF0000, d() ^ (m(1) ? kTop : 0), 0));
      case 0x75:
        return write_indirect(phi(w_ << 8 & 0xFFFF0000, 0x3F800000, d() ^ (m(1) ? kTop : 0)));
      case 0x76:
        return divp2();
      case 0x77: {
        const u32 value = exponent(c()) - (m(0) ? 0 : 127);
        return write_with_flag(value, m(1) ? std::optional(value >= kTop) : std::nullopt);
      }
      case 0x78:
        return write(fraction(c()) + (m(0) ? 0 : 0x800000));
      case 0x79: {
        const u32 value = m(0) ? c() + static_cast<u32>(immediate()) : m(1) ? c() - d() : c() + d();
        return write_with_flag(value, m(2) ? std::nullopt : std::optional(value >= kTop));
      }
      case 0x7A: {
        const i32 amount = m(0) ? immediate() : static_cast<i32>(c());
        return write(shift(m(0) && m(2) ? c() : d(), amount, m(1)));
      }
      case 0x7B:
        return set_condition();
      case 0x7C:
        return move();
      case 0x7D:
        return absolute();
      case 0x7E:
        return write(c() & (m(0) ? b() : d()));
      case 0x7F:
        return write(c() | (m(0) ? b() : d()));
      case 0x80:
        return write(0xFFFFFFFF - c());
      case 0x81:
        return leading_zeros();
      case 0x82:
        return write(float_of(sign(c()),
                              m(0)   ? imm12_ % 256
                              : m(1) ? exponent(d())
                                     : d() % 256,
                              fraction(c())));
      case 0x83:
        return write(float_of(sign(c()), exponent(c()), m(0) ? imm12_ * 2048 : fraction(d())));
      default:
        return false;
    }
  }

  bool rest(u32 opcode) {
    switch (opcode) {
      case 0x84:
      case 0x85:
      case 0x86: {
        const u32 x = m(2) ? s_.reg[s_.reg[7] % 16] : a();
        return write_indirect(phi(x ^ (m(0) ? kTop : 0), b(), c() ^ (m(1) ? kTop : 0)));
      }
      case 0x89:
        return write(float_of(m(0) ? imm12_ % 2 * kTop : sign(d()), exponent(c()), fraction(c())));
      case 0x8D:
        return write(c() ^ d());
      case 0x8E:
        return round();
      case 0x90:
        return cast();
      case 0x94:
        if (m_ == 5) return write(shift(b(), static_cast<i32>(c()), false));
        if (m_ == 6) return write(shift(s_.reg[imm12_ % 16], immediate(), false));
        return false;
      case 0x95:
        return lut_fp32();
      case 0x96:
      case 0x97:
        return compare(opcode == 0x97);
      case 0x98:
        return multiply_24();
      case 0x99:
        return reciprocal_or_exponential();
      default:
        return false;
    }
  }

  bool load_immediate() {
    const u32 imm = w_ % 65536;
    const u32 old = d();
    switch (m_) {
      case 0:
        return write(imm * 65536);
      case 1:
        return write(float_of(imm / 32768 * kTop, imm / 1024 % 32 + 112, imm % 1024 * 8192));
      case 2:
        return write(imm);
      case 4:
        return write(imm >= 32768 ? imm + 0xFFFF0000 : imm);
      case 8:
        return write(imm * 65536 + old % 65536);
      case 10:
        return write(old / 65536 * 65536 + imm);
      default:
        return false;
    }
  }

  static u32 shift(u32 x, i32 amount, bool arithmetic) {
    i64 places = amount;
    if (places >= 0) {
      for (places %= 32; places > 0; --places) x *= 2;
      return x;
    }
    for (places = -places % 32; places > 0; --places) x = x / 2 + (arithmetic ? sign(x) : 0);
    return x;
  }

  bool divp2() {
    const u32 imm = imm12_ % 256;
    if (!m(0)) return write(float_of(sign(c()), imm, fraction(c())));
    if (exponent(c()) == 255) return write(c());
    return write(float_of(sign(c()), (exponent(c()) + imm) % 256, fraction(c())));
  }

  bool set_condition() {
    const u32 v = c();
    const bool tests[4] = {v >= kTop, v != 0, v < kTop, v == 0};
    if (!s_.use_flag || m(3))
      s_.flag = false;
    else
      s_.flag = m(0) ? imm12_ % 2 != 0 : tests[m_ / 2 % 4];
    return true;
  }

  bool move() {
    if (!m(3)) return write(c() ^ (m(0) ? kTop : 0));
    return write(vc_ == 9 ? draw() : 0);  // the configuration is all zero in these tests
  }

  bool absolute() {
    if (!m(0)) return write(c() >= kTop ? 0 - c() : c());
    const bool negative_nan = c() > 0xFF800000;
    return write(negative_nan ? c() : c() % kTop);
  }

  bool leading_zeros() {
    const u32 x = m(2) ? c() % kTop : c();
    u32 count = 0;
    while (count < 32 && (x >> (31 - count)) == 0) ++count;
    return write_with_flag(count, m(1) ? std::optional(x != 0) : std::nullopt);
  }

  static i64 key(u32 v) { return v < kTop ? i64{v} : -1 - i64{v % kTop}; }
  bool compare(bool greater) {
    const bool holds = greater == (key(d()) > key(c()));
    if (m(0)) s_.flag = holds;
    return m(3) ? write(holds ? 0xFFFFFFFF : 0) : true;
  }

  // --- Lookup tables.

  static u32 interval(u32 magnitude) {
    return magnitude < 0x3F800000 ? 0 : magnitude < 0x40000000 ? 1 : 2;
  }
  static u32 coefficient_8(u32 x) {
    x %= 256;
    if (x == 255) return 0;
    return float_of(x / 128 * kTop, 127 - x / 16 % 8, x % 16 << 19);
  }
  static u32 coefficient_16(u32 x) {
    x %= 65536;
    const u32 e = x / 1024 % 32;
    return float_of(x / 32768 * kTop, e == 31 ? 0 : e + 112, x % 1024 * 8192);
  }
  bool finish_lut(u32 slope, u32 offset) {
    u32 value = phi(slope, s_.reg[3] % kTop, offset);
    if (m(2)) value = value % kTop + sign(s_.reg[3]);
    return write_indirect(value);
  }
  bool lut() {
    const u32 pair = s_.reg[interval(s_.reg[3] % kTop)];
    return finish_lut(coefficient_8(pair / 256), coefficient_8(pair));
  }
  bool lut_fp32() {
    const u32 x = s_.reg[3] % kTop;
    const u32 i = interval(x);
    if (!m(1)) return finish_lut(s_.reg[i], s_.reg[4 + i]);
    if (m(3)) return finish_lut(coefficient_16(s_.reg[i] / 65536), coefficient_16(s_.reg[i]));
    const u32 cuts[3] = {0x3F000000, 0x3FC00000, m(0) ? 0x40800000u : 0x40400000u};
    const u32 divisor = x >= cuts[i] ? 65536 : 1;
    return finish_lut(coefficient_16(s_.reg[i] / divisor), coefficient_16(s_.reg[4 + i] / divisor));
  }

  // --- Multiplication of integers, approximations.

  bool multiply_24() {
    const u32 x = m(2) ? s_.reg[s_.reg[7] % 16] : a();
    const u64 q = u64{fraction(x)} * fraction(b());
    u64 value = m(0) ? q / 0x800000 : q % 0x800000;
    if (const u32 e = exponent(c()); e != 0) {
      const u32 g = std::max(129u, e);
      const u64 w = 8 * u64{0x800000 + fraction(c())};
      const u64 t = w >> ((g - e) % 32);
      value >>= (g - 129) % 32;
      const bool carry = w - (t << ((g - e) % 32)) > 0xFFFF;
      if (t != 0) value = (value + t + (carry ? 65536 : 0)) % 0x800000;
    }
    return write_indirect(static_cast<u32>(value));
  }

  static u32 reciprocal(u32 x) {
    if (x < 0x00800000) return 0x7F800000;
    if (x >= 0x7E800000) return 0;
    const u32 i = x / 65536 % 128;
    // floor(128 * (255 - 2i) / (257 + 2i) + 1/2)
    const u32 t = (256 * (255 - 2 * i) + 257 + 2 * i) / (2 * (257 + 2 * i));
    return float_of(0, 253 - exponent(x), t * 65536);
  }
  static u32 exponential(u32 x) {
    if (x < 0x00800000) return 0x3F800000;
    if (x < 0x3C800000) return 0x3F810000 + x % 65536;
    if (x >= 0x40000000) return 0x40800000 + x % 65536;
    const double argument =
        std::ldexp(0x800000 + fraction(x / 65536 * 65536), static_cast<int>(exponent(x)) - 150);
    const double value = std::exp(argument);
    const int power = std::ilogb(value);
    const u32 mantissa = static_cast<u32>(std::ldexp(value, 7 - power)) - 128;
    return (static_cast<u32>(power + 127) * 128 + mantissa) * 65536 + x % 65536;
  }
  bool reciprocal_or_exponential() {
    const u32 x = c() % kTop;
    if (m_ == 0) return write(sign(c()) + reciprocal(x));
    if (m_ == 1) return write(b() >= kTop ? reciprocal(x) : c());
    return write(sign(c()) + exponential(x));
  }

  // --- Conversions.

  bool cast() {
    const u32 magnitude = c() % kTop;
    switch (m_ % 4) {
      case 0:
        return write(sign(c()) + nearest_float(magnitude));
      case 1:
        return write(sign(c()) + stochastic_float(magnitude, draw()));
      case 2:
        return write(c() >= kTop ? 0 - c() : c());
      default:
        return write(c() < kTop ? c() : kTop + (0 - c()) % kTop);
    }
  }
  static u32 nearest_float(u32 magnitude) {
    if (magnitude == 0) return 0;
    u32 places = 0;
    while (magnitude >> places >= 0x1000000) ++places;
    u32 kept = magnitude >> places;
    const u32 lost = magnitude - (kept << places);
    const u32 half = places == 0 ? 0 : 1u << (places - 1);
    if (places != 0 && (lost > half || (lost == half && kept % 2 == 1))) ++kept;
    u32 e = 150 + places;
    while (kept < 0x800000) {
      kept *= 2;
      --e;
    }
    return e * 0x800000 + (kept - 0x800000);  // a carry runs into the exponent
  }
  static u32 stochastic_float(u32 magnitude, u32 random) {
    if (magnitude == 0) return 0;
    u32 e = 158;
    while (magnitude < kTop) {
      magnitude *= 2;
      --e;
    }
    const u32 rest = magnitude % 256 / 2 * 2;
    const u32 threshold = random / 512 % 256 / 2 * 2;
    return e * 0x800000 + (magnitude / 256 - 0x800000) + (rest > threshold ? 1 : 0);
  }

  bool round() {
    const u32 mode = w_ >> 21 & 3;
    const u32 random = draw();
    const u32 threshold = mode == 0 ? 0x400000 : mode == 2 ? 0x7FFFFF : random % 0x800000;
    switch (m_ % 8) {
      case 0:
        return write(round_float(13, threshold));
      case 1:
        return write(round_float(16, threshold));
      case 2:
        return write(round_integer(255, false, threshold));
      case 3:
        return write(round_integer(127, true, threshold));
      case 4:
        return write(divide_integer(255, false, threshold));
      case 5:
        return write(divide_integer(127, true, threshold));
      case 6:
        return write(round_integer(65535, false, threshold));
      default:
        return write(round_integer(32767, true, threshold));
    }
  }
  u32 round_float(u32 dropped, u32 threshold) const {
    const u32 v = c();
    if (exponent(v) == 0) return 0;
    if (exponent(v) == 255) return sign(v) + 0x7F800000;
    const u32 unit = 1u << dropped;
    const u32 rest = v % unit;
    return v - rest + (rest >= threshold >> (23 - dropped) ? unit : 0);
  }
  static u32 with_sign(u32 v, bool keep, u64 magnitude) {
    return magnitude == 0 ? 0 : static_cast<u32>(magnitude) + (keep ? sign(v) : 0);
  }
  u32 round_integer(u32 limit, bool keep, u32 threshold) const {
    const u32 v = c();
    const int x = static_cast<int>(exponent(v)) - 127;
    if (x < -1) return 0;
    if (x >= 16) return with_sign(v, keep, limit);
    const u64 mantissa = 0x800000 + fraction(v);
    const u64 wide = x < 0 ? mantissa / 2 : mantissa << x;
    const u64 rounded = wide / 0x800000 + (wide % 0x800000 >= threshold ? 1 : 0);
    return with_sign(v, keep, std::min<u64>(rounded, limit));
  }
  u32 divide_integer(u32 limit, bool keep, u32 threshold) const {
    const u32 places = m(3) ? w_ >> 16 & 31 : b() % 32;
    const u64 wide = (u64{c() % kTop} << 23) >> places;
    const u64 rounded = wide / 0x800000 + (wide % 0x800000 >= threshold ? 1 : 0);
    return with_sign(c(), keep, std::min<u64>(rounded, limit));
  }

  LaneState s_;
  u32 w_ = 0, m_ = 0, va_ = 0, vb_ = 0, vc_ = 0, vd_ = 0, imm12_ = 0;
};

}  // namespace bhemu::tensix::test
