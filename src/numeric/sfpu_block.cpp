#include "numeric/sfpu_block.hpp"

#include "numeric/sfpu_convert.hpp"
#include "numeric/sfpu_float.hpp"
#include "numeric/sfpu_kernels.hpp"

// Highway compiles this file once for each kind of host and chooses at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/sfpu_block.cpp"
#include <hwy/detect_compiler_arch.h>
#if HWY_ARCH_X86
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#endif
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "numeric/sfpu_kernels-inl.hpp"
#include "numeric/sfpu_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace bhemu::numeric::HWY_NAMESPACE {

using Kind = SfpuStepKind;

/// The flags of `active` lanes become those of `value`.
HWY_INLINE void put_flags(SfpuBlock& block, u32 value, u32 active) {
  block.lane_flags = (block.lane_flags & ~active) | (value & active);
}

/// Who uses flags, and the flags: in all lanes.
HWY_INLINE void enable_flags(SfpuBlock& block, const SfpuStep& step) {
  block.use_lane_flags = (block.use_lane_flags & step.keep) ^ step.take;
  block.lane_flags = step.immediate;
}

/// What a step does to flags beside its value, whose signs are `negative`.
HWY_INLINE void follow_flags(SfpuBlock& block, const SfpuStep& step, u32 negative, u32 active) {
  if ((step.options & SfpuStep::kSetsFlags) != 0) put_flags(block, negative, active);
  if ((step.options & SfpuStep::kInvertsFlags) != 0) put_flags(block, ~block.lane_flags, active);
}

/// A condition of a SFPSETCC: lanes that do not use their flag get 0.
HWY_INLINE void put_condition(SfpuBlock& block, const SfpuStep& step, u32 holds, u32 active) {
  if ((step.options & SfpuStep::kComplement) != 0) holds = ~holds;
  put_flags(block, holds & block.use_lane_flags, active);
}

#if !BHEMU_SFPU_VECTORS

// The portable twin: lane by lane.

u32 shifted_by(u32 v, u32 amount, bool fills_with_sign) {
  const u32 right = (0u - amount) & 31;
  if ((amount >> 31) == 0) return v << (amount & 31);
  return fills_with_sign ? static_cast<u32>(static_cast<i32>(v) >> right) : v >> right;
}

u32 value_of(const SfpuStep& step, u32 a, u32 b, u32 c) {
  const u32 n = step.immediate;
  const u32 flip_x = (step.options & SfpuStep::kFlipX) != 0 ? kFp32Sign : 0;
  const u32 flip_z = (step.options & SfpuStep::kFlipZ) != 0 ? kFp32Sign : 0;
  constexpr u32 kExponent = 0x7F800000;
  switch (step.kind) {
    case Kind::MulAdd:
      return sfpu_mul_add(a ^ flip_x, b, c ^ flip_z);
    case Kind::MulAddImmediate:
      return sfpu_mul_add(n, b, c ^ flip_z);
    case Kind::MulImmediate:
      return sfpu_mul_add(a ^ flip_x, n, c);
    case Kind::Combine:
      return (c & step.keep) | (b & step.take) | n;
    case Kind::Flip:
      return c ^ n;
    case Kind::Add:
      return c + b;
    case Kind::AddImmediate:
      return c + n;
    case Kind::Subtract:
      return c - b;
    case Kind::And:
      return c & b;
    case Kind::Or:
      return c | b;
    case Kind::Xor:
      return c ^ b;
    case Kind::ShiftLeft:
      return b << n;
    case Kind::ShiftRight:
      return b >> n;
    case Kind::ShiftRightSigned:
      return static_cast<u32>(static_cast<i32>(b) >> n);
    case Kind::ShiftBy:
      return shifted_by(b, c, false);
    case Kind::ShiftBySigned:
      return shifted_by(b, c, true);
    case Kind::Exponent:
      return fp32_exponent(c) - n;
    case Kind::SetLowExponent:
      return (c & ~kExponent) | (b & 0xFF) << 23;
    case Kind::AddExponent:
      if (fp32_exponent(c) == 255) return c;
      return (c & ~kExponent) | ((fp32_exponent(c) + n) & 0xFF) << 23;
    case Kind::AbsoluteInteger:
      return sfpu_integer_absolute(c);
    case Kind::AbsoluteFloat:
      return c > 0xFF800000 ? c : c & ~kFp32Sign;
    case Kind::SwapSign:
      return sfpu_swap_sign_representation(c);
    default:
      return sfpu_float_of_integer(c);
  }
}

