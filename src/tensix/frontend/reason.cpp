// Why a thread does not advance, as data: for traces, reports and whoever counts waits.
#include "tensix/conditions.hpp"
#include "tensix/frontend/gate.hpp"
#include "tensix/frontend/waits.hpp"
#include "tensix/properties.hpp"
#include "tensix/timing.hpp"

namespace bhemu::tensix {
namespace {

using trace::Reason;
using trace::Wait;

Reason indexed(Wait wait, u32 index) {
  return {wait, static_cast<u16>(index)};
}

Reason reason_of_latch(const State& state, unsigned thread, Cycle now) {
  const LatchedWait& wait = state.frontend[thread].wait;
  if (wait.kind == WaitKind::Streamwait) return indexed(Wait::Stream, wait.stream_select);
  if (wait.kind == WaitKind::Semwait) {
    for (u32 i = 0; i < kSemaphores; ++i) {
      const Semaphore& semaphore = state.sync.semaphore[i];
      if (!bit(wait.semaphores, i)) continue;
      if (bit(wait.condition, 0) && semaphore.value == 0) return indexed(Wait::Semaphore, i);
      if (bit(wait.condition, 1) && semaphore.value >= semaphore.max)
        return indexed(Wait::SemaphoreRoom, i);
    }
    return {Wait::Latch};
  }
  // Bits 5 to 8 of a STALLWAIT's condition are about SrcA and SrcB (STALLWAIT.md).
  constexpr Wait kSources[4] = {Wait::SrcAFree, Wait::SrcBFree, Wait::SrcA, Wait::SrcB};
  const u32 unmet = unmet_conditions(state, thread, wait.condition, now);
  if (unmet == 0) return {Wait::Latch};
  if (bits(unmet, 7, 2) == 3) return {Wait::SrcAB};
  for (u32 i = 0; i < 4; ++i)
    if (bit(unmet, 5 + i)) return {kSources[i]};
  return indexed(Wait::Idle, unmet);
}

/// In the Full build a unit, or the thread's last instruction, can hold back the next one.
bool is_busy(const State& state, unsigned thread, u32 word, Cycle now) {
  const Decoded& decoded = kDecoded[opcode_of(word)];
  const BusyUnit unit = frontend::claim_of(decoded, word).unit;
  return frontend::is_taken(state, decoded, unit, thread, now) ||
         (decoded.unit == Unit::Xmov && state.mover.busy_until > now);
}

Reason reason_of_source(const State& state, u32 word) {
  const SourceNeeds needs = source_needs(word);
  const FpuState& fpu = state.fpu;
  const bool a = needs.a && !fpu.src_a.matrix_may_read();
  const bool b = needs.b && !fpu.src_b.matrix_may_read();
  if (a && b) return {Wait::SrcAB};
  if (a || b) return {a ? Wait::SrcA : Wait::SrcB};
  if (needs.a_free || needs.b_free) return {needs.a_free ? Wait::SrcAFree : Wait::SrcBFree};
  return {Wait::Unit};
}

}  // namespace

SourceNeeds source_needs(u32 word) {
  const Sources sources = properties_of(word).sources;
  SourceNeeds needs;
  needs.a = sources == Sources::A || sources == Sources::Both;
  needs.b = sources == Sources::B || sources == Sources::Both;
  const auto is_to_be_free = [&needs](u32 src) { (src != 0 ? needs.b_free : needs.a_free) = true; };
  switch (opcode_of(word)) {
    case op::UNPACR::kOpcode:
      is_to_be_free(bits(word, 23, 1));
      break;
    case op::UNPACR_NOP::kOpcode:
      is_to_be_free(op::UNPACR_NOP{word}.unpacker_select());
      break;
    case op::STOREIND::kOpcode: {
      const op::STOREIND insn{word};
      if (insn.mem_hier_sel() == 0 && insn.size_sel() == 0) is_to_be_free(insn.reg_size_sel());
      break;
    }
    default:
      break;
  }
  return needs;
}

Reason reason_of_wait(const State& state, unsigned thread, Cycle now, bool taken) {
  const Frontend& frontend = state.frontend[thread];
  const u32 word = frontend.gate_word;
  if (frontend.wait.kind != WaitKind::None && frontend::blocks(frontend.wait, word))
    return reason_of_latch(state, thread, now);
  const u32 owner = state.thcon.occupied_by;
  if (taken) return {Wait::Unit};
  if (info_of_word(word).unit == Unit::Thcon && owner != 0 && owner != thread + 1)
    return {Wait::Unit};
  if (is_busy(state, thread, word, now)) return {Wait::Unit};
  if (state.soft_reset != 0 && frontend::held_by_reset(state, word)) return {Wait::Reset};
  switch (opcode_of(word)) {
    case op::ATGETM::kOpcode:
      return indexed(Wait::Mutex, op::ATGETM{word}.mutex_index());
    case op::ATRELM::kOpcode:
      return indexed(Wait::Mutex, op::ATRELM{word}.mutex_index());
    case op::ATCAS::kOpcode:
    case op::ATINCGETPTR::kOpcode:
      return {Wait::Word};
    case op::STOREREG::kOpcode:
    case op::STOREIND::kOpcode:
      if (owner == thread + 1) return {Wait::TdmaRoom};
      return reason_of_source(state, word);
    case op::FLUSHDMA::kOpcode: {
      const u32 flushed = op::FLUSHDMA{word}.flush_spec();
      const u32 mask = flushed != 0 ? flushed : 0xFu;
      return indexed(Wait::Idle, unmet_conditions(state, thread, mask, now));
    }
    default:
      return reason_of_source(state, word);
  }
}

}  // namespace bhemu::tensix
