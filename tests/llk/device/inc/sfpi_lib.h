// Functions over the types of sfpi.h, and the compiler's builtins that kernels call themselves.
#pragma once

namespace sfpi {
namespace impl_ {

template <class T>
inline constexpr bool is_vector = std::is_base_of_v<vVal, T>;
template <class T>
using IfVector = std::enable_if_t<is_vector<T>, int>;
template <class T>
using IfNumber = std::enable_if_t<std::is_integral_v<T>, int>;

/// vFloat, vInt or vUInt of what may be the result of an operation.
template <class T>
using Base = std::conditional_t<std::is_base_of_v<vFloat, T>, vFloat, Integer<T>>;

template <class V>
sfpi_inline auto unary(std::uint32_t opcode, std::uint32_t mod, const vVal& a) {
  return Fresh<V, Unary>({word(opcode, mod), a.get()});
}
template <class V>
sfpi_inline auto with_number(std::uint32_t opcode, std::uint32_t mod, const vVal& a,
                             std::uint32_t number) {
  return Fresh<V, UnaryImmediate>({word(opcode, mod), a.get(), number});
}
template <class V>
sfpi_inline auto with_vector(std::uint32_t opcode, std::uint32_t mod, const vVal& a,
                             const vVal& in_vd) {
  return Fresh<V, InPlace>({word(opcode, mod), in_vd.get(), a.get()});
}

}  // namespace impl_

template <class V, impl_::IfVector<V> = 0>
sfpi_inline V reinterpret(const impl_::vVal& value) {
  V result;
  static_cast<impl_::vVal&>(result) = value;
  return result;
}
/// The result of an operation remembers it under the new type, too.
template <class V, class U, class Op, impl_::IfVector<V> = 0>
sfpi_inline auto reinterpret(const impl_::Fresh<U, Op>& value) {
  return impl_::Fresh<V, Op>(reinterpret<V>(static_cast<const impl_::vVal&>(value)), value.op);
}
template <class V, impl_::IfVector<V> = 0>
sfpi_inline V as(const impl_::vVal& value) {
  return reinterpret<V>(value);
}

// --- Parts of a float -------------------------------------------------------------------------

sfpi_inline auto exexp(const vFloat& v) {
  return impl_::unary<vInt>(0x77, SFPEXEXP_MOD1_DEBIAS, v);
}
sfpi_inline auto exexp_nodebias(const vFloat& v) {
  return impl_::unary<vInt>(0x77, SFPEXEXP_MOD1_NODEBIAS, v);
}
sfpi_inline auto exman8(const vFloat& v) {
  return impl_::unary<vInt>(0x78, SFPEXMAN_MOD1_PAD8, v);
}
sfpi_inline auto exman9(const vFloat& v) {
  return impl_::unary<vInt>(0x78, SFPEXMAN_MOD1_PAD9, v);
}
template <class T, impl_::IfNumber<T> = 0>
sfpi_inline auto setexp(const vFloat& v, T exponent) {
  return impl_::with_number<vFloat>(0x82, SFPSETEXP_MOD1_IMM, v, std::uint32_t(exponent));
}
template <class T, impl_::IfVector<T> = 0>
sfpi_inline auto setexp(const vFloat& v, const T& exponent) {
  return impl_::with_vector<vFloat>(0x82, 0, v, exponent);
}
sfpi_inline auto copyexp(const vFloat& v, const vFloat& exponent) {
  return impl_::with_vector<vFloat>(0x82, SFPSETEXP_MOD1_CPY, v, exponent);
}
template <class T, impl_::IfNumber<T> = 0>
sfpi_inline auto setman(const vFloat& v, T mantissa) {
  return impl_::with_number<vFloat>(0x83, SFPSETMAN_MOD1_IMM, v, std::uint32_t(mantissa));
}
template <class T, impl_::IfVector<T> = 0>
sfpi_inline auto setman(const vFloat& v, const T& mantissa) {
  return impl_::with_vector<vFloat>(0x83, 0, v, mantissa);
}
template <class V, class T, impl_::IfVector<V> = 0, impl_::IfNumber<T> = 0>
sfpi_inline auto setsgn(const V& v, T sign) {
  return impl_::with_number<impl_::Base<V>>(0x89, SFPSETSGN_MOD1_IMM, v, std::uint32_t(sign) & 1);
}
template <class V, class T, impl_::IfVector<V> = 0, impl_::IfVector<T> = 0>
sfpi_inline auto setsgn(const V& v, const T& sign) {
  return impl_::with_vector<impl_::Base<V>>(0x89, 0, v, sign);
}
template <class V, class T, impl_::IfVector<V> = 0, impl_::IfVector<T> = 0>
sfpi_inline auto copysgn(const V& v, const T& sign) {
  return setsgn(v, sign);
}
sfpi_inline auto addexp(const vFloat& v, int exponent) {
  return impl_::with_number<vFloat>(0x76, SFPSDIVP2_MOD1_ADD, v, std::uint32_t(exponent));
}

// --- Integers ---------------------------------------------------------------------------------

sfpi_inline auto abs(const vFloat& v) {
  return impl_::unary<vFloat>(0x7D, SFPABS_MOD1_FLOAT, v);
}
sfpi_inline auto abs(const vInt& v) {
  return impl_::unary<vInt>(0x7D, SFPABS_MOD1_INT, v);
}
template <class V, impl_::IfVector<V> = 0>
sfpi_inline auto lz(const V& v) {
  return impl_::unary<vInt>(0x81, SFPLZ_MOD1_CC_NONE, v);
}
template <class V, impl_::IfVector<V> = 0>
sfpi_inline auto lz_nosgn(const V& v) {
  return impl_::unary<vInt>(0x81, SFPLZ_MOD1_NOSGN_CC_NONE, v);
}
template <class V, class T, impl_::IfVector<V> = 0>
sfpi_inline auto shft(const V& v, const T& amount) {
  return impl_::shift_left<impl_::Base<V>>(v.get(), amount);
}
sfpi_inline vInt rand() {
  double value;  // another number each time, so never twice the same
  asm volatile("sfpu.d %0, %1"
               : "=f"(value)
               : "i"(impl_::word(0x7C, SFPMOV_MOD1_CONFIG) | SFPCONFIG_SRC_RAND << 8), SFPU_LANES);
  return vInt(impl_::variable(value));
}

// --- Conversions ------------------------------------------------------------------------------

namespace RoundMode {
enum RoundMode { NearestEven, Stochastic, Zero, Even = NearestEven, Nearest = NearestEven };
}

namespace impl_ {
/// The instruction's modes are numbered as RoundMode is. VB repeats VC, which spares a false stall.
template <class V>
sfpi_inline auto rounded(const vVal& a, std::uint32_t mod, int rounding) {
  return Fresh<V, Pair>({word(0x8E, mod) | std::uint32_t(rounding) << 21, a.get(), a.get()});
}
template <class V>
sfpi_inline auto descaled(const vVal& a, const vVal& by, std::uint32_t mod, int rounding) {
  return Fresh<V, Pair>({word(0x8E, mod) | std::uint32_t(rounding) << 21, by.get(), a.get()});
}
template <class V>
sfpi_inline auto descaled(const vVal& a, unsigned by, std::uint32_t mod, int rounding) {
  return Fresh<V, Unary>(
      {word(0x8E, mod | SFPSTOCHRND_MOD1_IMM8, (by & 31) << 4) | std::uint32_t(rounding) << 21,
       a.get()});
}
}  // namespace impl_

sfpi_inline auto int32_to_float(const vInt& v, int rounding = 1) {
  return impl_::unary<vFloat>(
      0x90, rounding ? SFPCAST_MOD1_SM32_TO_FP32_RNS : SFPCAST_MOD1_SM32_TO_FP32_RNE, v);
}
sfpi_inline auto float_to_fp16a(const vFloat& v, int rounding = RoundMode::Stochastic) {
  return impl_::rounded<vUInt>(v, SFPSTOCHRND_MOD1_FP32_TO_FP16A, rounding);
}
sfpi_inline auto float_to_fp16b(const vFloat& v, int rounding = RoundMode::Stochastic) {
  return impl_::rounded<vUInt>(v, SFPSTOCHRND_MOD1_FP32_TO_FP16B, rounding);
}
sfpi_inline auto float_to_uint8(const vFloat& v, int rounding = RoundMode::Stochastic) {
  return impl_::rounded<vUInt>(v, SFPSTOCHRND_MOD1_FP32_TO_UINT8, rounding);
}
sfpi_inline auto float_to_int8(const vFloat& v, int rounding = RoundMode::Stochastic) {
  return impl_::rounded<vUInt>(v, SFPSTOCHRND_MOD1_FP32_TO_INT8, rounding);
}
sfpi_inline auto float_to_uint16(const vFloat& v, int rounding = RoundMode::Stochastic) {
  return impl_::rounded<vUInt>(v, SFPSTOCHRND_MOD1_FP32_TO_UINT16, rounding);
}
sfpi_inline auto float_to_int16(const vFloat& v, int rounding = RoundMode::Stochastic) {
  return impl_::rounded<vUInt>(v, SFPSTOCHRND_MOD1_FP32_TO_INT16, rounding);
}
template <class T>
sfpi_inline auto int32_to_uint8(const vInt& v, const T& descale,
                                int rounding = RoundMode::Stochastic) {
  return impl_::descaled<vUInt>(v, descale, SFPSTOCHRND_MOD1_INT32_TO_UINT8, rounding);
}
template <class T>
sfpi_inline auto int32_to_int8(const vInt& v, const T& descale,
                               int rounding = RoundMode::Stochastic) {
  return impl_::descaled<vUInt>(v, descale, SFPSTOCHRND_MOD1_INT32_TO_INT8, rounding);
}

// --- Approximations: tables are read from LReg0.., the argument from LReg3 --------------------

template <bool uncond = true>
sfpi_inline vFloat approx_recip(const vFloat& v) {
  return impl_::unary<vFloat>(0x99, uncond ? SFPARECIP_MOD1_RECIP : SFPARECIP_MOD1_COND_RECIP, v);
}
sfpi_inline auto approx_exp(const vFloat& v) {
  return impl_::unary<vFloat>(0x99, SFPARECIP_MOD1_EXP, v);
}

namespace impl_ {

// An instruction that reads fixed registers gives them back as results, and a table is from then on
// what came back: so the compiler can leave it there between two look-ups. The answer takes the
// place of the argument.
#define SFPU_TABLE(n, value) register double l##n asm("f" #n) = (value).get().reg

sfpi_inline vFloat look_up(const vVal& v, const vVal& t0, const vVal& t1, const vVal& t2,
                           std::uint32_t mod) {
  SFPU_TABLE(0, t0);
  SFPU_TABLE(1, t1);
  SFPU_TABLE(2, t2);
  SFPU_TABLE(3, v);
  asm("sfpu.high %3, -1, %4"
      : "+f"(l0), "+f"(l1), "+f"(l2), "+f"(l3)
      : "i"(0x73u << 24 | mod << 16), SFPU_LANES);
  t0.keep(l0), t1.keep(l1), t2.keep(l2);
  return vFloat(variable(l3));
}
/// SFPLUTFP32 has its mode twice: the copy is what the stalling logic looks at.
constexpr std::uint32_t wide_lookup(std::uint32_t mod) {
  return 0x95u << 24 | mod << 16 | mod;
}
sfpi_inline vFloat look_up_wide(const vVal& v, const vVal& t0, const vVal& t1, const vVal& t2,
                                std::uint32_t mod) {
  SFPU_TABLE(0, t0);
  SFPU_TABLE(1, t1);
  SFPU_TABLE(2, t2);
  SFPU_TABLE(3, v);
  asm("sfpu.d %3, %4" : "+f"(l0), "+f"(l1), "+f"(l2), "+f"(l3) : "i"(wide_lookup(mod)), SFPU_LANES);
  t0.keep(l0), t1.keep(l1), t2.keep(l2);
  return vFloat(variable(l3));
}
sfpi_inline vFloat look_up_wide(const vVal& v, const vVal& t0, const vVal& t1, const vVal& t2,
                                const vVal& t4, const vVal& t5, const vVal& t6, std::uint32_t mod) {
  SFPU_TABLE(0, t0);
  SFPU_TABLE(1, t1);
  SFPU_TABLE(2, t2);
  SFPU_TABLE(3, v);
  SFPU_TABLE(4, t4);
  SFPU_TABLE(5, t5);
  SFPU_TABLE(6, t6);
  asm("sfpu.d %3, %7"
      : "+f"(l0), "+f"(l1), "+f"(l2), "+f"(l3), "+f"(l4), "+f"(l5), "+f"(l6)
      : "i"(wide_lookup(mod)), SFPU_LANES);
  t0.keep(l0), t1.keep(l1), t2.keep(l2), t4.keep(l4), t5.keep(l5), t6.keep(l6);
  return vFloat(variable(l3));
}
#undef SFPU_TABLE
/// Six entries: of 32 bits if the tables are floats, else twice of 16.
template <class Table>
constexpr std::uint32_t table_mode(int mode) {
  if (std::is_base_of_v<vFloat, Table>) return SFPLUTFP32_MOD0_FP32_3ENTRY_TABLE;
  return mode == 1 ? SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE1 : SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE2;
}

}  // namespace impl_

sfpi_inline vFloat lut(const vFloat& v, const vUInt& l0, const vUInt& l1, const vUInt& l2) {
  return impl_::look_up(v, l0, l1, l2, SFPLUT_MOD0_SGN_RETAIN);
}
sfpi_inline vFloat lut_sign(const vFloat& v, const vUInt& l0, const vUInt& l1, const vUInt& l2) {
  return impl_::look_up(v, l0, l1, l2, SFPLUT_MOD0_SGN_UPDATE);
}
sfpi_inline vFloat lut2(const vFloat& v, const vUInt& l0, const vUInt& l1, const vUInt& l2) {
  return impl_::look_up_wide(v, l0, l1, l2,
                             SFPLUTFP32_MOD0_FP16_3ENTRY_TABLE | SFPLUTFP32_MOD0_SGN_RETAIN);
}
sfpi_inline vFloat lut2_sign(const vFloat& v, const vUInt& l0, const vUInt& l1, const vUInt& l2) {
  return impl_::look_up_wide(v, l0, l1, l2,
                             SFPLUTFP32_MOD0_FP16_3ENTRY_TABLE | SFPLUTFP32_MOD0_SGN_UPDATE);
}
template <class Table, impl_::IfVector<Table> = 0>
sfpi_inline vFloat lut2(const vFloat& v, const Table& a0, const impl_::vVal& a1,
                        const impl_::vVal& a2, const impl_::vVal& b0, const impl_::vVal& b1,
                        const impl_::vVal& b2, int mode = 1) {
  return impl_::look_up_wide(v, a0, a1, a2, b0, b1, b2,
                             impl_::table_mode<Table>(mode) | SFPLUTFP32_MOD0_SGN_RETAIN);
}
template <class Table, impl_::IfVector<Table> = 0>
sfpi_inline vFloat lut2_sign(const vFloat& v, const Table& a0, const impl_::vVal& a1,
                             const impl_::vVal& a2, const impl_::vVal& b0, const impl_::vVal& b1,
                             const impl_::vVal& b2, int mode = 1) {
  return impl_::look_up_wide(v, a0, a1, a2, b0, b1, b2,
                             impl_::table_mode<Table>(mode) | SFPLUTFP32_MOD0_SGN_UPDATE);
}

// --- Across vectors and lanes -----------------------------------------------------------------

namespace impl_ {
sfpi_inline void swap(double& c, double& d, std::uint32_t mod) {
  asm("sfpu.cd %0, %1, -1, %2" : "+f"(d), "+f"(c) : "i"(word(0x92, mod)), SFPU_LANES);
}
sfpi_inline void transpose(vVal& a, vVal& b, vVal& c, vVal& d) {
  register double l0 asm("f0") = a.get().reg;
  register double l1 asm("f1") = b.get().reg;
  register double l2 asm("f2") = c.get().reg;
  register double l3 asm("f3") = d.get().reg;
  asm(".ttinsn %4"  // it does the same with the other four
      : "+f"(l0), "+f"(l1), "+f"(l2), "+f"(l3)
      : "i"(word(0x8C)), SFPU_LANES
      : "f4", "f5", "f6", "f7");
  a.in_place() = l0, b.in_place() = l1, c.in_place() = l2, d.in_place() = l3;
}
}  // namespace impl_

/// a := the smaller, b := the larger of each lane.
template <class V, impl_::IfVector<V> = 0>
sfpi_inline void vec_min_max(V& a, V& b) {
  impl_::swap(b.in_place(), a.in_place(), SFPSWAP_MOD1_VEC_MIN_MAX);
}
template <class V, impl_::IfVector<V> = 0>
sfpi_inline void vec_swap(V& a, V& b) {
  impl_::swap(b.in_place(), a.in_place(), SFPSWAP_MOD1_SWAP);
}
template <class V, impl_::IfVector<V> = 0>
sfpi_inline void subvec_transp(V& a, V& b, V& c, V& d) {
  impl_::transpose(a, b, c, d);
}
sfpi_inline impl_::sfpu_t subvec_shflror1(const impl_::vVal& v) {
  return impl_::variable(
      impl_::Unary{impl_::word(0x94, SFPSHFT2_MOD1_SUBVEC_SHFLROR1), v.get()}.make());
}
sfpi_inline impl_::sfpu_t subvec_shflshr1(const impl_::vVal& v) {
  return impl_::variable(
      impl_::Unary{impl_::word(0x94, SFPSHFT2_MOD1_SUBVEC_SHFLSHR1), v.get()}.make());
}

}  // namespace sfpi