SfpuDstForm form_of(Kind kind) {
  switch (kind) {
    case Kind::LoadBf16:
    case Kind::StoreBf16:
      return SfpuDstForm::Bf16;
    case Kind::LoadFp16:
    case Kind::StoreFp16:
      return SfpuDstForm::Fp16;
    case Kind::StoreSingle:
      return SfpuDstForm::Single;
    default:
      return SfpuDstForm::Word;
  }
}

void store_masked(const SfpuStep& step, const Lanes& value, u32 active) {
  for (u32 i = 0; i < kLanes; ++i) {
    if (((active >> i) & 1) == 0) continue;
    const u32 at = 2 * i + (step.odd ? 1 : 0);
    switch (step.kind) {
      case Kind::StoreBf16:
        step.high[at] = sfpu_store_bf16(value[i]);
        break;
      case Kind::StoreFp16:
        step.high[at] = sfpu_store_fp16(value[i]);
        break;
      default: {
        const u32 v = step.kind == Kind::StoreSingle ? sfpu_flush(value[i]) : value[i];
        step.high[at] = static_cast<u16>(dst_from_fp32(v) >> 16);
        step.low[at] = static_cast<u16>(dst_from_fp32(v));
      }
    }
  }
}

void swap(Lanes* lreg, const SfpuStep& step, u32 lanes) {
  const Lanes c = lreg[step.c];
  const Lanes d = lreg[step.d];
  if (step.d < 8) blend(lreg[step.d], c, lanes);
  if (step.c < 8) blend(lreg[step.c], d, lanes);
}

void run_step(SfpuBlock& block, const SfpuStep& step) {
  Lanes* const lreg = block.lreg;
  const u32 active = block.active();
  const Lanes& c = lreg[step.c];
  Lanes& d = lreg[step.d];
  switch (step.kind) {
    case Kind::LoadBf16:
    case Kind::LoadFp16:
    case Kind::LoadWord:
      sfpu_load_rows({form_of(step.kind), step.odd, step.high, step.low}, active, d);
      return;
    case Kind::StoreBf16:
    case Kind::StoreFp16:
    case Kind::StoreWord:
    case Kind::StoreSingle:
      return store_masked(step, d, active);
    case Kind::Swap:
      return swap(lreg, step, active & step.immediate);
    case Kind::SwapOrdered: {
      u32 smaller = 0;
      for (u32 i = 0; i < kLanes; ++i) {
        const bool counts = sfpu_is_smaller(c[i], d[i]) || (c[i] == d[i] && (c[i] >> 31) != 0);
        smaller |= static_cast<u32>(counts) << i;
      }
      return swap(lreg, step, active & ~(smaller ^ step.immediate));
    }
    case Kind::FlagsAre:
      return put_condition(block, step, step.immediate, active);
    case Kind::FlagsNegative:
      return put_condition(block, step, mask_where(c, [](u32 v) { return (v >> 31) != 0; }),
                           active);
    case Kind::FlagsNonzero:
      return put_condition(block, step, mask_where(c, [](u32 v) { return v != 0; }), active);
    case Kind::Greater: {
      u32 holds = 0;
      for (u32 i = 0; i < kLanes; ++i) holds |= static_cast<u32>(sfpu_is_smaller(c[i], d[i])) << i;
      if ((step.options & SfpuStep::kComplement) != 0) holds = ~holds;
      Lanes value;
      for (u32 i = 0; i < kLanes; ++i) value[i] = 0u - ((holds >> i) & 1);
      if ((step.options & SfpuStep::kWrites) != 0) blend(d, value, active);
      if ((step.options & SfpuStep::kSetsFlags) != 0) put_flags(block, holds, active);
      return;
    }
    case Kind::EnableFlags:
      return enable_flags(block, step);
    default:
      break;
  }
  const u32 mask = (step.options & SfpuStep::kEverywhere) != 0 ? kAllLanes : active;
  const Lanes& a = lreg[step.a];
  const Lanes& b = lreg[step.b];
  Lanes value;
  for (u32 i = 0; i < kLanes; ++i) value[i] = value_of(step, a[i], b[i], c[i]);
  blend(d, value, mask);
  follow_flags(block, step, mask_where(value, [](u32 v) { return (v >> 31) != 0; }), mask);
}

