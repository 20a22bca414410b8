// `run` of core.hpp by way of translations: the same contract and the same results, to the cycle.
// Include this where it is instantiated for a Bus.
#pragma once

#include <algorithm>

#include "riscv/decode.hpp"
#include "riscv/jit/translations.hpp"

namespace bhemu::riscv::jit {

/// Instructions that the interpreter executes before it is asked again whether the code at hand
/// has been translated.
inline constexpr Cycle kInterpreted = 32;
inline constexpr Cycle kWorthEntering = 8;

/// From within translated code: see Context::interpret.
template <class Bus>
u32 interpret(Context* context, i64 budget, u32 pc, u32 count) {
  CoreState& state = *context->state;
  Bus& bus = *static_cast<Bus*>(context->bus);
  const u64 generation = *context->generation;
  state.pc = pc;
  state.cycle = context->until - static_cast<u64>(budget);
  state.instret = state.cycle + context->instret_ahead;
  context->outcome = riscv::run(state, bus, state.cycle + count);
  const bool goes_on = context->outcome == Outcome::Ok && !bus.attention &&
                       state.pc == pc + count * 4 && *context->generation == generation;
  return goes_on ? 0 : 1;
}

template <class Bus>
Context context_of(CoreState& state, Bus& bus) {
  Context context;
  context.state = &state;
  context.l1 = bus.l1;
  context.l1_flags = bus.l1_flags;
  context.interpret = interpret<Bus>;
  context.ldm_limit = {bus.ldm_size, bus.ldm_size >> 1, bus.ldm_size >> 2};
  context.bus = &bus;
  return context;
}

/// `context`: context_of this core.
template <class Bus>
Outcome run(Context& context, Translations& translations, Cycle until) {
  CoreState& state = *context.state;
  Bus& bus = *static_cast<Bus*>(context.bus);
  translations.keep_up();
  context.until = until;
  context.instret_ahead = state.instret - state.cycle;
  while (state.cycle < until) {
    Cycle end = until;
    if (is_instruction_address(state.pc, Bus::kL1Bytes)) {
      const u32 entry = translations.at(state.pc);
      if ((entry & kCompiled) != 0) {
        context.budget = static_cast<i64>(until - state.cycle);
        const Leave leave = translations.enter(context);
        if (leave == Leave::Done) {
          if (context.outcome != Outcome::Ok || bus.attention) return context.outcome;
          continue;
        }
        state.cycle = until - static_cast<u64>(context.budget);
        state.instret = state.cycle + context.instret_ahead;
        if (leave == Leave::Lookup) continue;
      } else {
        if (translations.visit(state, bus.l1)) {
          for (const u32 line : translations.fresh_lines()) bus.mark_code(line);
          continue;
        }
        const bool covered = (entry & kCovered) != 0;
        end = std::min(until, state.cycle + (covered ? entry & kLengthMask : kInterpreted));
      }
    }
    const Outcome outcome = riscv::run(state, bus, end);
    if (outcome != Outcome::Ok || bus.attention) return outcome;
  }
  return Outcome::Ok;
}

}  // namespace bhemu::riscv::jit
