// Comparisons and the condition code: v_if, v_elseif, v_else, v_endif, v_block, v_and.
//
// A comparison is a tree that says how to switch lanes off. `narrow` leaves on those of the lanes
// that are on for which it holds. SFPSETCC can only narrow, so a conjunction is one part after the
// other; everything else is a complement: SFPCOMPC switches on what the top of the stack has and
// the flags have not.
#pragma once

namespace sfpi {
namespace impl_ {

// --- Instructions -----------------------------------------------------------------------------

sfpi_inline void change_lanes(std::uint32_t word) {
  asm volatile(".ttinsn %1" : SFPU_CHANGES_LANES : "i"(word));
}
constexpr std::uint32_t kPush = word(0x87), kReplaceTop = word(0x87, 1), kPop = word(0x88),
                        kComplement = word(0x8B);

sfpi_inline void set_condition(const sfpu_t& value, std::uint32_t mod) {
  if (is_constant(value))
    change_lanes(word(0x7B, mod) | std::uint32_t(number_of(value)) << 8);
  else
    asm volatile("sfpu.c %1, -1, %2" : SFPU_CHANGES_LANES : "f"(value.reg), "i"(word(0x7B, mod)));
}

/// Where the flags are those that the last push saved, as they are after v_if has pushed.
enum class Flags { AsPushed, Narrowed };

/// Leaves on those lanes that are on and that `narrow` would switch off.
template <class Narrow>
sfpi_inline void complement(Flags flags, const Narrow& narrow) {
  if (flags == Flags::AsPushed) {
    narrow();
    change_lanes(kComplement);
    return;
  }
  change_lanes(kPush);
  narrow();
  change_lanes(kComplement);
  change_lanes(kReplaceTop);
  change_lanes(kPop);
}

// --- The tree ---------------------------------------------------------------------------------

enum class Relation { LT, GE, EQ, NE, GT, LE };

constexpr Relation opposite(Relation relation) {
  switch (relation) {
    case Relation::LT:
      return Relation::GE;
    case Relation::GE:
      return Relation::LT;
    case Relation::EQ:
      return Relation::NE;
    case Relation::NE:
      return Relation::EQ;
    case Relation::GT:
      return Relation::LE;
    default:
      return Relation::GT;
  }
}

/// A vector's sign and zero against nothing.
sfpi_inline void narrow_by(const sfpu_t& value, Relation relation, Flags flags) {
  switch (relation) {
    case Relation::LT:
      return set_condition(value, SFPSETCC_MOD1_LREG_LT0);
    case Relation::GE:
      return set_condition(value, SFPSETCC_MOD1_LREG_GTE0);
    case Relation::EQ:
      return set_condition(value, SFPSETCC_MOD1_LREG_EQ0);
    case Relation::NE:
      return set_condition(value, SFPSETCC_MOD1_LREG_NE0);
    case Relation::GT:
      set_condition(value, SFPSETCC_MOD1_LREG_GTE0);
      return set_condition(value, SFPSETCC_MOD1_LREG_NE0);
    case Relation::LE:
      return complement(
          flags, [&]() __attribute__((always_inline)) {
            set_condition(value, SFPSETCC_MOD1_LREG_GTE0);
            set_condition(value, SFPSETCC_MOD1_LREG_NE0);
          });
  }
}

template <class A, class B>
sfpi_inline sfpu_t difference(const A& a, const B& b) {
  if constexpr (is_float_pair<A, B>)
    return subtract(a, b).get();
  else
    return subtract_integers<vInt>(a, b).get();
}

/// a against b; a number that is zero needs no difference.
template <class A, class B>
struct Comparison {
  A a;
  B b;
  Relation relation;
  sfpi_inline bool is_with_zero() const {
    if constexpr (std::is_arithmetic_v<B>)
      return __builtin_constant_p(b == B(0)) && b == B(0);
    else
      return false;
  }
  sfpi_inline sfpu_t value() const {
    if constexpr (is_float_pair<A, B>)
      return float_value(a);
    else
      return integer_value(a);
  }
  sfpi_inline void narrow(bool holds, Flags flags) const {
    const Relation wanted = holds ? relation : opposite(relation);
    if (is_with_zero())
      narrow_by(value(), wanted, flags);
    else
      narrow_by(difference(a, b), wanted, flags);
  }
};

template <class A, class B>
struct Both {
  A a;
  B b;
  sfpi_inline void narrow(bool holds, Flags flags) const {
    if (holds) {
      a.narrow(true, flags);
      b.narrow(true, Flags::Narrowed);
    } else {
      complement(
          flags, [&]() __attribute__((always_inline)) {
            a.narrow(true, Flags::AsPushed);
            b.narrow(true, Flags::Narrowed);
          });
    }
  }
};
template <class A>
struct Not {
  A a;
  sfpi_inline void narrow(bool holds, Flags flags) const { a.narrow(!holds, flags); }
};

template <class Test>
class vCond {
 public:
  Test test;
  sfpi_inline explicit vCond(const Test& t) : test(t) {}
};

template <class A, class B>
sfpi_inline auto compare(const A& a, const B& b, Relation relation) {
  return vCond<Comparison<A, B>>({a, b, relation});
}
/// A register of Dst is read once, where the comparison is written.
template <class B>
sfpi_inline auto compare(const vDReg& a, const B& b, Relation relation) {
  return vCond<Comparison<vFloat, B>>({vFloat(a), b, relation});
}
/// b against a number is the number against b the other way round.
template <class A, class B>
sfpi_inline auto compare_in_order(const A& a, const B& b, Relation relation, Relation reversed) {
  if constexpr (std::is_arithmetic_v<A>)
    return compare(b, a, reversed);
  else
    return compare(a, b, relation);
}

template <class A, class B>
using IfPair = std::enable_if_t<is_float_pair<A, B> || is_integer_pair<A, B>, int>;

template <class A, class B, IfPair<A, B> = 0>
sfpi_inline auto operator==(const A& a, const B& b) {
  return compare_in_order(a, b, Relation::EQ, Relation::EQ);
}
template <class A, class B, IfPair<A, B> = 0>
sfpi_inline auto operator!=(const A& a, const B& b) {
  return compare_in_order(a, b, Relation::NE, Relation::NE);
}
template <class A, class B, IfPair<A, B> = 0>
sfpi_inline auto operator<(const A& a, const B& b) {
  return compare_in_order(a, b, Relation::LT, Relation::GT);
}
template <class A, class B, IfPair<A, B> = 0>
sfpi_inline auto operator>(const A& a, const B& b) {
  return compare_in_order(a, b, Relation::GT, Relation::LT);
}
template <class A, class B, IfPair<A, B> = 0>
sfpi_inline auto operator<=(const A& a, const B& b) {
  return compare_in_order(a, b, Relation::LE, Relation::GE);
}
template <class A, class B, IfPair<A, B> = 0>
sfpi_inline auto operator>=(const A& a, const B& b) {
  return compare_in_order(a, b, Relation::GE, Relation::LE);
}

template <class A>
sfpi_inline auto operator!(const vCond<A>& a) {
  return vCond<Not<A>>({a.test});
}
template <class A, class B>
sfpi_inline auto operator&&(const vCond<A>& a, const vCond<B>& b) {
  return vCond<Both<A, B>>({a.test, b.test});
}
template <class A, class B>
sfpi_inline auto operator||(const vCond<A>& a, const vCond<B>& b) {
  return vCond<Not<Both<Not<A>, Not<B>>>>({{{a.test}, {b.test}}});
}

/// 1 where the condition holds, else 0.
template <class Test>
sfpi_inline sfpu_t as_number(const Test& test) {
  sfpu_t answer = variable(Immediate{SFPLOADI_MOD0_USHORT, 0}.make());
  change_lanes(kPush);
  test.narrow(true, Flags::AsPushed);
  Immediate{SFPLOADI_MOD0_USHORT, 1}.into(answer.reg);
  change_lanes(kPop);
  return answer;
}

/// One v_if or v_block, with what it has pushed.
class Condition {
 public:
  sfpi_inline Condition() { push(); }
  sfpi_inline ~Condition() {
    for (unsigned i = 0; i < pushed_; ++i) change_lanes(kPop);
  }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  sfpi_inline void push() {
    change_lanes(kPush);
    ++pushed_;
  }
  sfpi_inline void otherwise() { change_lanes(kComplement); }
  template <class Test>
  sfpi_inline void narrow(const vCond<Test>& condition, Flags flags) {
    condition.test.narrow(true, flags);
  }
  sfpi_inline void narrow(const vInt& value, Flags flags) {
    narrow_by(value.get(), Relation::NE, flags);
  }
  sfpi_inline void narrow(const vUInt& value, Flags flags) {
    narrow_by(value.get(), Relation::NE, flags);
  }

 private:
  unsigned pushed_ = 0;
};

}  // namespace impl_

using impl_::operator==;
using impl_::operator!=;
using impl_::operator<;
using impl_::operator>;
using impl_::operator<=;
using impl_::operator>=;
using impl_::operator&&;
using impl_::operator||;
using impl_::operator!;

template <class Test>
vInt::vInt(const impl_::vCond<Test>& condition) : vVal(impl_::as_number(condition.test)) {}
template <class Test>
vUInt::vUInt(const impl_::vCond<Test>& condition) : vVal(impl_::as_number(condition.test)) {}

}  // namespace sfpi

#define v_if(x)                                          \
  {                                                      \
    sfpi::impl_::Condition v_condition;                  \
    v_condition.narrow(x, sfpi::impl_::Flags::AsPushed); \
    {
#define v_elseif(x)                                    \
  }                                                    \
  v_condition.otherwise();                             \
  v_condition.push();                                  \
  v_condition.narrow(x, sfpi::impl_::Flags::AsPushed); \
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
    sfpi::impl_::Condition v_condition;
#define v_and(x) v_condition.narrow(x, sfpi::impl_::Flags::Narrowed)
#define v_endblock }