void run_block(SfpuBlock& block, const SfpuStep* const* steps, u32 count) {
  for (u32 i = 0; i < count; ++i) run_step(block, *steps[i]);
}

#else

HWY_INLINE V exponent_field(V v) {
  return hn::And(hn::ShiftRight<23>(v), set(0xFF));
}
HWY_INLINE S as_signed(V v) {
  return hn::BitCast(Signed(), v);
}
HWY_INLINE void put(Lanes& out, std::size_t i, V value, u32 mask) {
  const D d;
  if (mask != kAllLanes)
    value = hn::IfThenElse(hn::RebindMask(d, mask_from(mask, i)), value, load(out, i));
  hn::Store(value, d, &out.lane[i]);
}

/// d := value(i), and the flags that follow from its sign.
template <class Value>
HWY_INLINE void write(SfpuBlock& block, const SfpuStep& step, Value value) {
  Lanes& out = block.lreg[step.d];
  const u32 mask = (step.options & SfpuStep::kEverywhere) != 0 ? kAllLanes : block.active();
  constexpr u32 kFollows = SfpuStep::kSetsFlags | SfpuStep::kInvertsFlags;
  if (HWY_LIKELY((step.options & kFollows) == 0)) {
    for (std::size_t i = 0; i < kLanes; i += hn::Lanes(D())) put(out, i, value(i), mask);
    return;
  }
  alignas(64) Lanes result;
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(D()))
    hn::Store(value(i), D(), &result.lane[i]);
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(D())) put(out, i, load(result, i), mask);
  const u32 negative = lanes_where(
      [&](std::size_t i) { return hn::Lt(as_signed(load(result, i)), hn::Zero(Signed())); });
  follow_flags(block, step, negative, mask);
}

/// Two vectors of the sum fit into the lanes.
HWY_INLINE bool in_pairs() {
  return hn::Lanes(D()) <= kLanes / 2;
}

/// Registers of operands, or Numbers::kImmediate.
struct Operands {
  u32 x;
  u32 y;
  u32 z;
};

/// d := x(i) * y(i) + z(i).
template <class X, class Y, class Z>
HWY_INLINE void write_sum(SfpuBlock& block, Numbers& numbers, const SfpuStep& step,
                          const Operands& of, X x, Y y, Z z) {
  const std::size_t lanes = hn::Lanes(D());
  // Where one product was not exact, the next ones are hardly either.
  constexpr u32 kDoubtful = 3;
  const bool plain = in_pairs() && numbers.are_plain(of.x, of.y, of.z);
  numbers.forget(step.d);
  if (!plain && (block.doubtful != 0 || !in_pairs())) {
    block.doubtful -= block.doubtful != 0 ? 1 : 0;
    return write(block, step, [&](std::size_t i) { return multiply_add(x(i), y(i), z(i)); });
  }
  Lanes& out = block.lreg[step.d];
  const u32 mask = block.active();
  bool ordinary = plain && mask == kAllLanes;
  for (std::size_t i = 0; i < kLanes; i += 2 * lanes) {
    const std::size_t j = i + lanes;
    V value0, value1;
    const bool is_exact = plain ? plain_pair(x(i), y(i), z(i), x(j), y(j), z(j), value0, value1)
                                : exact_pair(x(i), y(i), z(i), x(j), y(j), z(j), value0, value1);
    if (HWY_UNLIKELY(!is_exact)) {
      if (!plain) block.doubtful = kDoubtful;
      ordinary = false;
      value0 = multiply_add(x(i), y(i), z(i));
      value1 = multiply_add(x(j), y(j), z(j));
    }
    put(out, i, value0, mask);
    put(out, j, value1, mask);
  }
  if (ordinary) numbers.is_sum(step.d);
}

