// The C++ interface to the SFPU that LLK's kernels are written against, for a compiler that has no
// register class for it.
//
// Tenstorrent's compiler assigns SFPU registers while it compiles. Here a vector is an object that
// owns a register while the program runs: a pool hands out the eight registers, counts who refers
// to each, and every operation stores an instruction word to the coprocessor. Copies share a
// register until one of them is assigned to. Lanes that the condition code switches off keep their
// value in an assignment, as the language demands; a temporary may hold anything there.
//
// What it cannot do: spill. A ninth living vector executes EBREAK, which the test reports.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ckernel_ops.h"
#include "sfpi_constants.h"

#define sfpi_inline __attribute__((always_inline)) inline

extern volatile std::uint32_t __instrn_buffer[];

namespace sfpi {

enum class LRegs : std::uint8_t { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7 };

namespace pool {

constexpr int kNone = -1;
constexpr int kRegisters = 8;
constexpr int kZero = 9;
constexpr int kOne = 10;

struct State {
  std::uint8_t references[kRegisters];
  std::uint8_t depth;  // of conditions: while 0, every lane is on
};
inline State state;

sfpi_inline void emit(std::uint32_t word) {
  __instrn_buffer[0] = word;
}

[[gnu::noinline]] inline int take() {
  // Tables that a kernel keeps in fixed registers start at 0, and the lookup instructions read 3.
  constexpr std::uint8_t kOrder[kRegisters] = {7, 6, 5, 4, 2, 1, 0, 3};
  for (int index : kOrder) {
    if (state.references[index] == 0) {
      state.references[index] = 1;
      return index;
    }
  }
  asm volatile("ebreak");
  return 0;
}

[[gnu::noinline]] inline void refer(int index) {
  if (index >= 0 && index < kRegisters) ++state.references[index];
}
[[gnu::noinline]] inline void drop(int index) {
  if (index >= 0 && index < kRegisters) --state.references[index];
}
sfpi_inline bool sole(int index) {
  return index >= 0 && index < kRegisters && state.references[index] == 1;
}

constexpr unsigned kMoveAllLanes = 2;

sfpi_inline void move(int target, int source, unsigned mode = 0) {
  emit(TT_OP_SFPMOV(0u, unsigned(source), unsigned(target), mode));
}

}  // namespace pool

namespace pool {

/// Loads a word into the lanes that are on.
[[gnu::noinline]] inline void load_word(int target, std::uint32_t bits) {
  const unsigned index = target;
  if ((bits & 0xFFFFu) == 0) {
    emit(TT_OP_SFPLOADI(index, SFPLOADI_MOD0_FLOATB, bits >> 16));
  } else if (bits <= 0xFFFFu) {
    emit(TT_OP_SFPLOADI(index, SFPLOADI_MOD0_USHORT, bits));
  } else {
    emit(TT_OP_SFPLOADI(index, SFPLOADI_MOD0_LOWER, bits & 0xFFFFu));
    emit(TT_OP_SFPLOADI(index, SFPLOADI_MOD0_UPPER, bits >> 16));
  }
}

/// Loads a word into every lane, whatever is off.
inline void load_word_everywhere(int target, std::uint32_t bits) {
  emit(TT_OP_SFPPUSHC(0, 0, 0, 0));
  emit(TT_OP_SFPENCC(3, 0, 0, 10));
  load_word(target, bits);
  emit(TT_OP_SFPPOPC(0, 0, 0, 0));
}

}  // namespace pool

/// A vector: a register that it owns, a constant that is loaded where it is needed, or nothing yet.
class vVal {
 public:
  vVal() = default;
  struct Owned {
    int index;
  };
  struct Constant {
    std::uint32_t bits;
  };
  sfpi_inline explicit vVal(Owned owned) : index_(owned.index) {}
  sfpi_inline explicit vVal(Constant constant) : index_(kConstant), bits_(constant.bits) {}
  sfpi_inline vVal(const vVal& other) : index_(other.index_), bits_(other.bits_) {
    pool::refer(index_);
  }
  sfpi_inline vVal(vVal&& other) : index_(other.index_), bits_(other.bits_) {
    other.index_ = pool::kNone;
  }
  sfpi_inline ~vVal() { pool::drop(index_); }

  vVal& operator=(const vVal& other) {
    assign(vVal(other));
    return *this;
  }
  vVal& operator=(vVal&& other) {
    assign(static_cast<vVal&&>(other));
    return *this;
  }

