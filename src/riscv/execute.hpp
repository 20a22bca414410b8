// The interpreter: threaded code expanded from isa.def. Include this where `run` is instantiated
// for a Bus; core.hpp says what a Bus is.
//
// Registers, L1, the entry pointer and the remaining budget stay in locals. A handler that cannot
// finish inline calls its Cold twin. Vector loads and stores, and code at the very last word of L1,
// take slower ways.
#pragma once

#include <bit>
#include <cstring>

#include "base/check.hpp"
#include "numeric/riscv_float.hpp"
#include "riscv/execute_cold.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wgnu-label-as-value"
#endif

namespace bhemu::riscv {

/// Decodes the word at `pc` into the tile's table.
template <class Bus>
[[gnu::noinline]] void decode_at(Bus& bus, u32 pc) {
  u32 word;
  std::memcpy(&word, bus.l1 + pc, 4);
  bus.mark_code(pc);
  bus.decoded[pc / 4] = decode(word, pc);
}

/// Runs from `entries`, which is indexed by pc / 4, to cycle `end`. Returns early, with Ok, when
/// the bus wants attention, or before an instruction that `run` must look at.
// tidy: allow function-length: labels and locals must share one frame
template <class Bus>
Outcome run_entries(CoreState& state, Bus& bus, const Decoded* const entries, const Cycle end) {
  static const void* const kHandlers[kOps] = {
      &&handle_undecoded,
      &&handle_illegal,
      &&handle_bad_target,
#define RV(name, bits, extension, format, ...) &&handle_##name,
#include "riscv/isa.def"
#undef RV
  };
  u32* const x = state.x.data();
  u32* const f = state.f.data();
  u8* const l1 = bus.l1;
  u8* const ldm = state.ldm.data();
  const u8* const l1_flags = bus.l1_flags;
  const u32 ldm_size = bus.ldm_size;
  const u64 instret_ahead = state.instret - state.cycle;
  u64 budget = end - state.cycle;
  const Decoded* ip = entries + state.pc / 4;
  [[maybe_unused]] const Decoded* stop = nullptr;
  if constexpr (Bus::kRecord) stop = entries + bus.stop_pc / 4;
  Outcome outcome = Outcome::Ok;
  Cold<Bus> cold(state, bus);

#define BHEMU_DISPATCH goto* kHandlers[ip->op]
#define BHEMU_PC (static_cast<u32>(ip - entries) * 4)
// Counts the instruction, then goes on at `ip`.
#define BHEMU_CONTINUE             \
  do {                             \
    if (--budget == 0) goto leave; \
    if constexpr (Bus::kRecord) {  \
      if (ip == stop) goto leave;  \
    }                              \
    BHEMU_DISPATCH;                \
  } while (false)
#define BHEMU_NEXT  \
  do {              \
    ++ip;           \
    BHEMU_CONTINUE; \
  } while (false)
#define BHEMU_COLD(call)                         \
  do {                                           \
    state.pc = BHEMU_PC;                         \
    state.cycle = end - budget;                  \
    state.instret = state.cycle + instret_ahead; \
    outcome = cold.call;                         \
    goto after_cold;                             \
  } while (false)

  BHEMU_DISPATCH;

#include "riscv/handlers.hpp"

handle_undecoded : {
  const u32 pc = BHEMU_PC;
  if (pc >= Bus::kL1Bytes - 4) goto leave;  // run() executes the last word by itself, or faults
  decode_at(bus, pc);
  BHEMU_DISPATCH;
}
handle_illegal:
  BHEMU_COLD(illegal(static_cast<u32>(ip->imm)));
handle_bad_target:
  BHEMU_COLD(bad_target());

after_cold:
  if (outcome != Outcome::Ok) return outcome;
  ++state.cycle;
  ++state.instret;
  if (--budget == 0 || bus.attention || !is_instruction_address(state.pc, Bus::kL1Bytes))
    return Outcome::Ok;
  ip = entries + state.pc / 4;
  if constexpr (Bus::kRecord) {
    if (ip == stop) return Outcome::Ok;
  }
  BHEMU_DISPATCH;

leave:
  state.pc = BHEMU_PC;
  state.cycle = end - budget;
  state.instret = state.cycle + instret_ahead;
  return Outcome::Ok;

#undef BHEMU_COLD
#undef BHEMU_NEXT
#undef BHEMU_CONTINUE
#undef BHEMU_PC
#undef BHEMU_DISPATCH
}

/// The last word of L1 has no entry after it to fall into, so it never enters the table.
template <class Bus>
[[gnu::noinline]] Outcome run_last_word(CoreState& state, Bus& bus) {
  u32 word;
  std::memcpy(&word, bus.l1 + state.pc, 4);
  const Decoded entry = decode(word, state.pc);
  CHECK(entry.op != 0);
  const auto base = reinterpret_cast<std::uintptr_t>(&entry) - state.pc / 4 * sizeof(Decoded);
  return run_entries(state, bus, reinterpret_cast<const Decoded*>(base), state.cycle + 1);
}

template <class Bus>
Outcome run(CoreState& state, Bus& bus, Cycle until) {
  while (state.cycle < until) {
    Outcome outcome;
    if (!is_instruction_address(state.pc, Bus::kL1Bytes))
      outcome = Cold<Bus>(state, bus).bad_pc();
    else if (state.pc == Bus::kL1Bytes - 4)
      outcome = run_last_word(state, bus);
    else
      outcome = run_entries(state, bus, static_cast<const Decoded*>(bus.decoded), until);
    if (outcome != Outcome::Ok || bus.attention) return outcome;
    if constexpr (Bus::kRecord) {
      if (state.pc == bus.stop_pc) return outcome;
    }
  }
  return Outcome::Ok;
}

}  // namespace bhemu::riscv

#pragma GCC diagnostic pop
