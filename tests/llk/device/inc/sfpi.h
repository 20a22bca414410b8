// The C++ interface to the SFPU that compute kernels are written against, under the names of
// tenstorrent/sfpi (include/, April 2026): vFloat, vInt, vUInt, dst_reg, l_reg, constants, v_if.
//
// An operation computes its value at once and remembers how (`Fresh`). Whoever only wants the value
// takes it. An assignment to a variable computes again, into the variable's own register, so that
// lanes that are off keep what they had; an addition to a product becomes one SFPMAD. What was
// computed first is then of no use to anybody and the compiler drops it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sfpi_fp16.h"
#include "sfpi_instructions.h"

static_assert(sizeof(float) == 4);

namespace sfpi {

enum class LRegs : std::uint8_t {
  LReg0,
  LReg1,
  LReg2,
  LReg3,
  LReg4,
  LReg5,
  LReg6,
  LReg7,
  LRegCount
};

class vFloat;
class vInt;
class vUInt;

namespace impl_ {

/// The value of an operation, and the operation.
template <class Vector, class Op>
struct Fresh : Vector {
  sfpi_inline explicit Fresh(const Op& how) : Vector(variable(how.make())), op(how) {}
  sfpi_inline Fresh(const Vector& value, const Op& how) : Vector(value), op(how) {}
  Op op;
};

/// A register of eight that a kernel names by number.
class vLReg {
 public:
  constexpr explicit vLReg(int number) : number_(number) {}
  constexpr int get() const { return number_; }
  template <class Value>
  sfpi_inline void operator=(const Value& value) const;

 private:
  int number_;
};

/// Two rows of Dst, every other column: what SFPLOAD and SFPSTORE reach.
class vDReg {
 public:
  constexpr explicit vDReg(int address) : address_(address) {}
  constexpr int get() const { return address_; }
  template <class Value>
  sfpi_inline Value operator=(const Value& value) const;
  sfpi_inline vDReg operator=(const vDReg& other) const;
  sfpi_inline Load load(unsigned mod) const {
    return {std::uint32_t(address_), mod, SFPLOAD_ADDR_MODE_NOINC};
  }

 private:
  int address_;
};

class vVal {
 public:
  vVal() = default;
  sfpi_inline vVal(sfpu_t value)
      : reg_(is_constant(value) ? tag_of_constant(number_of(value)) : value.reg) {}
  struct Bits {
    std::uint32_t bits;
  };
  sfpi_inline explicit vVal(Bits word)
      : reg_(__builtin_constant_p(word.bits) ? tag_of_word(word.bits) : Word{word.bits}.make()) {}
  sfpi_inline sfpu_t get() const {
    sfpu_t value = operand(reg_);
    value.origin = reg_;
    return value;
  }
  /// What a kernel may assign to: `v.get() = __builtin_rvtt_...`.
  class Place : public sfpu_t {
   public:
    sfpi_inline explicit Place(vVal& variable)
        : sfpu_t(static_cast<const vVal&>(variable).get()), variable_(variable) {}
    sfpi_inline void operator=(const sfpu_t& value) const { variable_.assign_value(value); }
    sfpi_inline void operator=(const Place& value) const { variable_.assign_value(value); }

   private:
    vVal& variable_;
  };
  sfpi_inline Place get() { return Place(*this); }

  /// Lanes that are off keep their value, if there has been one. An instruction that changes VD
  /// leaves them alone by itself if VD is what the variable has been so far.
  template <class Op>
  sfpi_inline void assign(const Op& op) {
    if (is_nothing(reg_))
      reg_ = op.make();
    else if (changes(op, reg_))
      reg_ = op.make();
    else
      op.into(in_place());
  }
  sfpi_inline void assign_value(const vVal& value) {
    if (is_nothing(reg_))
      reg_ = value.reg_;
    else if (is_word(value.reg_))
      Word{tagged(value.reg_)}.into(in_place());
    else
      move_into(in_place(), value.get());
  }
  /// The number that every lane is, if the compiler knows it.
  sfpi_inline bool has_word() const { return is_word(reg_); }
  sfpi_inline std::uint32_t bits() const { return tagged(reg_); }
  /// The same value, in the register where an instruction has left it.
  sfpi_inline void keep(double reg) const { reg_ = reg; }
  /// For instructions that change a register itself.
  sfpi_inline double& in_place() {
    reg_ = is_word(reg_) ? Word{tagged(reg_)}.make_everywhere() : get().reg;
    return reg_;
  }

