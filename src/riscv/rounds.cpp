#include "riscv/rounds.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "riscv/arithmetic.hpp"
#include "riscv/decode.hpp"
#include "riscv/effect.hpp"

namespace bhemu::riscv {
namespace {

/// In round n, counted from 0, it is value + n * step, modulo 2^32.
struct Growing {
  u32 value = 0;
  u32 step = 0;
};

using Registers = std::array<Growing, 33>;

/// What an instruction without memory makes of numbers that do not grow. False: it is another kind.
bool calculate(Op op, u32 rs1, u32 rs2, u32 imm, u32& rd) {
#define BHEMU_IS_Imm(...) \
  __VA_ARGS__;            \
  return true;
#define BHEMU_IS_Shift(...) \
  __VA_ARGS__;              \
  return true;
#define BHEMU_IS_Reg(...) \
  __VA_ARGS__;            \
  return true;
#define BHEMU_IS_Unary(...) \
  __VA_ARGS__;              \
  return true;
#define BHEMU_IS_Upper(...) \
  __VA_ARGS__;              \
  return true;
#define BHEMU_IS_UpperPc(...) \
  __VA_ARGS__;                \
  return true;
#define BHEMU_IS_Other return false;
#define BHEMU_IS_Jal(...) BHEMU_IS_Other
#define BHEMU_IS_Jalr(...) BHEMU_IS_Other
#define BHEMU_IS_Branch(...) BHEMU_IS_Other
#define BHEMU_IS_Load(...) BHEMU_IS_Other
#define BHEMU_IS_Store(...) BHEMU_IS_Other
#define BHEMU_IS_Fence(...) BHEMU_IS_Other
#define BHEMU_IS_System(...) BHEMU_IS_Other
#define BHEMU_IS_Csr(...) BHEMU_IS_Other
#define BHEMU_IS_CsrImm(...) BHEMU_IS_Other
#define BHEMU_IS_Amo(...) BHEMU_IS_Other
#define BHEMU_IS_FpLoad(...) BHEMU_IS_Other
#define BHEMU_IS_FpStore(...) BHEMU_IS_Other
#define BHEMU_IS_FpTernary(...) BHEMU_IS_Other
#define BHEMU_IS_FpTernaryHalf(...) BHEMU_IS_Other
#define BHEMU_IS_FpBinary(...) BHEMU_IS_Other
#define BHEMU_IS_FpBinaryHalf(...) BHEMU_IS_Other
#define BHEMU_IS_FpCompare(...) BHEMU_IS_Other
#define BHEMU_IS_FpCompareHalf(...) BHEMU_IS_Other
#define BHEMU_IS_FpToInt(...) BHEMU_IS_Other
#define BHEMU_IS_FpToIntHalf(...) BHEMU_IS_Other
#define BHEMU_IS_FpFromInt(...) BHEMU_IS_Other
#define BHEMU_IS_FpFromIntHalf(...) BHEMU_IS_Other
#define BHEMU_IS_FpMoveHalf(...) BHEMU_IS_Other
#define BHEMU_IS_FpWiden(...) BHEMU_IS_Other
#define BHEMU_IS_FpNarrow(...) BHEMU_IS_Other
#define BHEMU_IS_Vector(...) BHEMU_IS_Other
#define BHEMU_IS_Ttinsn(...) BHEMU_IS_Other
  switch (op) {
#define RV(name, bits, extension, format, ...) \
  case Op::name:                               \
    BHEMU_IS_##format(__VA_ARGS__)
#include "riscv/isa.def"
#undef RV
    default:
      return false;
  }
}

/// How often `at`, growing by `step`, is one of [first, last], in which it is now.
u64 rounds_within(i64 at, i64 step, i64 first, i64 last) {
  if (step == 0) return kNever;
  return static_cast<u64>(step > 0 ? (last - at) / step : (at - first) / -step) + 1;
}

/// The first round in which `a < b` is no longer what it is now, where their difference is
/// `difference` now and grows by `step`.
u64 rounds_of_order(i64 difference, i64 step) {
  if (difference < 0) return step <= 0 ? kNever : static_cast<u64>((-difference + step - 1) / step);
  return step >= 0 ? kNever : static_cast<u64>(difference / -step) + 1;
}
u64 rounds_of_equality(i64 difference, i64 step) {
  if (step == 0) return kNever;
  if (difference == 0) return 1;
  const bool meets = (difference < 0) == (step > 0) && difference % step == 0;
  return meets ? static_cast<u64>(-difference / step) : kNever;
}

class Round {
 public:
  Round(const CoreState& state, RoundView& view, Cycle cycle, u32 clock_step,
        const Registers& registers)
      : state_(state), view_(view), cycle_(cycle), clock_step_(clock_step), x_(registers) {}