// --- Builtins of the compiler that kernels use themselves -------------------------------------

using __rvtt_vec_t = __xtt_vector;  // its older name

sfpi_inline __xtt_vector __builtin_rvtt_sfpreadlreg(int number) {
  return sfpi::impl_::read_lreg(number);
}
sfpi_inline void __builtin_rvtt_sfpwritelreg(__xtt_vector value, int number) {
  sfpi::impl_::write_lreg(value, number);
}
sfpi_inline __xtt_vector __builtin_rvtt_sfpxloadi(std::uint32_t bits, std::uint32_t mod) {
  return sfpi::impl_::variable(sfpi::impl_::Immediate{mod, bits}.make());
}
sfpi_inline __xtt_vector __builtin_rvtt_sfpload(std::uint32_t address, std::uint32_t mod,
                                                std::uint32_t addr_mode) {
  return sfpi::impl_::variable(sfpi::impl_::Load{address, mod, addr_mode}.make());
}
sfpi_inline void __builtin_rvtt_sfpstore(__xtt_vector value, std::uint32_t address,
                                         std::uint32_t mod, std::uint32_t addr_mode) {
  sfpi::impl_::store(value, address, mod, addr_mode);
}
sfpi_inline __xtt_vector __builtin_rvtt_sfpmad(__xtt_vector a, __xtt_vector b, __xtt_vector c,
                                               std::uint32_t mod) {
  using namespace sfpi::impl_;
  return variable(Multiplier{word(0x84, mod), a, b, c}.make());
}
sfpi_inline __xtt_vector __builtin_rvtt_sfpmul24(__xtt_vector a, __xtt_vector b,
                                                 std::uint32_t mod) {
  using namespace sfpi::impl_;
  return variable(Multiplier{word(0x98, mod), a, b, read_lreg(sfpi::CREG_IDX_0)}.make());
}