  /// The register; a constant gets one, for the lanes that are on.
  [[gnu::noinline]] int get() {
    if (index_ == kConstant) {
      index_ = pool::take();
      pool::load_word(index_, bits_);
    }
    return index_;
  }

  void release() {
    pool::drop(index_);
    index_ = pool::kNone;
  }

  /// Makes this the only owner of a register that may be written, keeping the value in all lanes.
  [[gnu::noinline]] void own() {
    if (pool::sole(index_)) return;
    const int fresh = pool::take();
    if (index_ == kConstant)
      pool::load_word_everywhere(fresh, bits_);
    else if (index_ != pool::kNone)
      pool::move(fresh, index_, pool::kMoveAllLanes);
    pool::drop(index_);
    index_ = fresh;
  }

 private:
  static constexpr int kConstant = -2;

  [[gnu::noinline]] void assign(vVal other) {
    if (index_ == pool::kNone || pool::state.depth == 0) {
      const int taken = other.index_;
      other.index_ = index_;
      index_ = taken;
      bits_ = other.bits_;
      return;
    }
    if (index_ >= 0 && index_ == other.index_) return;
    own();
    if (other.index_ == kConstant)
      pool::load_word(index_, other.bits_);
    else
      pool::move(index_, other.index_);
  }

  int index_ = pool::kNone;
  std::uint32_t bits_ = 0;
};

namespace pool {

[[gnu::noinline]] inline vVal fresh() {
  return vVal(vVal::Owned{take()});
}

/// A register for a result: one of the operands' if nobody else needs it.
[[gnu::noinline]] inline vVal result(vVal& a, vVal& b) {
  if (sole(a.get())) return vVal(static_cast<vVal&&>(a));
  if (sole(b.get())) return vVal(static_cast<vVal&&>(b));
  return fresh();
}

[[gnu::noinline]] inline vVal load(std::uint32_t bits, unsigned mode) {
  vVal value = fresh();
  emit(TT_OP_SFPLOADI(unsigned(value.get()), mode, bits & 0xFFFFu));
  return value;
}

sfpi_inline vVal load_float(float number) {
  return vVal(vVal::Constant{__builtin_bit_cast(std::uint32_t, number)});
}

sfpi_inline vVal load_integer(std::uint32_t bits) {
  return vVal(vVal::Constant{bits});
}

/// `opcode` with fields imm12, VC, VD, mod1: VD is only written.
[[gnu::noinline]] inline vVal unary(std::uint32_t opcode, unsigned mode, vVal a,
                                    std::uint32_t immediate = 0) {
  const unsigned source = a.get();
  vVal none;
  vVal value = result(a, none);
  emit(TT_OP(opcode,
             ((immediate & 0xFFFu) << 12) + (source << 8) + (unsigned(value.get()) << 4) + mode));
  return value;
}

/// The same, but VD is an operand too: `a` in VC, `b` in VD.
[[gnu::noinline]] inline vVal binary(std::uint32_t opcode, unsigned mode, vVal a, vVal b) {
  if (!sole(b.get())) b.own();
  emit(TT_OP(opcode, (unsigned(a.get()) << 8) + (unsigned(b.get()) << 4) + mode));
  return b;
}

/// a * b + c
[[gnu::noinline]] inline vVal multiply_add(std::uint32_t opcode, unsigned a, unsigned b, unsigned c,
                                           unsigned mode, vVal x, vVal y) {
  vVal value = result(x, y);
  emit(TT_OP(opcode, (a << 16) + (b << 12) + (c << 8) + (unsigned(value.get()) << 4) + mode));
  return value;
}

constexpr std::uint32_t kMad = 0x84;
constexpr std::uint32_t kAdd = 0x85;
constexpr std::uint32_t kMul = 0x86;

sfpi_inline vVal multiply(vVal a, vVal b) {
  const unsigned x = a.get(), y = b.get();
  return multiply_add(kMul, x, y, kZero, 0, static_cast<vVal&&>(a), static_cast<vVal&&>(b));
}
sfpi_inline vVal add(vVal a, vVal b) {
  const unsigned x = a.get(), y = b.get();
  return multiply_add(kAdd, kOne, x, y, 0, static_cast<vVal&&>(a), static_cast<vVal&&>(b));
}
sfpi_inline vVal subtract(vVal a, vVal b) {
  const unsigned x = a.get(), y = b.get();
  return multiply_add(kMad, y, kOne, x, SFPMAD_MOD1_NEGATE_VA, static_cast<vVal&&>(a),
                      static_cast<vVal&&>(b));
}
sfpi_inline vVal add_integers(vVal a, vVal b) {
  return binary(0x79, SFPIADD_MOD1_ARG_LREG_DST | SFPIADD_MOD1_CC_NONE, static_cast<vVal&&>(a),
                static_cast<vVal&&>(b));
}
sfpi_inline vVal subtract_integers(vVal a, vVal b) {
  return binary(0x79, SFPIADD_MOD1_ARG_2SCOMP_LREG_DST | SFPIADD_MOD1_CC_NONE,
                static_cast<vVal&&>(a), static_cast<vVal&&>(b));
}

enum class Test { LessThanZero, GreaterZero, AtLeastZero, AtMostZero, Zero, NotZero };

/// 1 in the lanes where `value` passes the test, else 0.
[[gnu::noinline]] inline vVal tested(vVal value, Test test) {
  const bool inverted = test == Test::AtMostZero;
  vVal answer = load(inverted ? 1 : 0, SFPLOADI_MOD0_USHORT);
  const unsigned index = value.get();
  const auto narrow = [index](unsigned mode) { emit(TT_OP_SFPSETCC(0u, index, 0u, mode)); };
  emit(TT_OP_SFPPUSHC(0, 0, 0, 0));
  switch (test) {
    case Test::LessThanZero:
      narrow(SFPSETCC_MOD1_LREG_LT0);
      break;
    case Test::AtLeastZero:
      narrow(SFPSETCC_MOD1_LREG_GTE0);
      break;
    case Test::Zero:
      narrow(SFPSETCC_MOD1_LREG_EQ0);
      break;
    case Test::NotZero:
      narrow(SFPSETCC_MOD1_LREG_NE0);
      break;
    default:
      narrow(SFPSETCC_MOD1_LREG_GTE0);
      narrow(SFPSETCC_MOD1_LREG_NE0);
  }
  emit(TT_OP_SFPLOADI(unsigned(answer.get()), SFPLOADI_MOD0_USHORT, inverted ? 0u : 1u));
  emit(TT_OP_SFPPOPC(0, 0, 0, 0));
  return answer;
}

}  // namespace pool

// --- Types ---------------------------------------------------------------------------------------

class vFloat;
class vInt;
class vUInt;
class vBool;

/// A 16-bit float constant, of eight (B) or five (A) exponent bits.
class sFloat16 {
 public:
  constexpr sFloat16(std::uint32_t bits, unsigned mode) : bits_(bits), mode_(mode) {}
  constexpr std::uint32_t get() const { return bits_; }
  constexpr unsigned mode() const { return mode_; }