/// Sums that are not plain, or with other signs, immediate numbers, or in some lanes.
HWY_NOINLINE void multiply_otherwise(SfpuBlock& block, Numbers& numbers, const SfpuStep& step) {
  const Lanes& a = block.lreg[step.a];
  const Lanes& b = block.lreg[step.b];
  const Lanes& c = block.lreg[step.c];
  const V n = set(step.immediate);
  const auto plain_a = [&](std::size_t i) { return load(a, i); };
  const auto plain_b = [&](std::size_t i) { return load(b, i); };
  const auto plain_c = [&](std::size_t i) { return load(c, i); };
  const auto immediate = [&](std::size_t) { return n; };
  const Operands abc{step.a, step.b, step.c};
  if (step.kind == Kind::MulAdd && HWY_LIKELY(step.options == 0))
    return write_sum(block, numbers, step, abc, plain_a, plain_b, plain_c);
  const V flip_x = set((step.options & SfpuStep::kFlipX) != 0 ? kFp32Sign : 0);
  const V flip_z = set((step.options & SfpuStep::kFlipZ) != 0 ? kFp32Sign : 0);
  const auto flipped_a = [&](std::size_t i) { return hn::Xor(load(a, i), flip_x); };
  const auto flipped_c = [&](std::size_t i) { return hn::Xor(load(c, i), flip_z); };
  if (step.kind == Kind::MulAdd)
    return write_sum(block, numbers, step, abc, flipped_a, plain_b, flipped_c);
  numbers.take_immediate(step.immediate);
  constexpr u32 kOwn = Numbers::kImmediate;
  if (step.kind == Kind::MulAddImmediate)
    write_sum(block, numbers, step, {kOwn, step.b, step.c}, immediate, plain_b, flipped_c);
  else
    write_sum(block, numbers, step, {step.a, kOwn, step.c}, flipped_a, immediate, plain_c);
}

HWY_INLINE void multiply(SfpuBlock& block, Numbers& numbers, const SfpuStep& step) {
  Lanes* const lreg = block.lreg;
  if (step.kind == Kind::MulAdd && step.options == 0 && block.active() == kAllLanes &&
      numbers.are_plain(step.a, step.b, step.c) &&
      write_plain_sums(lreg[step.a], lreg[step.b], lreg[step.c], lreg[step.d]))
    return numbers.is_sum(step.d);
  multiply_otherwise(block, numbers, step);
}

/// v to the left by `amount` places, to the right where that is negative.
template <bool fills_with_sign>
HWY_INLINE V shifted_by(V v, V amount) {
  const D d;
  const V places = set(31);
  const V left = hn::Shl(v, hn::And(amount, places));
  const V right_places = hn::And(hn::Sub(hn::Zero(d), amount), places);
  const V right = fills_with_sign ? hn::BitCast(d, hn::Shr(as_signed(v), as_signed(right_places)))
                                  : hn::Shr(v, right_places);
  const auto negative = hn::Lt(as_signed(amount), hn::Zero(Signed()));
  return hn::IfThenElse(hn::RebindMask(d, negative), right, left);
}

/// Shifts by a number of places that is the same in all lanes.
HWY_INLINE void shift(SfpuBlock& block, const SfpuStep& step) {
  const Lanes& b = block.lreg[step.b];
  const V places = set(step.immediate);
  if (step.kind == Kind::ShiftLeft)
    write(block, step, [&](std::size_t i) { return hn::Shl(load(b, i), places); });
  else if (step.kind == Kind::ShiftRight)
    write(block, step, [&](std::size_t i) { return hn::Shr(load(b, i), places); });
  else
    write(block, step, [&](std::size_t i) {
      return hn::BitCast(D(), hn::Shr(as_signed(load(b, i)), as_signed(places)));
    });
}

HWY_INLINE V negated(V v) {
  return hn::Sub(hn::Zero(D()), v);
}
HWY_INLINE auto is_negative(V v) {
  return hn::RebindMask(D(), hn::Lt(as_signed(v), hn::Zero(Signed())));
}

