// Sums of products in the vector unit's lanes, where the host's multiply-add gives their bits: how
// that is known of two vectors at once, and of registers from one step of a block to the next.
// tidy: allow pragma-once in this file: Highway includes it once per target
// tidy: allow macro in this file: so its guard has to toggle
#if defined(BHEMU_NUMERIC_SFPU_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BHEMU_NUMERIC_SFPU_SUMS_INL
#undef BHEMU_NUMERIC_SFPU_SUMS_INL
#else
#define BHEMU_NUMERIC_SFPU_SUMS_INL
#endif

#include <hwy/highway.h>

#include "numeric/sfpu_block.hpp"
#include "numeric/sfpu_kernels-inl.hpp"

#if BHEMU_SFPU_VECTORS
HWY_BEFORE_NAMESPACE();
namespace bhemu::numeric::HWY_NAMESPACE {

HWY_INLINE V multiply_add(V x, V y, V z) {
  V value;
  if (!ordinary_mul_add(x, y, z, value)) value = separate_mul_add(x, y, z);
  return value;
}

/// sfpu_mul_add in two vectors whose operands and results are ordinary (ordinary_mul_add) and whose
/// products have 24 bits or fewer, so that the host's multiply-add has the same bits: what speaks
/// against it is looked for in both at once. False: it may have others.
HWY_INLINE bool exact_pair(V x0, V y0, V z0, V x1, V y1, V z1, V& out0, V& out1) {
  const D d;
  const Float f;
  const auto a0 = hn::BitCast(f, x0);
  const auto a1 = hn::BitCast(f, x1);
  const auto b0 = hn::BitCast(f, y0);
  const auto b1 = hn::BitCast(f, y1);
  const F product0 = hn::Mul(a0, b0);
  const F product1 = hn::Mul(a1, b1);
  const V lost = hn::Or(hn::BitCast(d, hn::MulSub(a0, b0, product0)),
                        hn::BitCast(d, hn::MulSub(a1, b1, product1)));
  out0 = hn::BitCast(d, hn::MulAdd(a0, b0, hn::BitCast(f, z0)));
  out1 = hn::BitCast(d, hn::MulAdd(a1, b1, hn::BitCast(f, z1)));

  const V factors = hn::Min(hn::Min(rank(x0), rank(x1)), hn::Min(rank(y0), rank(y1)));
  const V terms = hn::Min(hn::Min(rank(z0), rank(z1)), hn::Min(rank(out0), rank(out1)));
  const V p0 = hn::BitCast(d, product0);
  const V p1 = hn::BitCast(d, product1);
  // Twice the magnitudes.
  const V largest = hn::Max(hn::Max(hn::Add(out0, out0), hn::Add(out1, out1)),
                            hn::Max(hn::Add(p0, p0), hn::Add(p1, p1)));
  const auto ordinary =
      hn::And(hn::And(hn::Gt(factors, set(kLeastFactor)), hn::Gt(terms, set(kLeastTerm))),
              hn::Lt(largest, set(2 * kFp32Infinity)));
  const auto exact = hn::Eq(lost, hn::Zero(d));
  return hn::AllTrue(d, hn::And(ordinary, exact));
}

/// What is known of the numbers in LRegs, and, as `kImmediate`, of a step's own number: so that
/// what a sum needs of its operands is not looked for in every step.
class Numbers {
 public:
  static constexpr u32 kImmediate = 16;

  HWY_INLINE explicit Numbers(const SfpuBlock& block) : lreg_(block.lreg) {}

  /// Whether the host's multiply-add has the bits of sfpu_mul_add for these operands, provided that
  /// what it gives is zero or ordinary: the product is exact in 24 bits and does not overflow.
  HWY_INLINE bool are_plain(u32 x, u32 y, u32 z) {
    constexpr u32 kFactor = kRanged | kBrief;
    if (HWY_LIKELY((known_[x] & known_[y] & kFactor) == kFactor && (known_[z] & kTerm) != 0))
      return true;
    return turn_out_plain(x, y, z);
  }
  HWY_INLINE void take_immediate(u32 number) {
    const u32 rank = 2 * number - 1;
    note(kImmediate, rank > kLeastFactor && (number & ~kFp32Sign) < kMostFactor, rank > kLeastTerm,
         (number & kNotBrief) == 0, (number & kFraction) == 0);
  }
  /// The register was written.
  HWY_INLINE void forget(u32 r) { known_[r] = 0; }
  /// It was written in all lanes with sums that are zero or ordinary.
  HWY_INLINE void is_sum(u32 r) { known_[r] = kSum | kTerm; }

 private:
  enum Known : u8 {
    kLooked = 1,
    kSum = 2,      // written as `is_sum` says
    kRanged = 4,   // in all lanes zero, or from 2^-50 to 2^63
    kBrief = 8,    // in no lane any of the lowest twelve bits
    kPowers = 16,  // in all lanes zero or powers of two
    kTerm = 32,    // in all lanes zero, or 2^-125 or more
  };
  /// Products of two factors below this, 2^63, do not overflow.
  static constexpr u32 kMostFactor = 190u << 23;
  /// Without these bits, two mantissas make 24 bits.
  static constexpr u32 kNotBrief = 0xFFF;
  static constexpr u32 kFraction = 0x7FFFFF;

