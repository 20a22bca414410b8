// A chip of one tile with a debugger on one of its cores.
#pragma once

#include "support/debugger.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {

inline constexpr u32 kDebugCode = 0x6000;
inline constexpr std::array<CoreId, 4> kDebuggable{CoreId::Brisc, CoreId::Trisc0, CoreId::Trisc1,
                                                   CoreId::Trisc2};

struct DebuggedTile : OneTile {
  explicit DebuggedTile(CoreId core = CoreId::Trisc0, Cycle quantum = 16, bool parking = true)
      : OneTile(quantum, parking), core(core), debugger(debugger_of(core)) {}

  Debugger debugger_of(CoreId id) {
    u32 which = 0;
    while (kDebuggable[which] != id) ++which;
    return {which, [this](u32 address, u32 value) { write(address, value); },
            [this](u32 address) { return read(address); }};
  }
  /// Places the program at kDebugCode and releases the core there.
  void start_program(Assembler& a) {
    load(kDebugCode, a.finish());
    if (core == CoreId::Brisc) {
      static_assert(kDebugCode % 0x1000 == 0);
      load(0, {kDebugCode | t6 << 7 | 0x37, t6 << 15 | 0x67});  // lui t6; jr t6
    } else {
      start_at(core, kDebugCode);
    }
    start({core});
  }
  /// Lets time pass whether anybody acts in it or not, so that runs can be compared.
  void advance(Cycle cycles) {
    const Cycle end = engine->now() + cycles;
    while (engine->run(end, nullptr) == sched::Stop::Faulted) tile->faults().clear();
    engine->skip_to(end);
  }
  const riscv::CoreState& state() const { return tile->core(core); }
  tile::CoreStatus core_status() const { return tile->status(core); }

  CoreId core;
  Debugger debugger;
};

}  // namespace bhemu::test