 private:
  mutable double reg_ = kNothing;
};

sfpi_inline std::uint32_t float_bits(float number) {
  return __builtin_bit_cast(std::uint32_t, number);
}

/// A constant register, by its number.
template <class Vector>
class vConst {
 public:
  constexpr explicit vConst(int number) : number_(number) {}
  constexpr int get() const { return number_; }
  sfpi_inline operator Vector() const { return Vector(read_lreg(number_)); }
  template <class T>
  sfpi_inline void operator=(const T& value) const {
    write_config(Vector(value).get(), std::uint32_t(number_));
  }

 private:
  int number_;
};

template <class Test>
class vCond;

}  // namespace impl_

// What all three types of vector have: construction from registers, and assignment.
#define SFPI_VECTOR(Type, load_mod)                                                        \
  Type() = default;                                                                        \
  Type(const Type&) = default;                                                             \
  sfpi_inline Type(impl_::sfpu_t value) : vVal(value) {}                                   \
  sfpi_inline Type(impl_::vLReg reg) : vVal(impl_::read_lreg(reg.get())) {}                \
  sfpi_inline Type(impl_::vDReg reg) : vVal(impl_::variable(reg.load(load_mod).make())) {} \
  template <class Op>                                                                      \
  sfpi_inline Type& operator=(const impl_::Fresh<Type, Op>& value) {                       \
    assign(value.op);                                                                      \
    return *this;                                                                          \
  }                                                                                        \
  sfpi_inline Type& operator=(const Type& value) {                                         \
    assign_value(value);                                                                   \
    return *this;                                                                          \
  }                                                                                        \
  sfpi_inline Type& operator=(impl_::vDReg reg) {                                          \
    assign(reg.load(load_mod));                                                            \
    return *this;                                                                          \
  }                                                                                        \
  sfpi_inline Type& operator=(impl_::vLReg reg) {                                          \
    return *this = Type(reg);                                                              \
  }                                                                                        \
  sfpi_inline Type& operator=(impl_::vConst<Type> constant) {                              \
    assign_value(impl_::read_lreg(constant.get()));                                        \
    return *this;                                                                          \
  }

class vFloat : public impl_::vVal {
 public:
  SFPI_VECTOR(vFloat, SFPLOAD_MOD0_FMT_SRCB)
  sfpi_inline vFloat(float number) : vVal(Bits{impl_::float_bits(number)}) {}
  sfpi_inline vFloat(s2vFloat16 number)
      : vVal(impl_::variable(impl_::Immediate{number.get_format(), number.get()}.make())) {}
  sfpi_inline vFloat& operator=(float number);
  sfpi_inline vFloat& operator=(s2vFloat16 number);
  template <class T>
  sfpi_inline vFloat& operator+=(const T& b);
  template <class T>
  sfpi_inline vFloat& operator-=(const T& b);
  template <class T>
  sfpi_inline vFloat& operator*=(const T& b);
  sfpi_inline vFloat& operator++() { return *this += 1.0f; }
  sfpi_inline vFloat& operator--() { return *this -= 1.0f; }
  sfpi_inline vFloat operator++(int);
  sfpi_inline vFloat operator--(int);
};

#define SFPI_INTEGER_VECTOR(Type, Other)                              \
  SFPI_VECTOR(Type, SFPLOAD_MOD0_FMT_BOB32)                           \
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>> \
  sfpi_inline Type(T number) : vVal(Bits{std::uint32_t(number)}) {}   \
  sfpi_inline Type(const Other& other);                               \
  template <class Test>                                               \
  sfpi_inline Type(const impl_::vCond<Test>& condition);              \
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>> \
  sfpi_inline Type& operator=(T number) {                             \
    return *this = Type(number);                                      \
  }                                                                   \
  template <class T>                                                  \
  sfpi_inline Type& operator+=(const T& b);                           \
  template <class T>                                                  \
  sfpi_inline Type& operator-=(const T& b);                           \
  template <class T>                                                  \
  sfpi_inline Type& operator&=(const T& b);                           \
  template <class T>                                                  \
  sfpi_inline Type& operator|=(const T& b);                           \
  template <class T>                                                  \
  sfpi_inline Type& operator^=(const T& b);                           \
  template <class T>                                                  \
  sfpi_inline Type& operator<<=(const T& b);                          \
  template <class T>                                                  \
  sfpi_inline Type& operator>>=(const T& b);                          \
  sfpi_inline Type& operator++() {                                    \
    return *this += 1;                                                \
  }                                                                   \
  sfpi_inline Type& operator--() {                                    \
    return *this -= 1;                                                \
  }                                                                   \
  sfpi_inline Type operator++(int) {                                  \
    const Type old = *this;                                           \
    *this += 1;                                                       \
    return old;                                                       \
  }                                                                   \
  sfpi_inline Type operator--(int) {                                  \
    const Type old = *this;                                           \
    *this -= 1;                                                       \
    return old;                                                       \
  }

class vInt : public impl_::vVal {
 public:
  SFPI_INTEGER_VECTOR(vInt, vUInt)
};
class vUInt : public impl_::vVal {
 public:
  SFPI_INTEGER_VECTOR(vUInt, vInt)
};
#undef SFPI_VECTOR
#undef SFPI_INTEGER_VECTOR

vInt::vInt(const vUInt& other) : vVal(other) {}
vUInt::vUInt(const vInt& other) : vVal(other) {}

vFloat& vFloat::operator=(float number) {
  return *this = vFloat(number);
}
vFloat& vFloat::operator=(s2vFloat16 number) {
  assign(impl_::Immediate{number.get_format(), number.get()});
  return *this;
}
vFloat vFloat::operator++(int) {
  const vFloat old = *this;
  *this += 1.0f;
  return old;
}
vFloat vFloat::operator--(int) {
  const vFloat old = *this;
  *this -= 1.0f;
  return old;
}

namespace impl_ {

template <class Value>
void vLReg::operator=(const Value& value) const {
  if constexpr (std::is_same_v<Value, vDReg>)
    write_lreg(vFloat(value).get(), number_);
  else
    write_lreg(value.get(), number_);
}

template <class Value>
Value vDReg::operator=(const Value& value) const {
  const auto put = [this](const vVal& vector, unsigned mod) __attribute__((always_inline)) {
    store(vector.get(), std::uint32_t(address_), mod, SFPSTORE_ADDR_MODE_NOINC);
  };
  if constexpr (std::is_base_of_v<vInt, Value> || std::is_base_of_v<vUInt, Value>)
    put(value, SFPSTORE_MOD0_FMT_INT32);
  else if constexpr (std::is_integral_v<Value>)
    put(vInt(value), SFPSTORE_MOD0_FMT_INT32);
  else if constexpr (std::is_arithmetic_v<Value>)
    put(vFloat(float(value)), SFPSTORE_MOD0_FMT_SRCB);
  else if constexpr (std::is_same_v<Value, vConst<vInt>>)
    put(vInt(value), SFPSTORE_MOD0_FMT_INT32);
  else
    put(vFloat(value), SFPSTORE_MOD0_FMT_SRCB);
  return value;
}
vDReg vDReg::operator=(const vDReg& other) const {
  *this = vFloat(other);
  return *this;
}

struct DstFile {
  constexpr vDReg operator[](int row) const { return vDReg(row * int(SFP_DESTREG_STRIDE)); }
  sfpi_inline void operator+=(int rows) const {
    const std::uint32_t incrwc = 0x38u << 24 | std::uint32_t(rows * int(SFP_DESTREG_STRIDE)) << 14;
    if (__builtin_constant_p(rows))
      asm volatile(".ttinsn %0" : : "i"(incrwc));
    else
      __instrn_buffer[0] = incrwc;
  }
  sfpi_inline void operator++() const { *this += 1; }
  sfpi_inline void operator++(int) const { *this += 1; }
};
struct LRegFile {
  constexpr vLReg operator[](LRegs number) const { return vLReg(int(number)); }
};

}  // namespace impl_

constexpr impl_::DstFile dst_reg;
constexpr impl_::LRegFile l_reg;

constexpr impl_::vConst<vFloat> vConst0p8373(CREG_IDX_0P837300003);
constexpr impl_::vConst<vFloat> vConst0(CREG_IDX_0);
constexpr impl_::vConst<vFloat> vConst1(CREG_IDX_1);
constexpr impl_::vConst<vFloat> vConstNeg1(CREG_IDX_NEG_1);
constexpr impl_::vConst<vFloat> vConstFloatPrgm0(CREG_IDX_PRGM1);
constexpr impl_::vConst<vFloat> vConstFloatPrgm1(CREG_IDX_PRGM2);
constexpr impl_::vConst<vFloat> vConstFloatPrgm2(CREG_IDX_PRGM3);
constexpr impl_::vConst<vInt> vConstIntPrgm0(CREG_IDX_PRGM1);
constexpr impl_::vConst<vInt> vConstIntPrgm1(CREG_IDX_PRGM2);
constexpr impl_::vConst<vInt> vConstIntPrgm2(CREG_IDX_PRGM3);
constexpr impl_::vConst<vInt> vConstTileId(CREG_IDX_TILEID);

}  // namespace sfpi

// Each uses what comes before it.
#include "sfpi_operators.h"
//
#include "sfpi_conditions.h"
//
#include "sfpi_lib.h"
