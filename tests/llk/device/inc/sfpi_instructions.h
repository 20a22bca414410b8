// SFPU instructions as inline assembly, with registers that the compiler allocates.
//
// Tenstorrent's compiler has a register class for vectors. Debian's has not, but it allocates
// doubles: here a vector is a `double` in one of f0 to f7, which are LReg0 to LReg7, and the macros
// of prelude.s make Tensix words of the register names (tests/llk/bin/riscv-tt-elf-g++ has the
// options that belong to it).
//
// What an instruction does to lanes that are off is part of its operands: they keep the old value
// of VD, so whoever needs that value passes VD in and out (`into`), and whoever makes a new one
// does not (`make`). Instructions without a memory of their own are not volatile, so that those
// nobody needs vanish; they read the variable `lanes`, which all instructions write that change the
// condition code, so none crosses one of these.
#pragma once

#include <cstdint>

#include "sfpi_constants.h"

#define sfpi_inline __attribute__((always_inline)) inline

extern volatile std::uint32_t __instrn_buffer[];

/// An operand: a register, or the number of a constant register that holds the same.
/// `origin` is what the variable held that it comes from: equal origins are one vector.
struct __xtt_vector {
  static constexpr int kVariable = -1;
  double reg;
  int number;
  double origin = 0;
};

