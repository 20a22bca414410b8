// The interpreter: threaded code expanded from isa.def. Include this where `run` is instantiated
// for a Bus; core.hpp says what a Bus is.
//
// Registers, L1, the entry pointer and the remaining budget stay in locals. A handler that cannot
// finish inline calls its Cold twin. Vector loads and stores take slower ways.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "numeric/riscv_float.hpp"
#include "riscv/execute_cold.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wgnu-label-as-value"
#endif

namespace bhemu::riscv {

/// The bus has load_at_once and store_at_once, which are of no use to one that records.
template <class Bus>
inline constexpr bool kAtOnce = !Bus::kRecord && requires(Bus & bus, u32& value) {
  bus.load_at_once(0, value, Cycle{});
  bus.store_at_once(0, 0, 0, Cycle{});
};

/// The bus may want to leave at heads of loops.
template <class Bus>
inline constexpr bool kStopsAtHeads = requires(Bus& bus) {
  bus.stop_at_head(0, Cycle{});
};

/// Runs to cycle `end`. Returns early, with Ok, when the bus wants attention, or when the pc has
/// left L1.
// tidy: allow function-length: labels and locals must share one frame
template <class Bus>
Outcome run_entries(CoreState& state, Bus& bus, const Cycle end) {
  static const void* const kHandlers[kOps] = {
      &&handle_undecoded, &&handle_illegal,   &&handle_bad_target,
      &&handle_next_line, &&handle_loop_head, &&handle_clear_words,
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
  CodeTable code = bus.code;
  const Decoded* line;  // of the words of the line at line_pc
  u32 line_pc;
  const Decoded* ip;
  [[maybe_unused]] const Decoded* stop = nullptr;
  Outcome outcome = Outcome::Ok;
  Cold<Bus> cold(state, bus);

#define BHEMU_DISPATCH goto* kHandlers[ip->op]
#define BHEMU_PC (line_pc + static_cast<u32>(ip - line) * 4)
#define BHEMU_ENTER(target)                                               \
  do {                                                                    \
    const u32 to = target;                                                \
    line = code.blocks + code.places[to / kLineBytes] * kLineStride;      \
    line_pc = to & ~(kLineBytes - 1);                                     \
    ip = line + to % kLineBytes / 4;                                      \
    if constexpr (Bus::kRecord) { /* an instruction address, or beyond */ \
      const u32 ahead = bus.stop_pc - line_pc;                            \
      stop = ahead <= kLineBytes ? line + ahead / 4 : nullptr;            \
    }                                                                     \
  } while (false)
// So many entries away, most often in the same line.
#define BHEMU_GO(away)                                 \
  do {                                                 \
    const i64 at = (ip - line) + i64{away};            \
    if (static_cast<u64>(at) < kLineWords)             \
      ip = line + at;                                  \
    else                                               \
      BHEMU_ENTER(line_pc + static_cast<u32>(at) * 4); \
  } while (false)
// Counts the instruction, then goes on at `ip`.
#define BHEMU_CONTINUE             \
  do {                             \
    if (--budget == 0) goto leave; \
    if constexpr (Bus::kRecord) {  \
      if (ip == stop) goto leave;  \
    }                              \
    BHEMU_DISPATCH;                \
  } while (false)
// Behind an access that was told of: whoever was told may want to leave, not to go on.
#define BHEMU_NEXT_IF_WANTED \
  do {                       \
    if (bus.attention) {     \
      ++ip;                  \
      --budget;              \
      goto leave;            \
    }                        \
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

  BHEMU_ENTER(state.pc);
  BHEMU_DISPATCH;

#include "riscv/handlers.hpp"

handle_undecoded : {
  const u32 pc = BHEMU_PC;
  if (pc >= Bus::kL1Bytes) goto leave;  // run() faults
  bus.decode(pc);
  code = bus.code;
  BHEMU_ENTER(pc);
  BHEMU_DISPATCH;
}
handle_next_line : {
  const u32 pc = line_pc + kLineBytes;
  if (pc >= Bus::kL1Bytes) goto leave;
  BHEMU_ENTER(pc);
  BHEMU_DISPATCH;
}
handle_loop_head:
  if constexpr (kStopsAtHeads<Bus>) {
    if (bus.stop_at_head(BHEMU_PC, end - budget)) goto leave;
  }
  goto* kHandlers[reinterpret_cast<const u8*>(line + kOwnOps)[ip - line]];
handle_clear_words:
  if constexpr (!Bus::kRecord) {
    const u32 count = ip->rd;
    const i32 lowest = std::min(ip[0].imm, ip[count - 1].imm);
    const u32 at = x[ip->rs1] + static_cast<u32>(lowest) - kLdmBase;
    // Nobody else acts before `end`, so in which order they are cleared makes no difference.
    if (at % 4 == 0 && at < ldm_size && ldm_size - at >= 4 * count && budget > count) {
      std::memset(ldm + at, 0, 8);
      std::memset(ldm + at + 4 * count - 8, 0, 8);
      ip += count;
      budget -= count;
      BHEMU_DISPATCH;
    }
  }
  goto handle_sw;
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
  // The call may have changed this very line.
  code = bus.code;
  BHEMU_ENTER(state.pc);
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
#undef BHEMU_NEXT_IF_WANTED
#undef BHEMU_CONTINUE
#undef BHEMU_GO
#undef BHEMU_ENTER
#undef BHEMU_PC
#undef BHEMU_DISPATCH
}

template <class Bus>
Outcome run(CoreState& state, Bus& bus, Cycle until) {
  while (state.cycle < until) {
    Outcome outcome;
    if (!is_instruction_address(state.pc, Bus::kL1Bytes))
      outcome = Cold<Bus>(state, bus).bad_pc();
    else
      outcome = run_entries(state, bus, until);
    if (outcome != Outcome::Ok || bus.attention) return outcome;
    if constexpr (Bus::kRecord) {
      if (state.pc == bus.stop_pc) return outcome;
    }
  }
  return Outcome::Ok;
}

}  // namespace bhemu::riscv

#pragma GCC diagnostic pop
