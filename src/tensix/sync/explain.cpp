// Why a thread does not advance, in words: the wait-for graph's edges for the hang report.
#include <fmt/format.h>

#include "tensix/disasm.hpp"
#include "tensix/frontend/frontend.hpp"
#include "tensix/frontend/gate.hpp"
#include "tensix/sync/sync.hpp"

namespace bhemu::tensix {
namespace {

struct ConditionText {
  const char* until;
  const char* who;
};
constexpr ConditionText kConditions[13] = {
    {"the scalar unit has no request outstanding", "the scalar unit"},
    {"unpacker 0 is idle", "unpacker 0"},
    {"unpacker 1 is idle", "unpacker 1"},
    {"the packer is idle", "the packer"},
    {"the matrix unit is idle", "the matrix unit"},
    {"SrcA is free for the unpacker",
     "the thread whose matrix instruction clears data valid of SrcA (CLEARDVALID, SETRWC)"},
    {"SrcB is free for the unpacker",
     "the thread whose matrix instruction clears data valid of SrcB (CLEARDVALID, SETRWC)"},
    {"SrcA is valid", "the thread that unpacks to SrcA (UNPACR, UNPACR_NOP or SETDVALID)"},
    {"SrcB is valid", "the thread that unpacks to SrcB (UNPACR, UNPACR_NOP or SETDVALID)"},
    {"the mover is idle", "the mover"},
    {"the core's configuration writes have arrived", "the TRISC"},
    {"the vector unit is idle", "the vector unit"},
    {"the configuration unit is idle", "the configuration unit"},
};

void append(std::string& list, const std::string& item, const char* separator) {
  if (!list.empty()) list += separator;
  list += item;
}

/// Which threads have an instruction on its way that would change semaphore `index`.
std::string posters(const State& state, u32 index, u8 opcode) {
  std::string found;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const Frontend& frontend = state.frontend[thread];
    const auto matches = [&](u32 word) {
      return opcode_of(word) == opcode && bit(word, 2 + index);
    };
    bool on_its_way = frontend.gate_full && matches(frontend.gate_word);
    for (u32 i = 0; i < frontend.fifo.size(); ++i)
      on_its_way = on_its_way || matches(frontend.fifo[i].word);
    for (u32 i = 0; i < frontend.behind_mop.size(); ++i)
      on_its_way = on_its_way || matches(frontend.behind_mop[i].word);
    for (u32 i = 0; i < frontend.brisc_fifo.size(); ++i)
      on_its_way = on_its_way || matches(frontend.brisc_fifo[i].word);
    if (on_its_way) append(found, fmt::format("thread {}", thread), ", ");
  }
  return found;
}

std::string releaser(const State& state, u32 index, bool by_post) {
  const char* name = by_post ? "SEMPOST" : "SEMGET";
  const std::string queued =
      posters(state, index, by_post ? op::SEMPOST::kOpcode : op::SEMGET::kOpcode);
  if (!queued.empty()) return fmt::format("{} of semaphore {} queued in {}", name, index, queued);
  return fmt::format("a thread's {} of semaphore {}, or a TRISC's write to {:#x}; none is queued",
                     name, index, 0xFFE80020u + index * 4);
}

void explain_latch(const State& state, unsigned thread, Cycle now, ThreadWait& result) {
  const LatchedWait& wait = state.frontend[thread].wait;
  if (wait.kind == WaitKind::Stallwait) {
    const u32 unmet = frontend::unmet_conditions(state, thread, wait.condition, now);
    std::string until;
    for (u32 i = 0; i < 13; ++i) {
      if (!bit(unmet, i)) continue;
      append(until, kConditions[i].until, " and ");
      append(result.who, kConditions[i].who, "; ");
    }
    if (until.empty()) until = "the wait is lifted in the next cycle";
    result.what = fmt::format("STALLWAIT until {}", until);
    return;
  }
  if (wait.kind == WaitKind::Streamwait) {
    result.what = fmt::format("STREAMWAIT until {} of stream select {} reaches {}",
                              bit(wait.condition, 0) ? "the phase" : "the message count",
                              wait.stream_select, wait.target);
    result.who = "whoever writes that stream register";
    return;
  }
  std::string until;
  for (u32 i = 0; i < kSemaphores; ++i) {
    if (!bit(wait.semaphores, i)) continue;
    const Semaphore& semaphore = state.sync.semaphore[i];
    if (bit(wait.condition, 0) && semaphore.value == 0) {
      append(until, fmt::format("semaphore {} is not 0", i), " and ");
      append(result.who, releaser(state, i, true), "; ");
    }
    if (bit(wait.condition, 1) && semaphore.value >= semaphore.max) {
      append(until,
             fmt::format("semaphore {} (value {}) is below its maximum {}", i, semaphore.value,
                         semaphore.max),
             " and ");
      append(result.who, releaser(state, i, false), "; ");
    }
  }
  if (until.empty()) until = "the wait is lifted in the next cycle";
  result.what = fmt::format("SEMWAIT until {}", until);
}

void explain_mutex(const State& state, u32 index, ThreadWait& result) {
  const u8 holder = index < kMutexes ? state.sync.mutex[index] : kNobody;
  if (holder == kNobody) {
    result.what = fmt::format("ATGETM of mutex {}, which does not exist", index);
    result.who = "nobody";
    return;
  }
  result.what = fmt::format("ATGETM until mutex {} is free", index);
  result.who = fmt::format("thread {} holds it and releases it by ATRELM", holder);
}

void explain_source(const State& state, u32 word, ThreadWait& result) {
  const FpuState& fpu = state.fpu;
  const Unit unit = info_of_word(word).unit;
  std::string what;
  if (unit == Unit::Fpu) {
    if (!fpu.src_a.matrix_may_read()) append(what, "SrcA to be valid", " and ");
    if (!fpu.src_b.matrix_may_read()) append(what, "SrcB to be valid", " and ");
    result.who = "the thread that unpacks (UNPACR, UNPACR_NOP or SETDVALID)";
  } else {
    const SrcFile& file = unit == Unit::Unpack && bit(word, 23) ? fpu.src_b : fpu.src_a;
    if (!file.unpacker_may_write())
      append(what, bit(word, 23) ? "SrcB to be free" : "SrcA to be free", " and ");
    result.who = "the thread whose matrix instructions consume it (data valid cleared)";
  }
  if (what.empty()) {
    what = "its unit";
    result.who = "the unit";
  }
  result.what = fmt::format("{} waits for {}", info_of_word(word).name, what);
}

/// The cycle from which the unit takes another instruction (Full build).
Cycle unit_free_at(const State& state, u32 word) {
  const Decoded& decoded = kDecoded[opcode_of(word)];
  const u32 second = decoded.unit == Unit::Unpack ? bits(word, 23, 1) : 0;
  return decoded.accept == 0 ? 0 : state.taken_until[static_cast<u32>(decoded.busy) + second];
}

void explain_gate(const State& state, unsigned thread, ThreadWait& result) {
  const u32 word = state.frontend[thread].gate_word;
  const char* name = info_of_word(word).name;
  const u32 owner = state.thcon.occupied_by;
  switch (opcode_of(word)) {
    case op::ATGETM::kOpcode:
      return explain_mutex(state, op::ATGETM{word}.mutex_index(), result);
    case op::ATCAS::kOpcode:
    case op::ATINCGETPTR::kOpcode:
      result.what = fmt::format("{} waits for a word in L1", name);
      result.who = "whoever writes that word";
      return;
    default:
      break;
  }
  if (state.soft_reset != 0 && frontend::held_by_reset(state, word)) {
    result.what = fmt::format("{}: its unit is held in soft reset", name);
    result.who = "whoever clears the bit in SOFT_RESET_0";
  } else if (info_of_word(word).unit == Unit::Thcon && owner != 0 && owner != thread + 1) {
    result.what = fmt::format("{} waits for the scalar unit", name);
    result.who = fmt::format("thread {}, whose waiting instruction occupies it", owner - 1);
  } else if (state.held_until[thread] > state.now) {
    result.what = fmt::format("{} waits until the thread's last instruction is done, in cycle {}",
                              name, state.held_until[thread]);
    result.who = "the scalar unit";
  } else if (const Cycle free_at = unit_free_at(state, word); free_at > state.now) {
    result.what = fmt::format("{} waits for its unit, which is free in cycle {}", name, free_at);
    result.who = "the unit";
  } else {
    explain_source(state, word, result);
  }
}

}  // namespace

ThreadWait explain_wait(const State& state, unsigned thread, Cycle now) {
  const Frontend& frontend = state.frontend[thread];
  ThreadWait result;
  result.instruction = frontend.gate_full ? frontend.gate_word : 0;
  if (frontend.stopped) {
    result.waiting = true;
    result.what = fmt::format("stopped by a fault at {}", disassemble(frontend.gate_word));
    result.who = "nobody";
    return result;
  }
  if (!frontend.gate_full) {
    result.idle = frontend::empty(frontend);
    return result;
  }
  result.waiting = true;
  const LatchedWait& wait = frontend.wait;
  if (wait.kind != WaitKind::None && frontend::blocks(wait, frontend.gate_word)) {
    explain_latch(state, thread, now, result);
    result.what += fmt::format(", before {}", disassemble(frontend.gate_word));
  } else {
    explain_gate(state, thread, result);
  }
  return result;
}

}  // namespace bhemu::tensix
