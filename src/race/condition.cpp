#include "race/condition.hpp"

namespace bhemu::race {
namespace {
/// Counts tried for a bound: a circular buffer has fewer pages, a semaphore fewer posts. They are
/// small against a mask, so that it does not matter when it is applied.
constexpr u32 kMostAhead = 1024;
}  // namespace

void PollCondition::load(u8 reg, u32 id, u32 value, u32 certain, unsigned width) {
  if (reg == 0) return;
  const u32 mask = width >= 32 ? ~0u : (1u << width) - 1;
  registers_[reg] = {true, false, id, value & mask, certain, 0, mask, ~0u};
}

void PollCondition::add(u8 rd, u8 rs, u32 constant, bool mask16) {
  if (rd == 0) return;
  registers_[rd] = registers_[rs];
  registers_[rd].constant += constant;
  if (mask16) registers_[rd].shown = 0xFFFF;
}

void PollCondition::combine(u8 rd, u8 rs1, u8 rs2, u32 value1, u32 value2, bool subtract) {
  if (rd == 0) return;
  const Tracked a = registers_[rs1];
  const Tracked b = registers_[rs2];
  Tracked result;
  // Of two counters (received - acknowledged) the one that others raise is followed; the other is
  // the core's own and a plain number: it was loaded with nothing left to prove.
  const bool b_is_ahead = b.known && ((b.value - b.certain) & b.mask) != 0;
  if (a.known && !b_is_ahead) {
    result = a;
    result.constant += subtract ? 0u - value2 : value2;
  } else if (b.known) {
    result = b;
    result.negative = subtract != b.negative;
    result.constant = subtract ? value1 - b.constant : value1 + b.constant;
  }
  registers_[rd] = result;
}

void PollCondition::forget(u8 rd) {
  registers_[rd] = {};
}

bool PollCondition::holds(Compare compare, u32 a, u32 b) {
  switch (compare) {
    case Compare::Equal:
      return a == b;
    case Compare::NotEqual:
      return a != b;
    case Compare::Less:
      return static_cast<i32>(a) < static_cast<i32>(b);
    case Compare::NotLess:
      return static_cast<i32>(a) >= static_cast<i32>(b);
    case Compare::LessUnsigned:
      return a < b;
    case Compare::NotLessUnsigned:
      return a >= b;
  }
  return false;
}

std::optional<PollCondition::Guarantee> PollCondition::branch(Compare compare, u8 rs1, u8 rs2,
                                                              u32 value1, u32 value2,
                                                              bool taken) const {
  const bool first = registers_[rs1].known;
  if (first == registers_[rs2].known) return std::nullopt;
  const Tracked& tracked = first ? registers_[rs1] : registers_[rs2];
  const auto goes = [&](u32 count) {
    const u32 counter = count & tracked.mask;
    const u32 raw = tracked.negative ? tracked.constant - counter : tracked.constant + counter;
    const u32 shown = raw & tracked.shown;
    return holds(compare, first ? shown : value1, first ? value2 : shown) == taken;
  };
  // How far the counter is ahead of what was certain, as a count without wrapping.
  const u32 ahead = (tracked.value - tracked.certain) & tracked.mask;
  for (u32 more = 0; more <= ahead && more <= kMostAhead; ++more)
    if (goes(tracked.certain + more)) return Guarantee{tracked.id, tracked.certain + more};
  return std::nullopt;
}

}  // namespace bhemu::race