 private:
  std::uint32_t bits_;
  unsigned mode_;
};

class sFloat16b : public sFloat16 {
 public:
  sfpi_inline sFloat16b(float number)
      : sFloat16(__builtin_bit_cast(std::uint32_t, number) >> 16, SFPLOADI_MOD0_FLOATB) {}
  sfpi_inline sFloat16b(double number) : sFloat16b(float(number)) {}
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  sfpi_inline sFloat16b(T bits) : sFloat16(std::uint32_t(bits), SFPLOADI_MOD0_FLOATB) {}
};

class sFloat16a : public sFloat16 {
 public:
  sfpi_inline sFloat16a(float number)
      : sFloat16(half(__builtin_bit_cast(std::uint32_t, number)), SFPLOADI_MOD0_FLOATA) {}
  sfpi_inline sFloat16a(double number) : sFloat16a(float(number)) {}
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  sfpi_inline sFloat16a(T bits) : sFloat16(std::uint32_t(bits), SFPLOADI_MOD0_FLOATA) {}

 private:
  /// For numbers that the format has; nearest, ties away, for others.
  static constexpr std::uint32_t half(std::uint32_t bits) {
    const std::uint32_t sign = bits >> 16 & 0x8000u, rounded = (bits & 0x7FFFFFFFu) + 0x1000u;
    if (rounded < 0x38800000u) return sign;
    return sign | ((rounded - 0x38000000u) >> 13);
  }
};

using s2vFloat16 = sFloat16;
using s2vFloat16a = sFloat16a;
using s2vFloat16b = sFloat16b;

/// A register by its number, for tables that a kernel loaded there.
class vLReg {
 public:
  constexpr explicit vLReg(int index) : index_(index) {}
  constexpr int get() const { return index_; }
  void operator=(vVal value) const {
    if (value.get() != index_) pool::move(index_, value.get());
  }