  HWY_INLINE bool is(u32 r, u32 what) const { return (known_[r] & what) != 0; }

  HWY_NOINLINE bool turn_out_plain(u32 x, u32 y, u32 z) {
    if (!is(z, kTerm | kLooked)) look(z);
    return is(z, kTerm) && is_factor(x, y) && is_factor(y, x) &&
           ((is(x, kBrief) && is(y, kBrief)) || is(x, kPowers) || is(y, kPowers));
  }
  /// Beside `other`. A sum has all its bits, most often, and is looked at only beside a power of
  /// two, where they do not matter.
  HWY_INLINE bool is_factor(u32 r, u32 other) {
    if (!is(r, kLooked)) {
      if (is(r, kSum) && !is(other, kPowers)) return false;
      look(r);
    }
    return is(r, kRanged);
  }
  HWY_INLINE void note(u32 r, bool ranged, bool term, bool brief, bool powers) {
    known_[r] = static_cast<u8>(kLooked | (ranged ? kRanged : 0) | (term ? kTerm : 0) |
                                (brief ? kBrief : 0) | (powers ? kPowers : 0));
  }
  HWY_NOINLINE void look(u32 r) {
    const D d;
    V bits = hn::Zero(d);
    V least = set(~0u);
    V most = hn::Zero(d);
    for (std::size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
      const V v = load(lreg_[r], i);
      bits = hn::Or(bits, v);
      least = hn::Min(least, rank(v));
      most = hn::Max(most, hn::Add(v, v));
    }
    const bool ranged = hn::AllTrue(
        d, hn::And(hn::Gt(least, set(kLeastFactor)), hn::Lt(most, set(2 * kMostFactor))));
    const bool term = ranged || hn::AllTrue(d, hn::Gt(least, set(kLeastTerm)));
    const auto without = [&](u32 mask) HWY_ATTR {
      return hn::AllTrue(d, hn::Eq(hn::And(bits, set(mask)), hn::Zero(d)));
    };
    note(r, ranged, term, without(kNotBrief), without(kFraction));
  }

  const Lanes* lreg_;
  u8 known_[kImmediate + 1] = {};
};

HWY_INLINE V plain_sum(V x, V y, V z) {
  const Float f;
  return hn::BitCast(D(), hn::MulAdd(hn::BitCast(f, x), hn::BitCast(f, y), hn::BitCast(f, z)));
}
/// Sums of operands that are plain are finite, of which `most` is twice the largest magnitude; then
/// they are zero or ordinary. For a product that is not zero is at least 2^-100 and a multiple of
/// 2^-123; a term that takes back most of it is a multiple of 2^-124.
HWY_INLINE bool are_finite(V most) {
  // A comparison without signs is more than a minimum on some hosts.
  return hn::AllTrue(D(), hn::Eq(hn::Min(most, set(2 * kFp32Infinity - 1)), most));
}

/// Of operands that are plain, in two vectors. False: a result is not ordinary.
HWY_INLINE bool plain_pair(V x0, V y0, V z0, V x1, V y1, V z1, V& out0, V& out1) {
  out0 = plain_sum(x0, y0, z0);
  out1 = plain_sum(x1, y1, z1);
  return are_finite(hn::Max(hn::Add(out0, out0), hn::Add(out1, out1)));
}

/// out := x * y + z of operands that are plain, in all lanes, where these are two vectors or four.
/// False: a sum is not finite, or there are other vectors, and nothing was done.
HWY_NOINLINE bool write_plain_sums(const Lanes& x, const Lanes& y, const Lanes& z, Lanes& out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const bool four = 4 * lanes == kLanes;
  if (!four && 2 * lanes != kLanes) return false;
  const auto sum = [&](std::size_t i)
                       HWY_ATTR { return plain_sum(load(x, i), load(y, i), load(z, i)); };
  const std::size_t third = four ? 2 * lanes : 0;
  const V out0 = sum(0);
  const V out1 = sum(lanes);
  const V out2 = four ? sum(third) : out0;
  const V out3 = four ? sum(third + lanes) : out1;
  const V most = hn::Max(hn::Max(hn::Add(out0, out0), hn::Add(out1, out1)),
                         hn::Max(hn::Add(out2, out2), hn::Add(out3, out3)));
  if (HWY_UNLIKELY(!are_finite(most))) return false;
  hn::Store(out0, d, &out.lane[0]);
  hn::Store(out1, d, &out.lane[lanes]);
  if (four) {
    hn::Store(out2, d, &out.lane[third]);
    hn::Store(out3, d, &out.lane[third + lanes]);
  }
  return true;
}

}  // namespace bhemu::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // BHEMU_NUMERIC_SFPU_SUMS_INL
