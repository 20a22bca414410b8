// The one place where an instruction goes from its thread to its unit, whatever brought it there:
// the wait gate, a burst, the inner loop of a MOP.
#pragma once

#include "tensix/context.hpp"
#include "tensix/operation.hpp"
#include "tensix/timing.hpp"
#include "tensix/watch.hpp"

namespace bhemu::tensix::frontend {

/// The two builds of frontend and units, from one source (docs/ARCHITECTURE.md, "Plain and Full").
/// Plain: every instruction takes one cycle, nobody looks on.
struct Plain {
  static constexpr bool kFull = false;
  static constexpr bool kWatched = false;
};
/// Full: windows as Environment::timing has them.
struct Full {
  static constexpr bool kFull = true;
  static constexpr bool kWatched = false;
};
/// Either, with an observer (Environment::watch).
template <class Build>
struct Watched : Build {
  static constexpr bool kWatched = true;
};

enum class Issued : u8 {
  Done,
  Stall,    // the unit cannot take it now; nothing has changed
  Stopped,  // the thread has stopped at it
};

/// The operation's window begins: unit and thread are busy as long as the timing says (Full only).
/// Returns its end.
Cycle open_window(const Context& context, const Decoded& decoded, BusyUnit unit);

/// The banks of SrcA and SrcB that the matrix unit had, and might read.
struct SourceBanks {
  SourceBanks() = default;
  explicit SourceBanks(const FpuState& fpu)
      : bank{fpu.src_a.matrix_bank, fpu.src_b.matrix_bank},
        readable{fpu.src_a.matrix_may_read(), fpu.src_b.matrix_may_read()} {}
  std::array<u8, 2> bank{};
  std::array<bool, 2> readable{};
};
/// The pointer moves on at the end of the instruction's way through the unit: till then whoever
/// tests it can see the bank that is given back. By how long is drawn.
void leave_banks_visible(const Context& context, const SourceBanks& before);

/// In cycle `now` the unit still works on an instruction that lets no other in, or the thread's
/// last instruction holds it back (Full only).
inline bool is_taken(const State& state, const Decoded& decoded, BusyUnit unit, unsigned thread,
                     Cycle now) {
  return state.held_until[thread] > now || !state.effects.has_room() ||
         (decoded.accept != 0 && state.taken_until[static_cast<unsigned>(unit)] > now);
}

/// Offers the instruction at the gate of `frontend`, the context's thread's, to its unit.
/// `discarded`: the vector unit takes it in and does nothing with it.
template <class Build>
inline Issued issue(Frontend& frontend, Context& context, const Decoded& decoded, BusyUnit unit,
                    bool discarded = false) {
  if constexpr (Build::kWatched) context.env.watch->offered(context);
  if constexpr (Build::kFull) {
    // REG2FLOP, like WRCFG, reads the registers a stage too early (tt-isa-documentation issue 58).
    if (context.state.effects.count != 0 && decoded.unit == Unit::Thcon &&
        opcode_of(context.word) != op::REG2FLOP::kOpcode)
      forward_results(context.state, context.env, context.thread, context.now);
  }
  [[maybe_unused]] SourceBanks banks;
  if constexpr (Build::kFull) banks = SourceBanks(context.state.fpu);
  const Completion completion = discarded ? Completion::Done : decoded.execute(context);
  if (frontend.stopped) return Issued::Stopped;
  if (completion == Completion::Stall) return Issued::Stall;
  frontend.gate_full = false;
  ++frontend.executed;
  [[maybe_unused]] Cycle end = context.now + 1;
  if constexpr (Build::kFull) {
    if (context.env.delays != nullptr) [[unlikely]]
      leave_banks_visible(context, banks);
    end = open_window(context, decoded, unit);
  } else {
    context.busy(unit, 1);
  }
  if constexpr (Build::kWatched) context.env.watch->taken(context, unit, end, discarded);
  return Issued::Done;
}

}  // namespace bhemu::tensix::frontend