 private:
  int index_;
};

/// A row pair of Dst.
class vDReg {
 public:
  constexpr explicit vDReg(unsigned address) : address_(address) {}
  constexpr unsigned get() const { return address_; }
  sfpi_inline void operator=(const vFloat& value) const;
  sfpi_inline void operator=(const vInt& value) const;
  sfpi_inline void operator=(const vUInt& value) const;
  sfpi_inline void operator=(const vDReg& other) const;
  sfpi_inline void operator=(float number) const;
  sfpi_inline void operator=(double number) const;
  sfpi_inline void operator=(int number) const;
  sfpi_inline void operator=(unsigned number) const;
  sfpi_inline void operator=(sFloat16 number) const;

 private:
  void store(vVal value, unsigned mode) const {
    pool::emit(TT_OP_SFPSTORE(unsigned(value.get()), mode, SFPLOAD_ADDR_MODE_NOINC, address_));
  }
  unsigned address_;
};

namespace pool {
[[gnu::noinline]] inline vVal load_dst(unsigned address, unsigned mode) {
  vVal value = fresh();
  emit(TT_OP_SFPLOAD(unsigned(value.get()), mode, SFPLOAD_ADDR_MODE_NOINC, address));
  return value;
}
sfpi_inline vVal claim(vLReg source) {
  refer(source.get());
  return vVal(vVal::Owned{source.get()});
}
}  // namespace pool

/// A constant register.
template <class Vector>
class vConst {
 public:
  constexpr explicit vConst(int index) : index_(index) {}
  constexpr int get() const { return index_; }
  template <class T>
  sfpi_inline void operator=(T value) const;

 private:
  int index_;
};

class vFloat : public vVal {
 public:
  vFloat() = default;
  sfpi_inline explicit vFloat(vVal value) : vVal(static_cast<vVal&&>(value)) {}
  sfpi_inline vFloat(float number) : vVal(pool::load_float(number)) {}
  sfpi_inline vFloat(sFloat16 number)
      : vVal(number.mode() == SFPLOADI_MOD0_FLOATB ? vVal(Constant{number.get() << 16})
                                                   : pool::load(number.get(), number.mode())) {}
  sfpi_inline vFloat(vLReg source) : vVal(pool::claim(source)) {}
  sfpi_inline vFloat(vDReg source) : vVal(pool::load_dst(source.get(), SFPLOAD_MOD0_FMT_SRCB)) {}
  sfpi_inline vFloat(vConst<vFloat> source) : vVal(Owned{source.get()}) {}

  template <class T>
  sfpi_inline vFloat& operator+=(T b);
  template <class T>
  sfpi_inline vFloat& operator-=(T b);
  template <class T>
  sfpi_inline vFloat& operator*=(T b);
};

class vInt : public vVal {
 public:
  vInt() = default;
  sfpi_inline explicit vInt(vVal value) : vVal(static_cast<vVal&&>(value)) {}
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  sfpi_inline vInt(T number) : vVal(pool::load_integer(std::uint32_t(number))) {}
  sfpi_inline vInt(vLReg source) : vVal(pool::claim(source)) {}
  sfpi_inline vInt(vDReg source) : vVal(pool::load_dst(source.get(), SFPLOAD_MOD0_FMT_BOB32)) {}
  sfpi_inline vInt(vConst<vInt> source) : vVal(Owned{source.get()}) {}
  sfpi_inline vInt(const vUInt& other);
  sfpi_inline vInt(const vBool& other);
};

class vUInt : public vVal {
 public:
  vUInt() = default;
  sfpi_inline explicit vUInt(vVal value) : vVal(static_cast<vVal&&>(value)) {}
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  sfpi_inline vUInt(T number) : vVal(pool::load_integer(std::uint32_t(number))) {}
  sfpi_inline vUInt(vLReg source) : vVal(pool::claim(source)) {}
  sfpi_inline vUInt(vDReg source) : vVal(pool::load_dst(source.get(), SFPLOAD_MOD0_FMT_BOB32)) {}
  sfpi_inline vUInt(vConst<vInt> source) : vVal(Owned{source.get()}) {}
  sfpi_inline vUInt(const vInt& other);
  sfpi_inline vUInt(const vBool& other);
};

/// What a comparison gives: 1 or 0 in each lane.
class vBool : public vVal {
 public:
  sfpi_inline explicit vBool(vVal value) : vVal(static_cast<vVal&&>(value)) {}
};

vInt::vInt(const vUInt& other) : vVal(other) {}
vInt::vInt(const vBool& other) : vVal(other) {}
vUInt::vUInt(const vInt& other) : vVal(other) {}
vUInt::vUInt(const vBool& other) : vVal(other) {}

}  // namespace sfpi

#include "sfpi_operators.h"
