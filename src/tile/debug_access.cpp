#include "tile/debug_unit.hpp"

#include <fmt/format.h>

#include "base/bits.hpp"
#include "tensix/cfg/cfg.hpp"
#include "tensix/perf/perf.hpp"

namespace bhemu::tile {
namespace {

namespace perf = tensix::perf;
using tensix::PerfBank;

/// The registers of one bank, in the order of PerfBank.
struct BankRegisters {
  const char* name;
  u32 control;  // reference period; mode and selection follow, then start and stop
  u32 out;      // reference cycles; the count follows
};
constexpr BankRegisters kBanks[tensix::kPerfBanks] = {
    {"INSTRN_THREAD", debug_reg::PERF_CNT_INSTRN_THREAD0, debug_reg::PERF_CNT_OUT_L_INSTRN_THREAD},
    {"TDMA_UNPACK", debug_reg::PERF_CNT_TDMA_UNPACK0, debug_reg::PERF_CNT_OUT_L_TDMA_UNPACK},
    {"TDMA_PACK", debug_reg::PERF_CNT_TDMA_PACK0, debug_reg::PERF_CNT_OUT_L_TDMA_PACK},
    {"FPU", debug_reg::PERF_CNT_FPU0, debug_reg::PERF_CNT_OUT_L_FPU},
    {"L1", debug_reg::PERF_CNT_L1_0, debug_reg::PERF_CNT_OUT_L_DBG_L1},
};
constexpr u32 kStart = 1;
constexpr u32 kStop = 2;
enum : u32 { kContinuous, kPeriod, kWithoutCycles };

}  // namespace

/// True when whoever asked may go on; what he asked for is zero.
bool DebugUnit::miss_coprocessor(u32 offset, const Author& author) {
  // A fault of a core has its program counter; for others the register tells one from the next.
  Author where = author;
  if (!is_core(author.agent)) where.pc = offset;
  return !env_.faults.raise(Rule::TileNoCoprocessor, where,
                            debug_register_at(offset, env_.shape.kind)->name);
}

bool DebugUnit::read_daisychain(u32& value, const Author& author) {
  const u32 control = env_.registers.get(debug_reg::DBG_BUS_CTRL);
  const DaisySelection select(control);
  // A fault of a core has its program counter; for others the selection tells one from the next.
  Author where = author;
  if (!is_core(author.agent)) where.pc = control;
  if (!select.enabled)
    return !env_.faults.raise(Rule::TileDebugSignal, where,
                              "DBG_RD_DATA read while DBG_BUS_CTRL.Enabled is clear");
  value = env_.host.look_at_daisy(select, author.cycle)[select.word];
  if (daisy_word(env_.shape.kind, select.daisy, select.signal, select.word) !=
      DaisyWord::Unmodelled)
    return true;
  const char* group = unmodelled_group(env_.shape.kind, select.daisy, select.signal);
  return !env_.faults.raise(
      Rule::TileDebugSignal, where,
      fmt::format("word {} of daisy {}, signal select {} ({})", select.word, select.daisy,
                  select.signal, group != nullptr ? group : "nothing is known there"));
}

// CFGREG_RDDATA is the word at TENSIX_CFG_BASE whose index is in the low 11 bits of CFGREG_RD_CNTL.
bool DebugUnit::read_config_back(u32& value, const Author& author) {
  if (env_.coprocessor == nullptr) return miss_coprocessor(debug_reg::CFGREG_RDDATA, author);
  const u32 index = env_.registers.get(debug_reg::CFGREG_RD_CNTL) & 0x7FF;
  if (index >= tensix::kConfigWindow)
    return !env_.faults.raise(Rule::TileDebugBus, author,
                              fmt::format("read-back of configuration word {}; there are {}", index,
                                          tensix::kConfigWindow));
  value = tensix::read_config_window(std::as_const(*env_.coprocessor).state(), index);
  return true;
}

// DBG_ARRAY_RD_CMD: row 11:0, which 32 bits of it 15:12, array 18:16 (0 SrcA, 1 SrcB, 2 Dst), bank
// 19. A row of Dst is one of storage, 16 times 16 bits in storage order. SrcA cannot be read this
// way (software moves its rows to Dst by MOVDBGA2D), and what SHIFTXB latches of SrcB for it is in
// no document.
bool DebugUnit::read_array(u32& value, const Author& author) {
  if (env_.coprocessor == nullptr) return miss_coprocessor(debug_reg::DBG_ARRAY_RD_DATA, author);
  const u32 command = env_.registers.get(debug_reg::DBG_ARRAY_RD_CMD);
  if (!bit(env_.registers.get(debug_reg::DBG_ARRAY_RD_EN), 0))
    return !env_.faults.raise(Rule::TileDebugSignal, author,
                              "DBG_ARRAY_RD_DATA read while DBG_ARRAY_RD_EN is clear");
  constexpr u32 kDstArray = 2;
  const u32 row = bits(command, 0, 12);
  const u32 column = bits(command, 12, 4);
  const u32 array = bits(command, 16, 3);
  if (array != kDstArray || row >= tensix::kDstRows || column >= tensix::kRowDatums / 2)
    return !env_.faults.raise(Rule::TileDebugBus, author,
                              fmt::format("read-back of array {} ({}), row {}, column {}", array,
                                          array == 0   ? "SrcA"
                                          : array == 1 ? "SrcB"
                                          : array == 2 ? "Dst"
                                                       : "none",
                                          row, column));
  const auto& datum = std::as_const(*env_.coprocessor).state().fpu.dst.row[row].datum;
  value = datum[2 * column] | u32{datum[2 * column + 1]} << 16;
  return true;
}

// --- Performance counters ----------------------------------------------------------------------

bool DebugUnit::read_counter(u32 offset, u32& value, const Author& author) {
  u32 i = 0;
  while (offset != kBanks[i].out && offset != kBanks[i].out + 4) {
    ++i;
    CHECK(i < tensix::kPerfBanks);
  }
  ++env_.activity.clock_reads;
  const auto bank = static_cast<PerfBank>(i);
  const tensix::State& state = std::as_const(*env_.coprocessor).state();
  if (offset == kBanks[i].out) {
    value = perf::cycles(state, bank, author.cycle);
    return true;
  }
  const u32 select = bits(env_.registers.get(kBanks[i].control + 4), 8, 9);
  const perf::CounterInfo* counter = perf::find_counter(bank, select);
  if (counter == nullptr || counter->index < 0) {
    // A program would take a zero for a measurement; a tool that lists counters goes on.
    const bool host = author.agent == Agent::Host;
    Author where = author;
    if (host) where.pc = offset << 16 | select;  // tells one warning from the next
    return !env_.faults.raise(
        host ? Rule::TileDebugSignal : Rule::TilePerfCounter, where,
        counter == nullptr
            ? fmt::format("{}: nothing is known of counter {}", kBanks[i].name, select)
            : fmt::format("{}: counter {} ({}): {}", kBanks[i].name, select, counter->name,
                          counter->reason));
  }
  value = perf::value(state, *counter, env_.host.counted_until(author.cycle));
  return true;
}

bool DebugUnit::control_counters(u32 offset, u32 value, const Author& author) {
  const Cycle now = author.cycle;
  const u32 rising = value & ~env_.registers.get(offset);
  env_.registers.set(offset, value);
  tensix::State& state = env_.coprocessor->state();
  for (u32 i = 0; i < tensix::kPerfBanks; ++i) {
    const auto bank = static_cast<PerfBank>(i);
    const bool all = bank == PerfBank::Fpu || bank == PerfBank::InstrnThread;
    if (offset != kBanks[i].control + 8 && !(offset == debug_reg::PERF_CNT_ALL && all)) continue;
    const u32 mode = bits(env_.registers.get(kBanks[i].control + 4), 0, 8);
    const bool both = (rising & kStart) != 0 && (rising & kStop) != 0;
    if (both || ((rising & kStart) != 0 && mode > kWithoutCycles))
      return !env_.faults.raise(
          Rule::TilePerfCounter, author,
          both ? fmt::format("{}: started and stopped by one store", kBanks[i].name)
               : fmt::format("{}: started in mode {}", kBanks[i].name, mode));
    if ((rising & kStart) != 0) {
      const Cycle period = mode == kPeriod ? env_.registers.get(kBanks[i].control) : 0;
      perf::start(state, bank, {now, env_.host.counted_from(now), period, mode == kWithoutCycles});
      if (mode == kPeriod && period == 0) perf::stop(state, bank, now);
    }
    if ((rising & kStop) != 0) perf::stop(state, bank, now);
  }
  return true;
}

// --- Samples of the daisychain in L1 -----------------------------------------------------------

// DBG_L1_MEM_REG2: WriteMode 3:0, SamplingInterval 11:4, WriteTrigger 12. Mode 15 prepares, modes 0
// and 1 write one sample when the trigger rises, mode 4 a series.
bool DebugUnit::control_dump(u32 value, const Author& author) {
  using Mode = DaisyDump::Mode;
  const bool triggered = bit(value & ~env_.registers.get(debug_reg::DBG_L1_MEM_REG2), 12);
  env_.registers.set(debug_reg::DBG_L1_MEM_REG2, value);
  const auto mode = static_cast<Mode>(bits(value, 0, 4));
  if (mode == Mode::Prepare) env_.dump.prepare();
  if (!triggered) return true;
  const u32 first = env_.registers.get(debug_reg::DBG_L1_MEM_REG0);
  const u32 last = env_.registers.get(debug_reg::DBG_L1_MEM_REG1);
  const bool series = mode == Mode::Series;
  const bool known = series || mode == Mode::Overwrite || mode == Mode::Advance;
  const u32 end = series ? last : first + 1;
  const u32 most = std::min(DaisyDump::kEnd, env_.l1.size()) / 16;
  if (!known || first >= most || end > most || end < first)
    return !env_.faults.raise(
        Rule::TileDebugBus, author,
        fmt::format("samples to L1 in write mode {}, from 0x{:x} to 0x{:x} (units of 16 bytes)",
                    bits(value, 0, 4), first, end));
  const DaisySelection select(env_.registers.get(debug_reg::DBG_BUS_CTRL));
  bool modelled = false;
  for (u32 word = 0; word < 4; ++word)
    modelled |=
        daisy_word(env_.shape.kind, select.daisy, select.signal, word) == DaisyWord::Modelled;
  Author where = author;
  if (!is_core(author.agent)) where.pc = env_.registers.get(debug_reg::DBG_BUS_CTRL);
  if ((!modelled || !select.enabled) &&
      env_.faults.raise(Rule::TileDebugSignal, where,
                        fmt::format("samples of daisy {}, signal select {}{}", select.daisy,
                                    select.signal, select.enabled ? "" : ", which is disabled")))
    return false;
  if (series) {
    env_.host.end_long_turn(author.cycle);
    env_.dump.start_series(first * 16, last - first, bits(value, 4, 8) + 1, author);
    return true;
  }
  env_.dump.place(first * 16);
  write_sample(env_.dump.address() % std::min(DaisyDump::kEnd, env_.l1.size()), author);
  if (mode == Mode::Advance) env_.dump.advance();
  return true;
}

void DebugUnit::write_sample(u32 address, const Author& author) {
  const DaisySelection select(env_.registers.get(debug_reg::DBG_BUS_CTRL));
  const DaisyGroup group =
      select.enabled ? env_.host.look_at_daisy(select, author.cycle) : DaisyGroup{};
  env_.l1.write(address, group.data(), sizeof group, author);
}

// A sample shows the tile at the end of the turn in which it is due.
void DebugUnit::write_due_samples(Cycle now) {
  while (env_.dump.next() < now) {
    write_sample(env_.dump.address(), {env_.dump.author(), 0, now});
    env_.dump.step();
  }
}

// --- Instructions ------------------------------------------------------------------------------

// Bit t of DBG_INSTRN_BUF_CTRL0 takes the FIFO before thread t's replay expander, a rising bit 4 +
// t pushes DBG_INSTRN_BUF_CTRL1. What is pushed onto a full FIFO is lost.
bool DebugUnit::push_by_debug(u32 value, const Author& author) {
  const u32 rising = value & ~env_.registers.get(debug_reg::DBG_INSTRN_BUF_CTRL0);
  env_.registers.set(debug_reg::DBG_INSTRN_BUF_CTRL0, value);
  if (env_.coprocessor == nullptr)
    return value == 0 || miss_coprocessor(debug_reg::DBG_INSTRN_BUF_CTRL0, author);
  const u32 word = env_.registers.get(debug_reg::DBG_INSTRN_BUF_CTRL1);
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    if (!bit(value, thread) || !bit(rising, 4 + thread)) continue;
    if (env_.coprocessor->can_push_from_brisc(thread)) {
      env_.coprocessor->push_from_brisc(thread, word, author.cycle);
      if (env_.observer != nullptr) [[unlikely]]
        env_.follower.tell_push(kCores, author, thread, word, true);
    } else if (env_.faults.raise(Rule::TensixFifoOverflow, author,
                                 fmt::format("thread {}: {:#010x} is lost", thread, word))) {
      return false;
    }
  }
  return true;
}

}  // namespace bhemu::tile
