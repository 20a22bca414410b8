#include "tensix/perf/perf.hpp"

#include <bit>

#include "tensix/conditions.hpp"
#include "tensix/frontend/gate.hpp"

namespace bhemu::tensix::perf {
namespace {

constexpr u32 unit(Unit unit) {
  return 1u << static_cast<u32>(unit);
}

/// The state at the end of cycle `now`, as the rows of perf.def ask for it.
class Sample {
 public:
  /// `executed`: threads that have executed an instruction in this cycle, by bit.
  Sample(const State& state, u32 executed, Cycle now)
      : state_(state), executed_(executed), now_(now) {}

  bool executed(unsigned thread) const { return bit(executed_, thread); }
  bool stalled(unsigned thread) const { return state_.frontend[thread].gate_full; }
  /// The instruction that was executed in this cycle, or else the one that was held.
  bool available(unsigned thread, u32 units) const {
    return (executed(thread) || stalled(thread)) && in(units, thread);
  }
  bool any_available(u32 units) const {
    return available(0, units) || available(1, units) || available(2, units);
  }
  bool any_executed(u32 units) const {
    for (unsigned thread = 0; thread < kThreads; ++thread)
      if (executed(thread) && in(units, thread)) return true;
    return false;
  }
  bool busy(unsigned thread, BusyUnit unit) const {
    return state_.busy_until[thread][static_cast<unsigned>(unit)] > now_;
  }
  bool any_busy(BusyUnit unit) const { return busy(0, unit) || busy(1, unit) || busy(2, unit); }
  bool waits(unsigned thread, u32 conditions) const {
    const LatchedWait& wait = state_.frontend[thread].wait;
    return wait.kind == WaitKind::Stallwait && holds(thread) &&
           unmet_conditions(state_, thread, wait.condition & conditions, now_) != 0;
  }
  bool any_waits(u32 conditions) const {
    return waits(0, conditions) || waits(1, conditions) || waits(2, conditions);
  }
  bool waits_nonzero(unsigned thread) const {
    return waits_for_semaphore(thread, 0, [](const Semaphore& s) { return s.value == 0; });
  }
  bool waits_nonfull(unsigned thread) const {
    return waits_for_semaphore(thread, 1, [](const Semaphore& s) { return s.value >= s.max; });
  }
  const SrcFile& src_a() const { return state_.fpu.src_a; }
  const SrcFile& src_b() const { return state_.fpu.src_b; }

 private:
  bool in(u32 units, unsigned thread) const {
    return (kDecoded[opcode_of(state_.frontend[thread].gate_word)].unit_mask() & units) != 0;
  }
  bool holds(unsigned thread) const {
    const Frontend& front = state_.frontend[thread];
    return front.gate_full && frontend::blocks(front.wait, front.gate_word);
  }
  template <class Unmet>
  bool waits_for_semaphore(unsigned thread, u32 condition, Unmet unmet) const {
    const LatchedWait& wait = state_.frontend[thread].wait;
    if (wait.kind != WaitKind::Semwait || !bit(wait.condition, condition) || !holds(thread))
      return false;
    for (u32 left = wait.semaphores; left != 0; left &= left - 1)
      if (unmet(state_.sync.semaphore[std::countr_zero(left)])) return true;
    return false;
  }

