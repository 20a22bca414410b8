// `run` of core.hpp by way of translations: the same contract and the same results, to the cycle.
// Include this where it is instantiated for a Bus.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.hpp"
#include "riscv/decode.hpp"
#include "riscv/execute_cold.hpp"
#include "riscv/jit/translations.hpp"

namespace bhemu::riscv::jit {

/// Instructions that the interpreter executes before it is asked again whether the code at hand
/// has been translated.
inline constexpr Cycle kInterpreted = 64;
inline constexpr Cycle kWorthEntering = 8;

/// From within translated code: does `count` instructions from `pc` on by `way`, which executes
/// them on the core's state. Not zero: leave.
template <class Bus, class Way>
u32 step_aside(Context* context, i64 budget, u32 pc, u32 count, Way way) {
  CoreState& state = *context->state;
  Bus& bus = *static_cast<Bus*>(context->bus);
  const u64 generation = *context->generation;
  state.pc = pc;
  state.cycle = context->until - static_cast<u64>(budget);
  state.instret = state.cycle + context->instret_ahead;
  context->outcome = way(state, bus);
  const bool goes_on = context->outcome == Outcome::Ok && !bus.attention &&
                       state.pc == pc + count * 4 && *context->generation == generation;
  return goes_on ? 0 : 1;
}

/// See Context::interpret.
template <class Bus>
u32 interpret(Context* context, i64 budget, u32 pc, u32 count) {
  return step_aside<Bus>(context, budget, pc, count, [count](CoreState& state, Bus& bus) {
    return riscv::run(state, bus, state.cycle + count);
  });
}

/// A load or a store, completely.
template <class Bus>
Outcome do_access(CoreState& state, Bus& bus, Decoded e) {
  Cold<Bus> cold(state, bus);
  switch (static_cast<Op>(e.op)) {
    case Op::lb:
      return cold.template load_integer<i8>(e);
    case Op::lh:
      return cold.template load_integer<i16>(e);
    case Op::lw:
      return cold.template load_integer<u32>(e);
    case Op::lbu:
      return cold.template load_integer<u8>(e);
    case Op::lhu:
      return cold.template load_integer<u16>(e);
    case Op::flw:
      return cold.template load_float<u32>(e);
    case Op::flh:
      return cold.template load_float<u16>(e);
    case Op::sb:
      return cold.template store_register<u8>(e, state.x[e.rs2]);
    case Op::sh:
      return cold.template store_register<u16>(e, state.x[e.rs2]);
    case Op::sw:
      return cold.template store_register<u32>(e, state.x[e.rs2]);
    case Op::fsw:
      return cold.template store_register<u32>(e, state.f[e.rs2]);
    case Op::fsh:
      return cold.template store_register<u16>(e, state.f[e.rs2]);
    default:
      CHECK(false);
      return Outcome::Stop;
  }
}

/// As `access`, of those that may not be done at once.
template <class Bus>
[[gnu::noinline]] u32 access_slowly(Context* context, i64 budget, u32 pc, Decoded instruction) {
  return step_aside<Bus>(context, budget, pc, 1, [instruction](CoreState& state, Bus& bus) {
    const Outcome outcome = do_access(state, bus, instruction);
    if (outcome == Outcome::Ok) {
      ++state.cycle;
      ++state.instret;
    }
    return outcome;
  });
}

/// See Context::access.
template <class Bus>
u32 access(Context* context, i64 budget, u32 pc, Decoded instruction) {
  CoreState& state = *context->state;
  Bus& bus = *static_cast<Bus*>(context->bus);
  const u32 address = state.x[instruction.rs1] + static_cast<u32>(instruction.imm);
  const Cycle now = context->until - static_cast<u64>(budget);
  if (address % 4 != 0) return access_slowly<Bus>(context, budget, pc, instruction);
  if (static_cast<Op>(instruction.op) == Op::sw &&
      bus.store_at_once(pc, address, state.x[instruction.rs2], now))
    return 0;
  if (static_cast<Op>(instruction.op) == Op::lw &&
      bus.load_at_once(address, state.x[instruction.rd], now))
    return 0;
  return access_slowly<Bus>(context, budget, pc, instruction);
}

/// See Context::push.
template <class Bus>
u32 push(Context* context, i64 budget, u32 pc, const u32* words, u32 count) {
  Bus& bus = *static_cast<Bus*>(context->bus);
  for (u32 done = 0;; ++done) {
    const Cycle now = context->until - static_cast<u64>(budget) + done;
    const std::span<const u32> left{words + done, count - done};
    done += bus.push_at_once(pc + 4 * done, left, now);
    if (done == count) return 0;
    if (const u32 leave = interpret<Bus>(context, budget - done, pc + 4 * done, 1); leave != 0)
      return leave;
  }
}

template <class Bus>
Context context_of(CoreState& state, Bus& bus) {
  Context context;
  context.state = &state;
  context.l1 = bus.l1;
  context.l1_flags = bus.l1_flags;
  context.interpret = interpret<Bus>;
  context.access = access<Bus>;
  context.push = push<Bus>;
  context.ldm_bytes = bus.ldm_size;
  context.bus = &bus;
  return context;
}

/// Takes from the context what translated code has left there. False: the run is over.
template <class Bus>
bool come_back(Context& context, Leave leave) {
  if (leave == Leave::Done)
    return context.outcome == Outcome::Ok && !static_cast<Bus*>(context.bus)->attention;
  CoreState& state = *context.state;
  state.cycle = context.until - static_cast<u64>(context.budget);
  state.instret = state.cycle + context.instret_ahead;
  return true;
}

/// `run` of a core that does not go on where its time was over. `left`: how translated code was
/// left last; Over: in an earlier turn.
template <class Bus>
[[gnu::noinline]] Outcome run_on(Context& context, Translations& translations, Leave left) {
  CoreState& state = *context.state;
  Bus& bus = *static_cast<Bus*>(context.bus);
  const Cycle until = context.until;
  translations.keep_up();
  bool begins = left == Leave::Over;
  bool looked_up = left == Leave::Lookup;
  while (state.cycle < until) {
    Cycle end = until;
    if (is_instruction_address(state.pc, Bus::kL1Bytes)) {
      const u32 entry = translations.at(state.pc);
      // A turn may begin in the middle of a block; who jumps there often gets a block of its own.
      const u32 known = std::exchange(begins, false) ? kCompiled | kCovered : kCompiled;
      if ((entry & known) == 0 && translations.visit(state, bus.l1)) {
        for (const u32 line : translations.fresh_lines()) bus.mark_code(line);
        begins = true;
        continue;
      }
      if ((entry & (kCompiled | kCovered)) != 0) {
        if (std::exchange(looked_up, false) && (entry & kCompiled) != 0)
          translations.chain(state.pc, entry);
        context.budget = static_cast<i64>(until - state.cycle);
        const Leave leave = translations.enter(context, entry);
        if (!come_back<Bus>(context, leave)) return context.outcome;
        looked_up = leave == Leave::Lookup;
        continue;
      }
      end = std::min(until, state.cycle + kInterpreted);
    }
    looked_up = false;
    const Outcome outcome = riscv::run(state, bus, end);
    if (outcome != Outcome::Ok || bus.attention) return outcome;
  }
  return Outcome::Ok;
}

/// `context`: context_of this core.
template <class Bus>
[[gnu::always_inline]] inline Outcome run(Context& context, Translations& translations,
                                          Cycle until) {
  const CoreState& state = *context.state;
  context.until = until;
  context.instret_ahead = state.instret - state.cycle;
  if (!translations.can_resume(context, state.pc))
    return run_on<Bus>(context, translations, Leave::Over);
  context.budget = static_cast<i64>(until - state.cycle);
  const Leave leave = translations.resume(context);
  if (!come_back<Bus>(context, leave)) return context.outcome;
  return state.cycle < until ? run_on<Bus>(context, translations, leave) : Outcome::Ok;
}

}  // namespace bhemu::riscv::jit