/// Fields of numbers, signs, conversions: of c, and of b.
HWY_INLINE void convert(SfpuBlock& block, const SfpuStep& step) {
  const D d;
  const Lanes& b = block.lreg[step.b];
  const Lanes& c = block.lreg[step.c];
  const V n = set(step.immediate);
  const V exponent_bits = set(0x7F800000);
  const V sign = set(kFp32Sign);
  switch (step.kind) {
    case Kind::Exponent:
      return write(block, step,
                   [&](std::size_t i) { return hn::Sub(exponent_field(load(c, i)), n); });
    case Kind::SetLowExponent:
      return write(block, step, [&](std::size_t i) {
        const V exponent = hn::ShiftLeft<23>(hn::And(load(b, i), set(0xFF)));
        return hn::Or(hn::AndNot(exponent_bits, load(c, i)), exponent);
      });
    case Kind::AddExponent:
      return write(block, step, [&](std::size_t i) {
        const V v = load(c, i);
        const V old = exponent_field(v);
        const V exponent = hn::ShiftLeft<23>(hn::And(hn::Add(old, n), set(0xFF)));
        return hn::IfThenElse(hn::Eq(old, set(255)), v,
                              hn::Or(hn::AndNot(exponent_bits, v), exponent));
      });
    case Kind::AbsoluteInteger:
      return write(block, step, [&](std::size_t i) {
        const V v = load(c, i);
        return hn::IfThenElse(is_negative(v), negated(v), v);
      });
    case Kind::AbsoluteFloat:
      return write(block, step, [&](std::size_t i) {
        const V v = load(c, i);
        return hn::IfThenElse(hn::Gt(v, set(0xFF800000)), v, hn::AndNot(sign, v));
      });
    case Kind::SwapSign:
      return write(block, step, [&](std::size_t i) {
        const V v = load(c, i);
        return hn::IfThenElse(is_negative(v), hn::Or(sign, hn::AndNot(sign, negated(v))), v);
      });
    default:
      // Magnitudes have 31 bits: the host converts them and rounds to nearest even.
      return write(block, step, [&](std::size_t i) {
        const V v = load(c, i);
        const V value = hn::BitCast(d, hn::ConvertTo(Float(), as_signed(hn::AndNot(sign, v))));
        return hn::Or(value, hn::And(v, sign));
      });
  }
}

/// Two operands, bit by bit or as integers.
HWY_INLINE void combine(SfpuBlock& block, const SfpuStep& step) {
  const Lanes& b = block.lreg[step.b];
  const Lanes& c = block.lreg[step.c];
  const V n = set(step.immediate);
  const V keep = set(step.keep);
  const V take = set(step.take);
  switch (step.kind) {
    case Kind::Combine:
      return write(block, step, [&](std::size_t i) {
        return hn::Or(hn::And(load(c, i), keep), hn::Or(hn::And(load(b, i), take), n));
      });
    case Kind::Flip:
      return write(block, step, [&](std::size_t i) { return hn::Xor(load(c, i), n); });
    case Kind::Add:
      return write(block, step, [&](std::size_t i) { return hn::Add(load(c, i), load(b, i)); });
    case Kind::AddImmediate:
      return write(block, step, [&](std::size_t i) { return hn::Add(load(c, i), n); });
    case Kind::Subtract:
      return write(block, step, [&](std::size_t i) { return hn::Sub(load(c, i), load(b, i)); });
    case Kind::And:
      return write(block, step, [&](std::size_t i) { return hn::And(load(c, i), load(b, i)); });
    case Kind::Or:
      return write(block, step, [&](std::size_t i) { return hn::Or(load(c, i), load(b, i)); });
    case Kind::Xor:
      return write(block, step, [&](std::size_t i) { return hn::Xor(load(c, i), load(b, i)); });
    case Kind::ShiftBy:
      return write(block, step,
                   [&](std::size_t i) { return shifted_by<false>(load(b, i), load(c, i)); });
    default:
      return write(block, step,
                   [&](std::size_t i) { return shifted_by<true>(load(b, i), load(c, i)); });
  }
}

HWY_INLINE u32 smaller(const Lanes& x, const Lanes& y) {
  return lanes_where(
      [&](std::size_t i) { return hn::Lt(order_key(load(x, i)), order_key(load(y, i))); });
}

HWY_INLINE void swap(SfpuBlock& block, const SfpuStep& step) {
  Lanes& c = block.lreg[step.c];
  Lanes& d = block.lreg[step.d];
  u32 lanes = block.active();
  if (step.kind == Kind::Swap) {
    lanes &= step.immediate;
  } else {
    // Of equal numbers a negative one counts as the smaller.
    const u32 counts =
        smaller(c, d) | lanes_where([&](std::size_t i) {
          const S v = as_signed(load(c, i));
          return hn::And(hn::Eq(v, as_signed(load(d, i))), hn::Lt(v, hn::Zero(Signed())));
        });
    lanes &= ~(counts ^ step.immediate);
  }
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(D())) {
    const V from_c = load(c, i);
    const V from_d = load(d, i);
    if (step.d < 8) put(d, i, from_c, lanes);
    if (step.c < 8) put(c, i, from_d, lanes);
  }
}

