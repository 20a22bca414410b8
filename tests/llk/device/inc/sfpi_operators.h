// Operators, functions and conditions over the types of sfpi.h.
#pragma once

namespace sfpi {

// --- Which types mix -----------------------------------------------------------------------------

template <class T>
inline constexpr bool is_float_vector =
    std::is_same_v<T, vFloat> || std::is_same_v<T, vDReg> || std::is_same_v<T, vConst<vFloat>>;
template <class T>
inline constexpr bool is_integer_vector =
    std::is_same_v<T, vInt> || std::is_same_v<T, vUInt> || std::is_same_v<T, vConst<vInt>>;
template <class T>
inline constexpr bool is_float_operand =
    is_float_vector<T> || std::is_arithmetic_v<T> || std::is_base_of_v<sFloat16, T>;
template <class T>
inline constexpr bool is_integer_operand = is_integer_vector<T> || std::is_integral_v<T>;

template <class A, class B>
using FloatPair = std::enable_if_t<(is_float_vector<A> && is_float_operand<B>) ||
                                       (is_float_operand<A> && is_float_vector<B>),
                                   vFloat>;
template <class A, class B>
using IntegerPair = std::enable_if_t<
    (is_integer_vector<A> && is_integer_operand<B>) ||
        (is_integer_operand<A> && is_integer_vector<B>),
    std::conditional_t<std::is_same_v<A, vUInt> || std::is_same_v<B, vUInt>, vUInt, vInt>>;

template <class T>
sfpi_inline vVal float_value(const T& a) {
  if constexpr (std::is_arithmetic_v<T>)
    return vFloat(float(a));
  else
    return vFloat(a);
}
template <class T>
sfpi_inline vVal integer_value(const T& a) {
  return vInt(a);
}
sfpi_inline vVal float_value(vFloat&& a) {
  return vVal(static_cast<vVal&&>(a));
}

// --- Arithmetic ----------------------------------------------------------------------------------

template <class A, class B>
sfpi_inline FloatPair<A, B> operator+(A a, B b) {
  return vFloat(pool::add(float_value(static_cast<A&&>(a)), float_value(static_cast<B&&>(b))));
}
template <class A, class B>
sfpi_inline FloatPair<A, B> operator-(A a, B b) {
  return vFloat(pool::subtract(float_value(static_cast<A&&>(a)), float_value(static_cast<B&&>(b))));
}
template <class A, class B>
sfpi_inline FloatPair<A, B> operator*(A a, B b) {
  return vFloat(pool::multiply(float_value(static_cast<A&&>(a)), float_value(static_cast<B&&>(b))));
}
template <class A, class = std::enable_if_t<is_float_vector<A>>>
sfpi_inline vFloat operator-(A a) {
  return vFloat(pool::unary(0x7C, 1, float_value(static_cast<A&&>(a))));
}
template <class T>
vFloat& vFloat::operator+=(T b) {
  return *this = *this + b;
}
template <class T>
vFloat& vFloat::operator-=(T b) {
  return *this = *this - b;
}
template <class T>
vFloat& vFloat::operator*=(T b) {
  return *this = *this * b;
}

template <class A, class B>
sfpi_inline IntegerPair<A, B> operator+(const A& a, const B& b) {
  return IntegerPair<A, B>(pool::add_integers(integer_value(a), integer_value(b)));
}
template <class A, class B>
sfpi_inline IntegerPair<A, B> operator-(const A& a, const B& b) {
  return IntegerPair<A, B>(pool::subtract_integers(integer_value(a), integer_value(b)));
}
template <class A, class B>
sfpi_inline IntegerPair<A, B> operator&(const A& a, const B& b) {
  return IntegerPair<A, B>(pool::binary(0x7E, 0, integer_value(a), integer_value(b)));
}
template <class A, class B>
sfpi_inline IntegerPair<A, B> operator|(const A& a, const B& b) {
  return IntegerPair<A, B>(pool::binary(0x7F, 0, integer_value(a), integer_value(b)));
}
template <class A, class B>
sfpi_inline IntegerPair<A, B> operator^(const A& a, const B& b) {
  return IntegerPair<A, B>(pool::binary(0x8D, 0, integer_value(a), integer_value(b)));
}
template <class A, class = std::enable_if_t<is_integer_vector<A>>>
sfpi_inline A operator~(const A& a) {
  return A(pool::unary(0x80, 0, integer_value(a)));
}
template <class A, class = std::enable_if_t<is_integer_vector<A>>, class = void>
sfpi_inline A operator-(const A& a) {
  return A(pool::subtract_integers(vInt(0), integer_value(a)));
}

// --- Shifts: by a vector of signed amounts, or by an immediate; left is positive
// ------------------

namespace pool {
constexpr unsigned kShiftImmediate = 1, kShiftArithmetic = 2, kShiftSourceC = 4;

sfpi_inline vVal shift(vVal value, int amount, bool arithmetic) {
  return unary(0x7A, kShiftImmediate | kShiftSourceC | (arithmetic ? kShiftArithmetic : 0),
               static_cast<vVal&&>(value), std::uint32_t(amount));
}
sfpi_inline vVal shift_by(vVal value, vVal amount, bool arithmetic) {
  return binary(0x7A, arithmetic ? kShiftArithmetic : 0, static_cast<vVal&&>(amount),
                static_cast<vVal&&>(value));
}
}  // namespace pool

template <class A, class B>
sfpi_inline std::enable_if_t<is_integer_vector<A> && is_integer_operand<B>, A> operator<<(
    const A& a, const B& b) {
  constexpr bool arithmetic = std::is_same_v<A, vInt>;
  if constexpr (std::is_integral_v<B>)
    return A(pool::shift(integer_value(a), int(b), arithmetic));
  else
    return A(pool::shift_by(integer_value(a), integer_value(b), arithmetic));
}
template <class A, class B>
sfpi_inline std::enable_if_t<is_integer_vector<A> && is_integer_operand<B>, A> operator>>(
    const A& a, const B& b) {
  constexpr bool arithmetic = std::is_same_v<A, vInt>;
  if constexpr (std::is_integral_v<B>)
    return A(pool::shift(integer_value(a), -int(b), arithmetic));
  else
    return A(pool::shift_by(integer_value(a), -vInt(b), arithmetic));
}
sfpi_inline vUInt shft(const vUInt& value, const vInt& amount) {
  return vUInt(pool::shift_by(value, amount, false));
}
sfpi_inline vInt shft(const vInt& value, const vInt& amount) {
  return vInt(pool::shift_by(value, amount, true));
}
sfpi_inline vUInt shft(const vUInt& value, int amount) {
  return vUInt(pool::shift(value, amount, false));
}
sfpi_inline vInt shft(const vInt& value, int amount) {
  return vInt(pool::shift(value, amount, true));
}

template <class A, class B, class = std::enable_if_t<is_integer_vector<A>>>
sfpi_inline A& operator+=(A& a, const B& b) {
  return a = A(a + b);
}
template <class A, class B, class = std::enable_if_t<is_integer_vector<A>>>
sfpi_inline A& operator-=(A& a, const B& b) {
  return a = A(a - b);
}
template <class A, class B, class = std::enable_if_t<is_integer_vector<A>>>
sfpi_inline A& operator&=(A& a, const B& b) {
  return a = A(a & b);
}
template <class A, class B, class = std::enable_if_t<is_integer_vector<A>>>
sfpi_inline A& operator|=(A& a, const B& b) {
  return a = A(a | b);
}
template <class A, class B, class = std::enable_if_t<is_integer_vector<A>>>
sfpi_inline A& operator^=(A& a, const B& b) {
  return a = A(a ^ b);
}
template <class A, class B, class = std::enable_if_t<is_integer_vector<A>>>
sfpi_inline A& operator<<=(A& a, const B& b) {
  return a = a << b;
}
template <class A, class B, class = std::enable_if_t<is_integer_vector<A>>>
sfpi_inline A& operator>>=(A& a, const B& b) {
  return a = a >> b;
}

// --- Comparisons ---------------------------------------------------------------------------------

template <class A, class B>
inline constexpr bool is_float_pair = (is_float_vector<A> && is_float_operand<B>) ||
                                      (is_float_operand<A> && is_float_vector<B>);
template <class A, class B>
inline constexpr bool is_pair = is_float_pair<A, B> ||
                                (is_integer_vector<A> && is_integer_operand<B>) ||
                                (is_integer_operand<A> && is_integer_vector<B>);

template <class A, class B>
sfpi_inline vVal difference(const A& a, const B& b) {
  if constexpr (std::is_arithmetic_v<B>) {
    if (b == B(0)) {  // the number itself has the sign and the zero of the difference
      if constexpr (is_float_pair<A, B>)
        return float_value(a);
      else
        return integer_value(a);
    }
  }
  if constexpr (is_float_pair<A, B>)
    return pool::subtract(float_value(a), float_value(b));
  else
    return pool::subtract_integers(integer_value(a), integer_value(b));
}

template <class A, class B, class = std::enable_if_t<is_pair<A, B>>>
sfpi_inline vBool operator==(const A& a, const B& b) {
  return vBool(pool::tested(difference(a, b), pool::Test::Zero));
}
template <class A, class B, class = std::enable_if_t<is_pair<A, B>>>
sfpi_inline vBool operator!=(const A& a, const B& b) {
  return vBool(pool::tested(difference(a, b), pool::Test::NotZero));
}
template <class A, class B, class = std::enable_if_t<is_pair<A, B>>>
sfpi_inline vBool operator<(const A& a, const B& b) {
  return vBool(pool::tested(difference(a, b), pool::Test::LessThanZero));
}
template <class A, class B, class = std::enable_if_t<is_pair<A, B>>>
sfpi_inline vBool operator>(const A& a, const B& b) {
  return vBool(pool::tested(difference(a, b), pool::Test::GreaterZero));
}
template <class A, class B, class = std::enable_if_t<is_pair<A, B>>>
sfpi_inline vBool operator<=(const A& a, const B& b) {
  return vBool(pool::tested(difference(a, b), pool::Test::AtMostZero));
}
template <class A, class B, class = std::enable_if_t<is_pair<A, B>>>
sfpi_inline vBool operator>=(const A& a, const B& b) {
  return vBool(pool::tested(difference(a, b), pool::Test::AtLeastZero));
}
sfpi_inline vBool operator&&(const vBool& a, const vBool& b) {
  return vBool(pool::binary(0x7E, 0, a, b));
}
sfpi_inline vBool operator||(const vBool& a, const vBool& b) {
  return vBool(pool::binary(0x7F, 0, a, b));
}
sfpi_inline vBool operator!(const vBool& a) {
  return vBool(pool::binary(0x8D, 0, vInt(1), a));
}

// --- Dst, fixed and constant registers -----------------------------------------------------------

void vDReg::operator=(const vFloat& value) const {
  store(value, SFPSTORE_MOD0_FMT_SRCB);
}
void vDReg::operator=(const vInt& value) const {
  store(value, SFPSTORE_MOD0_FMT_BOB32);
}
void vDReg::operator=(const vUInt& value) const {
  store(value, SFPSTORE_MOD0_FMT_BOB32);
}
void vDReg::operator=(const vDReg& other) const {
  *this = vFloat(other);
}
void vDReg::operator=(float number) const {
  *this = vFloat(number);
}
void vDReg::operator=(double number) const {
  *this = vFloat(float(number));
}
void vDReg::operator=(int number) const {
  *this = vInt(number);
}
void vDReg::operator=(unsigned number) const {
  *this = vUInt(number);
}
void vDReg::operator=(sFloat16 number) const {
  *this = vFloat(number);
}

struct DstFile {
  constexpr vDReg operator[](int row) const { return vDReg(row * SFP_DESTREG_STRIDE); }
  sfpi_inline void operator+=(int rows) const {
    pool::emit(TT_OP_INCRWC(0u, SFP_DESTREG_STRIDE * rows, 0u, 0u));
  }
  sfpi_inline void operator++() const { *this += 1; }
  sfpi_inline void operator++(int) const { *this += 1; }
};
struct LRegFile {
  constexpr vLReg operator[](LRegs index) const { return vLReg(int(index)); }
};
constexpr DstFile dst_reg;
constexpr LRegFile l_reg;

namespace pool {
/// SFPCONFIG reads LReg0, which may be somebody's: keep what it holds.
[[gnu::noinline]] inline void configure(int target, vVal value) {
  const bool there = value.get() == 0;
  vVal kept;
  if (!there) {
    kept = fresh();
    move(kept.get(), 0, kMoveAllLanes);
    move(0, value.get(), kMoveAllLanes);
  }
  emit(TT_OP_SFPCONFIG(0u, unsigned(target), 0u));
  if (!there) move(0, kept.get(), kMoveAllLanes);
}
}  // namespace pool

template <class Vector>
template <class T>
void vConst<Vector>::operator=(T value) const {
  if constexpr (std::is_same_v<Vector, vFloat>)
    pool::configure(index_, float_value(value));
  else
    pool::configure(index_, integer_value(value));
}

constexpr vConst<vFloat> vConst0p8373(8);
constexpr vConst<vFloat> vConst0(9);
constexpr vConst<vFloat> vConst1(10);
constexpr vConst<vFloat> vConstNeg1(11);
constexpr vConst<vFloat> vConstFloatPrgm0(12);
constexpr vConst<vFloat> vConstFloatPrgm1(13);
constexpr vConst<vFloat> vConstFloatPrgm2(14);
constexpr vConst<vInt> vConstIntPrgm0(12);
constexpr vConst<vInt> vConstIntPrgm1(13);
constexpr vConst<vInt> vConstIntPrgm2(14);
constexpr vConst<vInt> vConstTileId(15);

// --- Functions -----------------------------------------------------------------------------------

template <class T>
sfpi_inline T reinterpret(const vVal& value) {
  return T(value);
}

sfpi_inline vInt exexp(const vFloat& v) {
  return vInt(pool::unary(0x77, 0, v));
}
sfpi_inline vInt exexp_nodebias(const vFloat& v) {
  return vInt(pool::unary(0x77, 1, v));
}
sfpi_inline vInt exman8(const vFloat& v) {
  return vInt(pool::unary(0x78, 0, v));
}
sfpi_inline vInt exman9(const vFloat& v) {
  return vInt(pool::unary(0x78, 1, v));
}
template <class T>
sfpi_inline vFloat setexp(const vFloat& v, const T& exponent) {
  if constexpr (std::is_integral_v<T>)
    return vFloat(pool::unary(0x82, 1, v, std::uint32_t(exponent)));
  else
    return vFloat(pool::binary(0x82, 0, v, exponent));
}
template <class T>
sfpi_inline vFloat setman(const vFloat& v, const T& mantissa) {
  if constexpr (std::is_integral_v<T>)
    return vFloat(pool::unary(0x83, 1, v, std::uint32_t(mantissa)));
  else
    return vFloat(pool::binary(0x83, 0, v, mantissa));
}
template <class V, class T>
sfpi_inline V setsgn(const V& v, const T& sign) {
  if constexpr (std::is_integral_v<T>)
    return V(pool::unary(0x89, 1, v, std::uint32_t(sign)));
  else
    return V(pool::binary(0x89, 0, v, sign));
}
template <class V, class T>
sfpi_inline V copysgn(const V& v, const T& sign) {
  return setsgn(v, sign);
}
sfpi_inline vFloat addexp(const vFloat& v, int exponent) {
  return vFloat(pool::unary(0x76, 1, v, std::uint32_t(exponent)));
}
sfpi_inline vFloat abs(const vFloat& v) {
  return vFloat(pool::unary(0x7D, 1, v));
}
sfpi_inline vInt abs(const vInt& v) {
  return vInt(pool::unary(0x7D, 0, v));
}
template <class V>
sfpi_inline vInt lz(const V& v) {
  return vInt(pool::unary(0x81, 0, v));
}
sfpi_inline vFloat int32_to_float(const vInt& v, int stochastic = 1) {
  return vFloat(pool::unary(0x90, stochastic ? 1 : 0, v));
}

namespace pool {
/// SFP_STOCH_RND with VB = 0.0: rounding mode in bits 21 and up.
sfpi_inline vVal rounded(vVal value, unsigned mode, int rounding) {
  const unsigned source = value.get();
  vVal none;
  vVal answer = result(value, none);
  emit(TT_OP_SFP_STOCH_RND(unsigned(rounding), 0u, 0u, source, unsigned(answer.get()), mode));
  return answer;
}
}  // namespace pool

sfpi_inline vUInt float_to_fp16a(const vFloat& v, int rounding = 1) {
  return vUInt(pool::rounded(v, SFPSTOCHRND_MOD1_FP32_TO_FP16A, rounding));
}
sfpi_inline vUInt float_to_fp16b(const vFloat& v, int rounding = 1) {
  return vUInt(pool::rounded(v, SFPSTOCHRND_MOD1_FP32_TO_FP16B, rounding));
}
sfpi_inline vUInt float_to_uint8(const vFloat& v, int rounding = 1) {
  return vUInt(pool::rounded(v, SFPSTOCHRND_MOD1_FP32_TO_UINT8, rounding));
}
sfpi_inline vUInt float_to_int8(const vFloat& v, int rounding = 1) {
  return vUInt(pool::rounded(v, SFPSTOCHRND_MOD1_FP32_TO_INT8, rounding));
}
sfpi_inline vUInt float_to_uint16(const vFloat& v, int rounding = 1) {
  return vUInt(pool::rounded(v, SFPSTOCHRND_MOD1_FP32_TO_UINT16, rounding));
}
sfpi_inline vUInt float_to_int16(const vFloat& v, int rounding = 1) {
  return vUInt(pool::rounded(v, SFPSTOCHRND_MOD1_FP32_TO_INT16, rounding));
}

template <class V>
sfpi_inline void vec_min_max(V& a, V& b) {
  a.own();
  b.own();
  pool::emit(TT_OP_SFPSWAP(0u, unsigned(b.get()), unsigned(a.get()), SFPSWAP_MOD1_VEC_MIN_MAX));
}
template <class V>
sfpi_inline void vec_swap(V& a, V& b) {
  a.own();
  b.own();
  pool::emit(TT_OP_SFPSWAP(0u, unsigned(b.get()), unsigned(a.get()), SFPSWAP_MOD1_SWAP));
}
template <bool uncond = true>
sfpi_inline vFloat approx_recip(const vFloat& v) {
  return vFloat(pool::unary(0x99, uncond ? SFPARECIP_MOD1_RECIP : SFPARECIP_MOD1_COND_RECIP, v));
}
sfpi_inline vFloat approx_exp(const vFloat& v) {
  return vFloat(pool::unary(0x99, SFPARECIP_MOD1_EXP, v));
}
sfpi_inline vInt rand() {
  vVal value = pool::fresh();
  pool::move(value.get(), 9, 8);
  return vInt(static_cast<vVal&&>(value));
}

// --- Tables: they are read from LReg0.., the argument from LReg3
// ----------------------------------

namespace pool {
constexpr unsigned kRetainSign = 4;

inline void expect(vVal value, int index) {
  if (value.get() != index) asm volatile("ebreak");
}
/// Puts `value` into LReg3 and looks it up; the caller has seen to the tables.
[[gnu::noinline]] inline vVal look_up(vVal value, bool sixteen, unsigned mode) {
  if (value.get() != 3) {
    if (state.references[3] != 0) asm volatile("ebreak");
    move(3, value.get());
  }
  value.release();
  ++state.references[3];
  vVal answer = fresh();
  --state.references[3];
  if (sixteen)
    emit(TT_OP_SFPLUTFP32(unsigned(answer.get()), mode));
  else
    emit(TT_OP_SFPLUT(unsigned(answer.get()), mode, 0u));
  return answer;
}
}  // namespace pool

template <class A, class B, class C>
sfpi_inline vFloat lut(vFloat v, const A& l0, const B& l1, const C& l2) {
  pool::expect(l0, 0), pool::expect(l1, 1), pool::expect(l2, 2);
  return vFloat(pool::look_up(static_cast<vVal&&>(v), false, pool::kRetainSign));
}
template <class A, class B, class C>
sfpi_inline vFloat lut_sign(vFloat v, const A& l0, const B& l1, const C& l2) {
  pool::expect(l0, 0), pool::expect(l1, 1), pool::expect(l2, 2);
  return vFloat(pool::look_up(static_cast<vVal&&>(v), false, 0));
}

template <class Table>
constexpr unsigned table_mode(int mode) {
  if (std::is_same_v<Table, vFloat>) return 0;  // three entries of FP32
  return mode == 1 ? 2 : 3;                     // six of FP16
}
template <class Table>
sfpi_inline vFloat lut2(vFloat v, const Table& a0, const Table& a1, const Table& a2,
                        const Table& b0, const Table& b1, const Table& b2, int mode = 1) {
  pool::expect(a0, 0), pool::expect(a1, 1), pool::expect(a2, 2);
  pool::expect(b0, 4), pool::expect(b1, 5), pool::expect(b2, 6);
  return vFloat(
      pool::look_up(static_cast<vVal&&>(v), true, table_mode<Table>(mode) | pool::kRetainSign));
}
template <class Table>
sfpi_inline vFloat lut2_sign(vFloat v, const Table& a0, const Table& a1, const Table& a2,
                             const Table& b0, const Table& b1, const Table& b2, int mode = 1) {
  pool::expect(a0, 0), pool::expect(a1, 1), pool::expect(a2, 2);
  pool::expect(b0, 4), pool::expect(b1, 5), pool::expect(b2, 6);
  return vFloat(pool::look_up(static_cast<vVal&&>(v), true, table_mode<Table>(mode)));
}

// --- Conditions ----------------------------------------------------------------------------------

/// One v_if or v_block, with what it has pushed.
class Condition {
 public:
  sfpi_inline Condition() { push(); }
  sfpi_inline ~Condition() {
    for (; pushed_ != 0; --pushed_) {
      pool::emit(TT_OP_SFPPOPC(0, 0, 0, 0));
      --pool::state.depth;
    }
  }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  sfpi_inline void push() {
    pool::emit(TT_OP_SFPPUSHC(0, 0, 0, 0));
    ++pool::state.depth;
    ++pushed_;
  }
  sfpi_inline void otherwise() { pool::emit(TT_OP_SFPCOMPC(0, 0, 0, 0)); }
  /// Leaves on only the lanes that are on and where `value` is not zero.
  sfpi_inline void narrow(vVal value) {
    pool::emit(TT_OP_SFPSETCC(0u, unsigned(value.get()), 0u, SFPSETCC_MOD1_LREG_NE0));
  }

 private:
  unsigned pushed_ = 0;
};

}  // namespace sfpi

#define v_if(x)                  \
  {                              \
    sfpi::Condition v_condition; \
    v_condition.narrow(x);       \
    {
#define v_elseif(x)        \
  }                        \
  v_condition.otherwise(); \
  v_condition.push();      \
  v_condition.narrow(x);   \
  {
#define v_else             \
  }                        \
  v_condition.otherwise(); \
  {
#define v_endif \
  }             \
  }
#define v_block \
  {             \
    sfpi::Condition v_condition;
#define v_and(x) v_condition.narrow(x)
#define v_endblock }