  const State& state_;
  u32 executed_;
  Cycle now_;
};

PerfLevels levels_of(const Sample& s) {
  PerfLevels levels{};
  u32 index = 0;
  const auto take = [&](bool level) {
    levels[index / 64] |= u64{level} << (index % 64);
    ++index;
  };
#define COUNTER(bank, select, name, level, meaning) take(level);
#define REFUSED(bank, select, name, why)
#include "tensix/perf/perf.def"
#undef COUNTER
#undef REFUSED
  return levels;
}

/// Of each counter that counts, its bank.
constexpr PerfBank kBankOf[] = {
#define COUNTER(bank, select, name, level, meaning) PerfBank::bank,
#define REFUSED(bank, select, name, why)
#include "tensix/perf/perf.def"
#undef COUNTER
#undef REFUSED
};

constexpr CounterInfo kRows[] = {
#define COUNTER(bank, select, name, level, meaning) {#name, PerfBank::bank, select, 0, nullptr},
#define REFUSED(bank, select, name, why) {#name, PerfBank::bank, select, -1, why},
#include "tensix/perf/perf.def"
#undef COUNTER
#undef REFUSED
};

constexpr auto numbered_rows() {
  std::array<CounterInfo, std::size(kRows)> rows{};
  i16 next = 0;
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    rows[i] = kRows[i];
    if (rows[i].reason == nullptr) rows[i].index = next++;
  }
  return rows;
}
constexpr auto kCounters = numbered_rows();

/// Cycles of [begin, end) in which the bank counts.
Cycle open_cycles(const PerfState& perf, PerfBank bank, Cycle begin, Cycle end) {
  const auto i = static_cast<unsigned>(bank);
  begin = std::max(begin, perf.from[i]);
  end = std::min(end, perf.until[i]);
  return end > begin ? end - begin : 0;
}

}  // namespace

const CounterInfo* find_counter(PerfBank bank, u32 select) {
  for (const CounterInfo& row : kCounters)
    if (row.bank == bank && row.select == select) return &row;
  return nullptr;
}

void start(State& state, PerfBank bank, const Start& how) {
  PerfState& perf = state.perf;
  if (runs(perf, perf.counted)) {
    Observer(state, how.at);
  } else {
    // Counting begins now. While the coprocessor sleeps its levels stay as they are here.
    perf.counted = how.at;
    perf.held = state.asleep ? levels_of(Sample(state, 0, how.at)) : PerfLevels{};
  }
  const auto i = static_cast<unsigned>(bank);
  perf.from[i] = how.now;
  perf.until[i] = how.period == 0 ? kNever : how.now + how.period;
  perf.without_cycles[i] = how.without_cycles;
  for (u32 index = 0; index < kPerfCounters; ++index)
    if (kBankOf[index] == bank) perf.count[index] = 0;
}

void stop(State& state, PerfBank bank, Cycle now) {
  Cycle& until = state.perf.until[static_cast<unsigned>(bank)];
  until = std::min(until, now);
}

u32 cycles(const State& state, PerfBank bank, Cycle now) {
  if (state.perf.without_cycles[static_cast<unsigned>(bank)] != 0) return 0;
  return static_cast<u32>(open_cycles(state.perf, bank, 0, now));
}

u32 value(const State& state, const CounterInfo& counter, Cycle at) {
  const PerfState& perf = state.perf;
  const auto index = static_cast<u32>(counter.index);
  u64 count = perf.count[index];
  if ((perf.held[index / 64] >> (index % 64) & 1) != 0)
    count += open_cycles(perf, counter.bank, perf.counted, at);
  return static_cast<u32>(count);
}

Observer::Observer(State& state, Cycle from) : state_(state) {
  if (from > state.perf.counted) add(state.perf.counted, from);
}

void Observer::before_cycle() {
  for (unsigned thread = 0; thread < kThreads; ++thread)
    executed_[thread] = state_.frontend[thread].executed;
}

void Observer::after_cycle(Cycle now) {
  u32 executed = 0;
  for (unsigned thread = 0; thread < kThreads; ++thread)
    executed |= u32{state_.frontend[thread].executed != executed_[thread]} << thread;
  state_.perf.held = levels_of(Sample(state_, executed, now));
}

void Observer::add(Cycle begin, Cycle end) {
  PerfState& perf = state_.perf;
  std::array<Cycle, kPerfBanks> open;
  for (unsigned i = 0; i < kPerfBanks; ++i)
    open[i] = open_cycles(perf, static_cast<PerfBank>(i), begin, end);
  for (u32 word = 0; word < perf.held.size(); ++word) {
    for (u64 left = perf.held[word]; left != 0; left &= left - 1) {
      const u32 index = word * 64 + static_cast<u32>(std::countr_zero(left));
      perf.count[index] += open[static_cast<unsigned>(kBankOf[index])];
    }
  }
  perf.counted = std::max(perf.counted, end);
}

}  // namespace bhemu::tensix::perf