  /// From the state's pc until it is there again. False: the round does something else, or is
  /// longer than `longest`.
  bool run(Cycle longest) {
    pc_ = state_.pc;
    while (length_ < longest) {
      if (!step()) return false;
      ++length_;
      ++cycle_;
      x_[0] = {};
      if (pc_ == state_.pc) return true;
    }
    return false;
  }

  Cycle length() const { return length_; }
  Cycle cycle() const { return cycle_; }
  u64 count() const { return count_; }
  const Registers& registers() const { return x_; }

 private:
  enum class Relation : u8 { Equal, Less, LessUnsigned };

  bool step();
  bool step_on(const Decoded& e, u32 word);
  bool load(const Decoded& e, u32 size, Growing& to);
  bool read_csr(u32 address, Growing& to);

  /// Whether `a` is to `b` as `relation` says, now and in the `count_` rounds from now on.
  bool holds(Relation relation, Growing a, Growing b);
  /// The clock `now` is read, whose upper half is to stay what it is.
  Growing low_half(u64 now) {
    count_ = std::min(count_, rounds_within(static_cast<u32>(now), clock_step_, 0,
                                            std::numeric_limits<u32>::max()));
    return {static_cast<u32>(now), clock_step_};
  }

  const CoreState& state_;
  RoundView& view_;
  Cycle cycle_;
  u32 clock_step_;
  Registers x_;
  u32 pc_ = 0;
  Cycle length_ = 0;
  u64 count_ = kNever;
  bool has_latched_ = false;
};

bool Round::holds(Relation relation, Growing a, Growing b) {
  const bool is_signed = relation == Relation::Less;
  const auto number = [is_signed](u32 value) -> i64 {
    return is_signed ? i64{static_cast<i32>(value)} : i64{value};
  };
  const i64 first = is_signed ? std::numeric_limits<i32>::min() : 0;
  const i64 last = is_signed ? i64{std::numeric_limits<i32>::max()} : i64{~u32{0}};
  const i64 a_step = static_cast<i32>(a.step);
  const i64 b_step = static_cast<i32>(b.step);
  const i64 difference = number(a.value) - number(b.value);
  const u64 same = relation == Relation::Equal ? rounds_of_equality(difference, a_step - b_step)
                                               : rounds_of_order(difference, a_step - b_step);
  count_ = std::min({count_, same, rounds_within(number(a.value), a_step, first, last),
                     rounds_within(number(b.value), b_step, first, last)});
  return relation == Relation::Equal ? difference == 0 : difference < 0;
}

bool Round::load(const Decoded& e, u32 size, Growing& to) {
  if (x_[e.rs1].step != 0) return false;
  const u32 address = x_[e.rs1].value + static_cast<u32>(e.imm);
  if (address % size != 0) return false;
  using Clock = RoundView::Clock;
  const Clock clock = size == 4 ? view_.clock_at(address) : Clock::None;
  if (clock == Clock::None) {
    to.step = 0;
    return view_.load(address, size, to.value);
  }
  const Growing low = low_half(cycle_);
  if (clock == Clock::LatchedHigh && !has_latched_) return false;
  has_latched_ |= clock == Clock::Low;
  to = clock == Clock::Low ? low : Growing{static_cast<u32>(cycle_ >> 32), 0};
  return true;
}

/// Of those that count cycles or instructions, which is the same here.
bool Round::read_csr(u32 address, Growing& to) {
  const CsrInfo* const csr = find_csr(address);
  if (csr == nullptr || csr->kind != CsrKind::Clock) return false;
  constexpr u32 kUpperHalf = 0x80;
  constexpr u32 kInstructions = 2;
  const u64 instret = state_.instret + (cycle_ - state_.cycle);
  const u64 now = (address & kInstructions) != 0 ? instret + state_.csr.minstret_offset
                                                 : cycle_ + state_.csr.mcycle_offset;
  const Growing low = low_half(now);
  to = (address & kUpperHalf) == 0 ? low : Growing{static_cast<u32>(now >> 32), 0};
  return true;
}

bool Round::step() {
  u32 word = 0;
  if (!view_.fetch(pc_, word)) return false;
  const Decoded e = decode(word, pc_);
  const Growing a = x_[e.rs1];
  const Growing b = x_[e.rs2];
  const auto branch = [&](bool taken) {
    pc_ += taken ? static_cast<u32>(b_immediate(word)) : 4;
    return true;
  };
  switch (static_cast<Op>(e.op)) {
    case Op::beq:
      return branch(holds(Relation::Equal, a, b));
    case Op::bne:
      return branch(!holds(Relation::Equal, a, b));
    case Op::blt:
      return branch(holds(Relation::Less, a, b));
    case Op::bge:
      return branch(!holds(Relation::Less, a, b));
    case Op::bltu:
      return branch(holds(Relation::LessUnsigned, a, b));
    case Op::bgeu:
      return branch(!holds(Relation::LessUnsigned, a, b));
    case Op::jal:
      x_[e.rd] = {pc_ + 4, 0};
      pc_ += static_cast<u32>(j_immediate(word));
      return true;
    case Op::jalr:
      if (a.step != 0) return false;
      x_[e.rd] = {pc_ + 4, 0};
      pc_ = (a.value + static_cast<u32>(e.imm)) & ~1u;
      return true;
    default:
      pc_ += 4;
      return step_on(e, word);
  }
}

/// An instruction after which the next one follows.
bool Round::step_on(const Decoded& e, u32 word) {
  const Growing a = x_[e.rs1];
  const Growing b = x_[e.rs2];
  const Growing imm{static_cast<u32>(e.imm), 0};
  Growing& rd = x_[e.rd];
  const auto sum = [&rd](Growing first, unsigned shift, Growing second) {
    rd = {(first.value << shift) + second.value, (first.step << shift) + second.step};
    return true;
  };
  const auto extended = [&rd](bool loaded, unsigned unused) {
    rd.value = static_cast<u32>(static_cast<i32>(rd.value << unused) >> unused);
    return loaded;
  };
  switch (static_cast<Op>(e.op)) {
    case Op::addi:
      return sum(a, 0, imm);
    case Op::add:
      return sum(a, 0, b);
    case Op::sub:
      return sum(a, 0, {0 - b.value, 0 - b.step});
    case Op::slli:
      return sum(a, imm.value, {});
    case Op::sh1add:
      return sum(a, 1, b);
    case Op::sh2add:
      return sum(a, 2, b);
    case Op::sh3add:
      return sum(a, 3, b);
    case Op::slt:
      rd = {holds(Relation::Less, a, b) ? 1u : 0u, 0};
      return true;
    case Op::sltu:
      rd = {holds(Relation::LessUnsigned, a, b) ? 1u : 0u, 0};
      return true;
    case Op::slti:
      rd = {holds(Relation::Less, a, imm) ? 1u : 0u, 0};
      return true;
    case Op::sltiu:
      rd = {holds(Relation::LessUnsigned, a, imm) ? 1u : 0u, 0};
      return true;
    case Op::lw:
      return load(e, 4, rd);
    case Op::lhu:
      return load(e, 2, rd);
    case Op::lbu:
      return load(e, 1, rd);
    case Op::lh:
      return extended(load(e, 2, rd), 16);
    case Op::lb:
      return extended(load(e, 1, rd), 24);
    case Op::fence:
      return true;
    case Op::csrrs:
      return rs1_of(word) == 0 && read_csr(static_cast<u32>(e.imm), rd);
    default: {
      const u64 reads = sources_of(word);
      if ((bit(reads, e.rs1) && a.step != 0) || (bit(reads, e.rs2) && b.step != 0)) return false;
      u32 result = 0;
      if (!calculate(static_cast<Op>(e.op), a.value, b.value, imm.value, result)) return false;
      rd = {result, 0};
      return true;
    }
  }
}

}  // namespace

std::optional<Rounds> find_rounds(const CoreState& state, RoundView& view, Cycle longest) {
  Registers registers;
  for (unsigned i = 0; i < registers.size(); ++i) registers[i] = {state.x[i], 0};
  // One round with what is there, which shows by how much each register grows; then another one, in
  // which that has to come out again.
  Round first(state, view, state.cycle, 0, registers);
  if (!first.run(longest)) return {};
  Rounds rounds;
  rounds.period = first.length();
  for (unsigned i = 0; i < 32; ++i) {
    rounds.step[i] = first.registers()[i].value - registers[i].value;
    registers[i] = {first.registers()[i].value, rounds.step[i]};
  }
  Round second(state, view, first.cycle(), static_cast<u32>(rounds.period), registers);
  if (!second.run(longest) || second.length() != rounds.period) return {};
  for (unsigned i = 0; i < 32; ++i) {
    const Growing& then = second.registers()[i];
    if (then.step != rounds.step[i] || then.value != registers[i].value + rounds.step[i]) return {};
  }
  rounds.count = second.count() == kNever ? kNever : second.count() + 1;  // and the first
  return rounds;
}

}  // namespace bhemu::riscv