HWY_INLINE void greater(SfpuBlock& block, const SfpuStep& step) {
  Lanes& d = block.lreg[step.d];
  const u32 active = block.active();
  u32 holds = smaller(block.lreg[step.c], d);
  if ((step.options & SfpuStep::kComplement) != 0) holds = ~holds;
  if ((step.options & SfpuStep::kWrites) != 0) {
    for (std::size_t i = 0; i < kLanes; i += hn::Lanes(D()))
      put(d, i, hn::BitCast(D(), hn::VecFromMask(Signed(), mask_from(holds, i))), active);
  }
  if ((step.options & SfpuStep::kSetsFlags) != 0) put_flags(block, holds, active);
}

HWY_INLINE void run_other_step(SfpuBlock& block, const SfpuStep& step) {
  switch (step.kind) {
    case Kind::LoadBf16:
      return load_rows_as<SfpuDstForm::Bf16>({SfpuDstForm::Bf16, step.odd, step.high, step.low},
                                             block.active(), block.lreg[step.d]);
    case Kind::LoadFp16:
      return load_rows_as<SfpuDstForm::Fp16>({SfpuDstForm::Fp16, step.odd, step.high, step.low},
                                             block.active(), block.lreg[step.d]);
    case Kind::LoadWord:
      return load_rows_as<SfpuDstForm::Word>({SfpuDstForm::Word, step.odd, step.high, step.low},
                                             block.active(), block.lreg[step.d]);
    case Kind::StoreBf16:
      return store_rows_as<SfpuDstForm::Bf16>({SfpuDstForm::Bf16, step.odd, step.high, step.low},
                                              block.lreg[step.d], block.active());
    case Kind::StoreFp16:
      return store_rows_as<SfpuDstForm::Fp16>({SfpuDstForm::Fp16, step.odd, step.high, step.low},
                                              block.lreg[step.d], block.active());
    case Kind::StoreWord:
      return store_rows_as<SfpuDstForm::Word>({SfpuDstForm::Word, step.odd, step.high, step.low},
                                              block.lreg[step.d], block.active());
    case Kind::StoreSingle:
      return store_rows_as<SfpuDstForm::Single>(
          {SfpuDstForm::Single, step.odd, step.high, step.low}, block.lreg[step.d], block.active());
    case Kind::ShiftLeft:
    case Kind::ShiftRight:
    case Kind::ShiftRightSigned:
      return shift(block, step);
    case Kind::Exponent:
    case Kind::SetLowExponent:
    case Kind::AddExponent:
    case Kind::AbsoluteInteger:
    case Kind::AbsoluteFloat:
    case Kind::SwapSign:
    case Kind::FloatOfInteger:
      return convert(block, step);
    case Kind::Swap:
    case Kind::SwapOrdered:
      return swap(block, step);
    case Kind::FlagsAre:
      return put_condition(block, step, step.immediate, block.active());
    case Kind::FlagsNegative:
      return put_condition(block, step, negative_lanes_of(block.lreg[step.c]), block.active());
    case Kind::FlagsNonzero:
      return put_condition(block, step, nonzero_lanes_of(block.lreg[step.c]), block.active());
    case Kind::Greater:
      return greater(block, step);
    case Kind::EnableFlags:
      return enable_flags(block, step);
    default:
      return combine(block, step);
  }
}

void run_block(SfpuBlock& block, const SfpuStep* const* steps, u32 count) {
  Numbers numbers(block);
  for (u32 i = 0; i < count; ++i) {
    const SfpuStep& step = *steps[i];
    if (step.kind <= Kind::MulImmediate) {
      multiply(block, numbers, step);
      continue;
    }
    run_other_step(block, step);
    // Whatever it wrote.
    numbers.forget(step.d);
    if (step.kind == Kind::Swap || step.kind == Kind::SwapOrdered) numbers.forget(step.c);
  }
}
#endif

}  // namespace bhemu::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::numeric {

HWY_EXPORT(run_block);

void sfpu_run_block(SfpuBlock& block, const SfpuStep* const* steps, u32 count) {
  HWY_DYNAMIC_DISPATCH(run_block)(block, steps, count);
}

}  // namespace bhemu::numeric
#endif
