// Why a thread does not advance, as data (base/wait.hpp).
#include "tensix/frontend/waits.hpp"
#include "base/bits.hpp"
#include "tensix/conditions.hpp"
#include "tensix/frontend/frontend.hpp"
#include "tensix/frontend/gate.hpp"

namespace bhemu::tensix {
namespace {

/// Threads that have an instruction on its way that would change semaphore `index`.
u32 posters(const State& state, u32 index, u8 opcode) {
  u32 found = 0;
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
    if (on_its_way) found |= bit_of(agent_of_thread(thread));
  }
  return found;
}

Wait wait_for(Awaited kind, u32 index = 0) {
  Wait wait;
  wait.kind = kind;
  wait.index = index;
  return wait;
}

Wait wait_for_semaphore(const State& state, u32 index, bool post) {
  const Semaphore& semaphore = state.sync.semaphore[index];
  Wait wait = wait_for(Awaited::Semaphore, index);
  wait.value = semaphore.value;
  wait.until = post ? Until::NotEqual : Until::Less;
  wait.wanted = post ? 0 : semaphore.max;
  wait.holders = posters(state, index, post ? op::SEMPOST::kOpcode : op::SEMGET::kOpcode);
  return wait;
}

void find_latched(const State& state, unsigned thread, Cycle now, Waits& result) {
  const LatchedWait& wait = state.frontend[thread].wait;
  result.by = wait.word;
  if (wait.kind == WaitKind::Stallwait) {
    const u32 unmet = unmet_conditions(state, thread, wait.condition, now);
    for (u32 i = 0; i < 13; ++i)
      if (bit(unmet, i)) result.all.push_back(wait_for(Awaited::Condition, i));
  } else if (wait.kind == WaitKind::Streamwait) {
    Wait one = wait_for(bit(wait.condition, 0) ? Awaited::StreamPhase : Awaited::StreamMessages,
                        wait.stream_select);
    one.until = Until::AtLeast;
    one.wanted = wait.target;
    result.all.push_back(one);
  } else {
    for (u32 i = 0; i < kSemaphores; ++i) {
      if (!bit(wait.semaphores, i)) continue;
      const Semaphore& semaphore = state.sync.semaphore[i];
      if (bit(wait.condition, 0) && semaphore.value == 0)
        result.all.push_back(wait_for_semaphore(state, i, true));
      if (bit(wait.condition, 1) && semaphore.value >= semaphore.max)
        result.all.push_back(wait_for_semaphore(state, i, false));
    }
  }
  if (result.all.empty()) result.all.push_back(wait_for(Awaited::Lifted));
}

Wait wait_for_mutex(const State& state, u32 index) {
  Wait wait = wait_for(Awaited::Mutex, index);
  const u8 holder = index < kMutexes ? state.sync.mutex[index] : kNobody;
  if (holder != kNobody) wait.holders = bit_of(agent_of_thread(holder));
  return wait;
}

void find_source(const State& state, u32 word, Waits& result) {
  const FpuState& fpu = state.fpu;
  const SourceNeeds needs = source_needs(word);
  const auto add = [&](bool needed, Awaited kind, u32 index) {
    if (needed) result.all.push_back(wait_for(kind, index));
  };
  add(needs.a && !fpu.src_a.matrix_may_read(), Awaited::SourceValid, 0);
  add(needs.b && !fpu.src_b.matrix_may_read(), Awaited::SourceValid, 1);
  // An UNPACR_NOP that clears waits for the matrix unit's bank, not for one of its own.
  add(needs.a_free, Awaited::SourceFree, 0);
  add(needs.b_free, Awaited::SourceFree, 1);
  if (result.all.empty()) result.all.push_back(wait_for(Awaited::UnitFree));
}

/// The cycle from which the unit takes another instruction (Full build).
Cycle unit_free_at(const State& state, u32 word) {
  const Decoded& decoded = kDecoded[opcode_of(word)];
  const u32 second = decoded.unit == Unit::Unpack ? bits(word, 23, 1) : 0;
  if (decoded.unit == Unit::Xmov) return state.mover.busy_until;
  return decoded.accept == 0 ? 0 : state.taken_until[static_cast<u32>(decoded.busy) + second];
}

void find_at_gate(const State& state, unsigned thread, bool taken, Waits& result) {
  const u32 word = state.frontend[thread].gate_word;
  result.by = word;
  const u32 owner = state.thcon.occupied_by;
  Wait wait;
  if (taken) {
    wait = wait_for(Awaited::UnitFree);
    wait.since = state.now + 1;
  } else if (opcode_of(word) == op::ATGETM::kOpcode) {
    wait = wait_for_mutex(state, op::ATGETM{word}.mutex_index());
  } else if (opcode_of(word) == op::ATCAS::kOpcode || opcode_of(word) == op::ATINCGETPTR::kOpcode) {
    wait = wait_for(Awaited::ComparedWord);
    const op::ATCAS insn{word};  // both have the register and the word's place in the same bits
    const u32 offset = opcode_of(word) == op::ATCAS::kOpcode ? insn.sel32b() * 4 : 0;
    wait.address = u64{state.thcon.gpr[thread][insn.addr_reg_index()]} * 16 + offset;
    wait.until = Until::Changes;
  } else if (state.soft_reset != 0 && frontend::held_by_reset(state, word)) {
    wait = wait_for(Awaited::SoftReset);
  } else if (info_of_word(word).unit == Unit::Thcon && owner != 0 && owner != thread + 1) {
    wait = wait_for(Awaited::ScalarUnit, owner - 1);
    wait.holders = bit_of(agent_of_thread(owner - 1));
  } else if (owner == thread + 1 && (opcode_of(word) == op::STOREREG::kOpcode ||
                                     opcode_of(word) == op::STOREIND::kOpcode)) {
    wait = wait_for_tdma_room(state);  // stores wait in the unit for nothing else
  } else if (state.held_until[thread] > state.now) {
    wait = wait_for(Awaited::LastInstruction, thread);
    wait.since = state.held_until[thread];
  } else if (const Cycle free_at = unit_free_at(state, word); free_at > state.now) {
    wait = wait_for(Awaited::UnitFree);
    wait.since = free_at;
  } else {
    return find_source(state, word, result);
  }
  result.all.push_back(wait);
}

}  // namespace

Wait wait_for_tdma_room(const State& state) {
  Wait wait = wait_for(Awaited::TdmaRoom);
  wait.until = Until::Less;
  wait.value = state.flights.commands.count;
  wait.wanted = TdmaQueue::kCapacity;
  wait.since = state.mover.busy_until;
  return wait;
}

Waits waits_of(const State& state, unsigned thread, Cycle now, bool taken) {
  const Frontend& frontend = state.frontend[thread];
  Waits result;
  result.word = frontend.gate_full ? frontend.gate_word : 0;
  if (frontend.stopped) {
    result.waiting = true;
    result.by = frontend.gate_word;
    result.all.push_back(wait_for(Awaited::Fault));
    return result;
  }
  if (!frontend.gate_full) {
    result.idle = frontend::empty(frontend);
    return result;
  }
  result.waiting = true;
  const LatchedWait& wait = frontend.wait;
  if (wait.kind != WaitKind::None && frontend::blocks(wait, frontend.gate_word))
    find_latched(state, thread, now, result);
  else
    find_at_gate(state, thread, taken, result);
  return result;
}

}  // namespace bhemu::tensix