namespace sfpi::impl_ {

using sfpu_t = ::__xtt_vector;

// Stands for condition code and constant registers in the operands of the assembly. Of a type that
// nothing else here has, so that the compiler knows that no vector is meant.
#define SFPU_LANES "m"(*reinterpret_cast<const short*>(4))
#define SFPU_CHANGES_LANES "+m"(*reinterpret_cast<short*>(4))

sfpi_inline bool is_constant(const sfpu_t& a) {
  return __builtin_constant_p(a.number) && a.number >= 0;
}
sfpi_inline int number_of(const sfpu_t& a) {
  return is_constant(a) ? a.number : sfpu_t::kVariable;
}
sfpi_inline sfpu_t variable(double reg) {
  return {reg, sfpu_t::kVariable};
}

constexpr std::uint32_t word(std::uint32_t opcode, std::uint32_t mod = 0, std::uint32_t imm12 = 0) {
  return opcode << 24 | (imm12 & 0xFFF) << 12 | mod;
}

/// The operands of an instruction with VA, VB and VC. A constant register needs none of the eight:
/// in its place stands any other operand, and the number counts.
struct Three {
  double a, b, c;
  int na, nb, nc;
  sfpi_inline Three(const sfpu_t& x, const sfpu_t& y, const sfpu_t& z) {
    const bool kx = is_constant(x), ky = is_constant(y), kz = is_constant(z);
    const double other = !kx ? x.reg : !ky ? y.reg : z.reg;
    a = kx ? other : x.reg;
    b = ky ? other : y.reg;
    c = kz ? other : z.reg;
    na = kx ? x.number : -1;
    nb = ky ? y.number : -1;
    nc = kz && !(kx && ky) ? z.number : -1;
  }
};

// --- VA, VB, VC, VD ---------------------------------------------------------------------------

struct Multiplier {
  std::uint32_t word;
  sfpu_t a, b, c;
  sfpi_inline double make() const {
    const Three o(a, b, c);
    double d;
    asm("sfpu.abcd %0, %1, %2, %3, %4, %5, %6, %7"
        : "=f"(d)
        : "f"(o.a), "f"(o.b), "f"(o.c), "i"(o.na), "i"(o.nb), "i"(o.nc), "i"(word), SFPU_LANES);
    return d;
  }
  sfpi_inline void into(double& d) const {
    const Three o(a, b, c);
    asm("sfpu.abcd %0, %1, %2, %3, %4, %5, %6, %7"
        : "+f"(d)
        : "f"(o.a), "f"(o.b), "f"(o.c), "i"(o.na), "i"(o.nb), "i"(o.nc), "i"(word), SFPU_LANES);
  }
};

// --- VB, VC, VD -------------------------------------------------------------------------------

struct Pair {
  std::uint32_t word;
  sfpu_t b, c;
  sfpi_inline double make() const {
    const Three o(b, c, b);
    double d;
    asm("sfpu.bcd %0, %1, %2, %3, %4, %5"
        : "=f"(d)
        : "f"(o.a), "f"(o.b), "i"(o.na), "i"(is_constant(b) ? -1 : o.nb), "i"(word), SFPU_LANES);
    return d;
  }
  sfpi_inline void into(double& d) const {
    const Three o(b, c, b);
    asm("sfpu.bcd %0, %1, %2, %3, %4, %5"
        : "+f"(d)
        : "f"(o.a), "f"(o.b), "i"(o.na), "i"(is_constant(b) ? -1 : o.nb), "i"(word), SFPU_LANES);
  }
};

// --- VC, VD -----------------------------------------------------------------------------------

struct Unary {
  std::uint32_t word;
  sfpu_t c;
  sfpi_inline double make() const {
    double d;
    if (is_constant(c))
      asm("sfpu.cd %0, %0, %1, %2" : "=f"(d) : "i"(number_of(c)), "i"(word), SFPU_LANES);
    else
      asm("sfpu.cd %0, %1, -1, %2" : "=f"(d) : "f"(c.reg), "i"(word), SFPU_LANES);
    return d;
  }
  sfpi_inline void into(double& d) const {
    if (is_constant(c))
      asm("sfpu.cd %0, %0, %1, %2" : "+f"(d) : "i"(number_of(c)), "i"(word), SFPU_LANES);
    else
      asm("sfpu.cd %0, %1, -1, %2" : "+f"(d) : "f"(c.reg), "i"(word), SFPU_LANES);
  }
};

/// VD := VC in the lanes that are on.
sfpi_inline void move_into(double& d, const sfpu_t& c) {
  Unary{word(0x7C), c}.into(d);
}

/// `word` with an immediate in bits 23:12 that may be known at run time only.
struct UnaryImmediate {
  std::uint32_t word;
  sfpu_t c;
  std::uint32_t immediate;
  sfpi_inline double make() const {
    if (__builtin_constant_p(immediate)) return Unary{word | (immediate & 0xFFF) << 12, c}.make();
    double d;
    std::uint32_t temporary;
    asm("sfpu.push.cd %0, %2, %3, %4, %5, %1, %6"
        : "=f"(d), "=&r"(temporary)
        : "f"(c.reg), "i"(-1), "i"(word), "r"((immediate & 0xFFF) << 12), "r"(__instrn_buffer),
          SFPU_LANES);
    return d;
  }
  sfpi_inline void into(double& d) const {
    if (__builtin_constant_p(immediate))
      Unary{word | (immediate & 0xFFF) << 12, c}.into(d);
    else
      move_into(d, variable(make()));
  }
};

/// VD is an operand, too, and `d` the value that it has before.
struct InPlace {
  std::uint32_t word;
  sfpu_t d, c;
  sfpi_inline double make() const {
    double result;
    if (is_constant(c))
      asm("sfpu.cd %0, %0, %2, %3"
          : "=f"(result)
          : "0"(d.reg), "i"(number_of(c)), "i"(word), SFPU_LANES);
    else
      asm("sfpu.cd %0, %2, -1, %3" : "=f"(result) : "0"(d.reg), "f"(c.reg), "i"(word), SFPU_LANES);
    return result;
  }
  sfpi_inline void into(double& target) const { move_into(target, variable(make())); }
};

/// SFPMULI, SFPADDI: VD with an immediate of 16 bits in bits 23:8.
struct InPlaceImmediate {
  std::uint32_t word;
  sfpu_t d;
  sfpi_inline double make() const {
    double result;
    asm("sfpu.d %0, %2" : "=f"(result) : "0"(d.reg), "i"(word), SFPU_LANES);
    return result;
  }
  sfpi_inline void into(double& target) const { move_into(target, variable(make())); }
};

/// Whether the instruction changes, in place, the vector of which a variable holds `reg`.
template <class Op>
sfpi_inline bool changes(const Op&, double) {
  return false;
}
sfpi_inline bool is_origin(const sfpu_t& vector, double reg) {
  const bool same =
      __builtin_bit_cast(std::uint64_t, vector.origin) == __builtin_bit_cast(std::uint64_t, reg);
  return __builtin_constant_p(same) && same && !__builtin_constant_p(reg);
}
sfpi_inline bool changes(const InPlace& op, double reg) {
  return is_origin(op.d, reg);
}

// --- SFPLOADI ---------------------------------------------------------------------------------

/// Sixteen bits, loaded in one of the ways of SFPLOADI.
struct Immediate {
  std::uint32_t mod, bits;
  sfpi_inline std::uint32_t opcode() const { return 0x71u << 24 | mod << 16; }
  sfpi_inline double make() const {
    double d;
    if (__builtin_constant_p(bits)) {
      asm("sfpu.high %0, -1, %1" : "=f"(d) : "i"(opcode() | (bits & 0xFFFF)), SFPU_LANES);
    } else {
      std::uint32_t temporary;
      asm("sfpu.push.high %0, -1, %2, %3, %1, %4"
          : "=f"(d), "=&r"(temporary)
          : "i"(opcode()), "r"(bits & 0xFFFF), "r"(__instrn_buffer), SFPU_LANES);
    }
    return d;
  }
  sfpi_inline void into(double& d) const {
    if (__builtin_constant_p(bits)) {
      asm("sfpu.high %0, -1, %1" : "+f"(d) : "i"(opcode() | (bits & 0xFFFF)), SFPU_LANES);
    } else {
      std::uint32_t temporary;
      asm("sfpu.push.high %0, -1, %2, %3, %1, %4"
          : "+f"(d), "=&r"(temporary)
          : "i"(opcode()), "r"(bits & 0xFFFF), "r"(__instrn_buffer), SFPU_LANES);
    }
  }
};

/// Whether SFPLOADI has the number in its format of five exponent bits.
constexpr bool is_float16a(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 23 & 0xFF;
  return (bits & 0x1FFF) == 0 && exponent >= 112 && exponent <= 143;
}
constexpr std::uint32_t float16a(std::uint32_t bits) {
  return (bits >> 16 & 0x8000) | (((bits & 0x7FFFFFFF) - 0x38000000) >> 13 & 0x7FFF);
}

/// All 32 bits: one instruction where one will do.
struct Word {
  std::uint32_t bits;
  sfpi_inline bool in_one() const {
    return (bits & 0xFFFF) == 0 || bits <= 0xFFFF || bits >= 0xFFFF8000 || is_float16a(bits);
  }
  sfpi_inline Immediate one() const {
    if ((bits & 0xFFFF) == 0) return {SFPLOADI_MOD0_FLOATB, bits >> 16};
    if (bits <= 0xFFFF) return {SFPLOADI_MOD0_USHORT, bits};
    if (bits >= 0xFFFF8000) return {SFPLOADI_MOD0_SHORT, bits & 0xFFFF};
    return {SFPLOADI_MOD0_FLOATA, float16a(bits)};
  }
  static constexpr std::uint32_t kLower = 0x71u << 24 | SFPLOADI_MOD0_LOWER << 16;
  static constexpr std::uint32_t kUpper = 0x71u << 24 | SFPLOADI_MOD0_UPPER << 16;
  sfpi_inline double make() const {
    double d;
    if (!__builtin_constant_p(bits)) {
      d = Immediate{SFPLOADI_MOD0_LOWER, bits & 0xFFFF}.make();
      Immediate{SFPLOADI_MOD0_UPPER, bits >> 16}.into(d);
    } else if (in_one()) {
      d = one().make();
    } else {
      asm("sfpu.high %0, -1, %1\n\tsfpu.high %0, -1, %2"
          : "=f"(d)
          : "i"(kLower | (bits & 0xFFFF)), "i"(kUpper | bits >> 16), SFPU_LANES);
    }
    return d;
  }
  sfpi_inline void into(double& d) const {
    if (!__builtin_constant_p(bits)) {
      Immediate{SFPLOADI_MOD0_LOWER, bits & 0xFFFF}.into(d);
      Immediate{SFPLOADI_MOD0_UPPER, bits >> 16}.into(d);
    } else if (in_one()) {
      one().into(d);
    } else {
      asm("sfpu.high %0, -1, %1\n\tsfpu.high %0, -1, %2"
          : "+f"(d)
          : "i"(kLower | (bits & 0xFFFF)), "i"(kUpper | bits >> 16), SFPU_LANES);
    }
  }
  /// In all lanes, also those that are off: for variables that change in some lanes later.
  sfpi_inline double make_everywhere() const {
    const int constant = number();
    if (constant >= 0) return Unary{word(0x7C, 2), {0, constant}}.make();
    double d;
    asm(".ttinsn %3\n\t.ttinsn %4\n\tsfpu.high %0, -1, %1\n\tsfpu.high %0, -1, %2\n\t.ttinsn %5"
        : "=f"(d)
        : "i"(kLower | (bits & 0xFFFF)), "i"(kUpper | bits >> 16), "i"(word(0x87)),
          "i"(word(0x8A, SFPENCC_MOD1_EI_RI, SFPENCC_IMM12_BOTH)), "i"(word(0x88)), SFPU_LANES);
    return d;
  }
  /// The constant register that has this value.
  sfpi_inline int number() const {
    if (!__builtin_constant_p(bits)) return sfpu_t::kVariable;
    return bits == 0 ? CREG_IDX_0 : bits == 0x3F800000 ? CREG_IDX_1 : sfpu_t::kVariable;
  }
};

// --- Dst --------------------------------------------------------------------------------------
// Loads and stores also end what the compiler knows of registers: it would otherwise keep the
// numbers of one round of an unrolled loop for the next, and run out of registers.

struct Load {
  std::uint32_t address, mod, addr_mode;
  sfpi_inline std::uint32_t opcode() const { return 0x70u << 24 | mod << 16 | addr_mode << 13; }
  sfpi_inline double make() const {
    double d;
    if (__builtin_constant_p(address)) {
      asm volatile("sfpu.high %0, -1, %2"
                   : "=f"(d), SFPU_CHANGES_LANES
                   : "i"(opcode() | (address & 0x3FF)));
    } else {
      std::uint32_t temporary;
      asm volatile("sfpu.push.high %0, -1, %3, %4, %1, %5"
                   : "=f"(d), "=&r"(temporary), SFPU_CHANGES_LANES
                   : "i"(opcode()), "r"(address & 0x3FF), "r"(__instrn_buffer));
    }
    return d;
  }
  sfpi_inline void into(double& d) const {
    if (__builtin_constant_p(address)) {
      asm volatile("sfpu.high %0, -1, %2"
                   : "+f"(d), SFPU_CHANGES_LANES
                   : "i"(opcode() | (address & 0x3FF)));
    } else {
      std::uint32_t temporary;
      asm volatile("sfpu.push.high %0, -1, %3, %4, %1, %5"
                   : "+f"(d), "=&r"(temporary), SFPU_CHANGES_LANES
                   : "i"(opcode()), "r"(address & 0x3FF), "r"(__instrn_buffer));
    }
  }
};

sfpi_inline void store(const sfpu_t& v, std::uint32_t address, std::uint32_t mod,
                       std::uint32_t addr_mode) {
  const std::uint32_t opcode = 0x72u << 24 | mod << 16 | addr_mode << 13;
  if (!__builtin_constant_p(address)) {
    std::uint32_t temporary;
    asm volatile("sfpu.push.high %2, -1, %3, %4, %0, %5"
                 : "=&r"(temporary), SFPU_CHANGES_LANES
                 : "f"(v.reg), "i"(opcode), "r"(address & 0x3FF), "r"(__instrn_buffer));
  } else if (is_constant(v)) {
    asm volatile(".ttinsn %1"
                 : SFPU_CHANGES_LANES
                 : "i"(opcode | std::uint32_t(number_of(v)) << 20 | (address & 0x3FF)));
  } else {
    asm volatile("sfpu.high %1, -1, %2"
                 : SFPU_CHANGES_LANES
                 : "f"(v.reg), "i"(opcode | (address & 0x3FF)));
  }
}

// --- Registers by their number ----------------------------------------------------------------

/// What a kernel has put into a register behind the compiler's back.
sfpi_inline sfpu_t read_lreg(int number) {
  if (number >= SFP_LREG_COUNT) return {Unary{word(0x7C, 2), {0, number}}.make(), number};
  double value;
#define SFPU_READ(n)                             \
  if (number == n) {                             \
    register double fixed asm("f" #n);           \
    asm volatile("" : "=f"(fixed) : SFPU_LANES); \
    value = fixed;                               \
  }
  SFPU_READ(0)
  SFPU_READ(1)
  SFPU_READ(2) SFPU_READ(3) SFPU_READ(4) SFPU_READ(5) SFPU_READ(6) SFPU_READ(7)
#undef SFPU_READ
      return variable(value);
}

/// The value, of which the compiler does not know any more that a fixed register has it, too: it
/// would otherwise keep that register alive for its sake.
sfpi_inline double anew(double value) {
  asm volatile("" : "+f"(value));
  return value;
}

/// Puts a value where a kernel will look for it.
sfpi_inline void write_lreg(const sfpu_t& value, int number) {
#define SFPU_WRITE(n)                                    \
  if (number == n) {                                     \
    register double fixed asm("f" #n) = anew(value.reg); \
    asm volatile("" : SFPU_CHANGES_LANES : "f"(fixed));  \
  }
  SFPU_WRITE(0)
  SFPU_WRITE(1) SFPU_WRITE(2) SFPU_WRITE(3) SFPU_WRITE(4) SFPU_WRITE(5) SFPU_WRITE(6) SFPU_WRITE(7)
#undef SFPU_WRITE
}

/// SFPCONFIG takes its value from LReg0.
sfpi_inline void write_config(const sfpu_t& value, std::uint32_t target) {
  register double fixed asm("f0") = anew(value.reg);
  asm volatile(".ttinsn %1" : SFPU_CHANGES_LANES : "i"(word(0x91) | target << 4), "f"(fixed));
}

// --- What the compiler knows of a vector ------------------------------------------------------
// A double that comes from an instruction is never a number that the compiler knows, so numbers are
// free to say what a variable is before it needs a register: 0.0 is one that nothing has been
// assigned to, kTag + w one that the SFPMOV w would load, and -(kTag + b) one with the bits b in
// every lane. Where a branch or a loop makes one of these meet a vector, the compiler loads the
// number from memory: prelude.s turns that into the instructions.

constexpr double kNothing = 0.0;
constexpr double kTag = 4503599627370496.0;  // 2^52: the low half of kTag + w is w

sfpi_inline bool is_nothing(double reg) {
  return __builtin_constant_p(reg) && reg == kNothing;
}
sfpi_inline bool is_constant_register(double reg) {
  return __builtin_constant_p(reg) && reg >= kTag;
}
sfpi_inline bool is_word(double reg) {
  return __builtin_constant_p(reg) && reg <= -kTag;
}
sfpi_inline std::uint32_t tagged(double reg) {
  return std::uint32_t((reg < 0 ? -reg : reg) - kTag);
}
sfpi_inline double tag_of_constant(int number) {
  return kTag + double(word(0x7C, 2) | std::uint32_t(number) << 8);
}
sfpi_inline double tag_of_word(std::uint32_t bits) {
  return -(kTag + double(bits));
}

/// The vector as an operand: in a register now, if it was not yet.
sfpi_inline sfpu_t operand(double reg) {
  if (is_constant_register(reg)) return read_lreg(int(tagged(reg) >> 8 & 15));
  if (is_word(reg)) {
    const Word op{tagged(reg)};
    return {op.make(), op.number()};
  }
  return variable(reg);
}

}  // namespace sfpi::impl_
