// Sync unit: semaphores, mutexes, and the latching of waits.
//
// Documents: tt-isa-documentation BlackholeA0 SyncUnit.md, STALLWAIT.md, SEMWAIT.md, STREAMWAIT.md,
// ATGETM.md, SEMPOST.md (ceiling 15, Max is only looked at by SEMWAIT).
#include "tensix/sync/sync.hpp"

#include <fmt/format.h>

#include "tensix/conditions.hpp"
#include "tensix/footprint/recorder.hpp"

namespace bhemu::tensix {
namespace {

constexpr u8 kCeiling = 15;
constexpr u16 kDefaultBlock = 1u << 6;
constexpr u16 kDefaultCondition = 0x0F;

void latch(Context& context, LatchedWait wait, u32 block) {
  wait.block = static_cast<u16>(block != 0 ? block : kDefaultBlock);
  wait.word = context.word;
  context.state.frontend[context.thread].wait = wait;
}

/// The high bits of what STREAMWAIT waits for.
template <class C>
u32 target_high(const C& context, op::STREAMWAIT insn) {
  const auto& words = context.thread_config();
  return insn.target_sel() == 0 ? thread_cfg::STREAMWAIT_PHASE_HI_Val::get(words)
                                : thread_cfg::STREAMWAIT_NUM_MSGS_HI_Val::get(words);
}

bool mutex_exists(u32 index) {
  return index == 0 || (index >= 2 && index <= 4);
}

}  // namespace

void post_semaphore(Semaphore& semaphore) {
  if (semaphore.value < kCeiling) ++semaphore.value;
}
void get_semaphore(Semaphore& semaphore) {
  if (semaphore.value > 0) --semaphore.value;
}

Completion execute(Context& context, op::STALLWAIT insn) {
  LatchedWait wait;
  wait.kind = WaitKind::Stallwait;
  // Bits 13 and 14 of the field mean nothing (spec-corrections: the mask has 13 bits).
  const u32 condition = bits(insn.wait_res(), 0, 13);
  wait.condition = static_cast<u16>(condition != 0 ? condition : kDefaultCondition);
  latch(context, wait, insn.stall_res());
  return Completion::Done;
}

Completion execute(Context& context, op::SEMWAIT insn) {
  LatchedWait wait;
  if (insn.wait_sem_cond() == 0) {  // behaves as STALLWAIT does then
    wait.kind = WaitKind::Stallwait;
    wait.condition = kDefaultCondition;
    latch(context, wait, insn.stall_res());
    return Completion::Done;
  }
  wait.kind = WaitKind::Semwait;
  wait.condition = static_cast<u16>(insn.wait_sem_cond());
  wait.semaphores = static_cast<u8>(insn.sem_sel());
  latch(context, wait, insn.stall_res());
  return Completion::Done;
}

Completion execute(Context& context, op::STREAMWAIT insn) {
  if (context.env.registers == nullptr) {
    context.raise(Rule::TensixUnsupported, "STREAMWAIT without stream registers");
    return Completion::Done;
  }
  const u32 high = target_high(context, insn);
  LatchedWait wait;
  wait.kind = WaitKind::Streamwait;
  wait.condition = static_cast<u16>(1u << insn.target_sel());
  wait.stream_select = static_cast<u16>(insn.wait_stream_sel() & 3);
  wait.target = high << 10 | bits(insn.target_value(), 0, 10);
  latch(context, wait, insn.stall_res());
  return Completion::Done;
}

Completion execute(Context& context, op::SEMINIT insn) {
  context.touch(Resource::Semaphore);
  for (u32 i = 0; i < kSemaphores; ++i) {
    if (!bit(insn.sem_sel(), i)) continue;
    context.state.sync.semaphore[i] = {static_cast<u8>(insn.init_value()),
                                       static_cast<u8>(insn.max_value())};
    context.state.semaphore_use[i] = {};
  }
  return Completion::Done;
}

Completion execute(Context& context, op::SEMPOST insn) {
  context.touch(Resource::Semaphore);
  for (u32 i = 0; i < kSemaphores; ++i) {
    if (!bit(insn.sem_sel(), i)) continue;
    Semaphore& semaphore = context.state.sync.semaphore[i];
    const Semaphore before = semaphore;
    post_semaphore(semaphore);
    ++context.state.semaphore_use[i].posted[context.thread];
    if (before.value >= kCeiling) {
      context.raise(Rule::TensixSemaphoreAtCeiling,
                    fmt::format("SEMPOST: semaphore {} is at 15 and stays there", i));
    } else if (before.value >= before.max) {
      context.raise(Rule::TensixSemaphoreOverMax,
                    fmt::format("SEMPOST takes semaphore {} to {}, its maximum is {}", i,
                                semaphore.value, semaphore.max));
    }
  }
  return Completion::Done;
}

Completion execute(Context& context, op::SEMGET insn) {
  context.touch(Resource::Semaphore);
  for (u32 i = 0; i < kSemaphores; ++i) {
    if (!bit(insn.sem_sel(), i)) continue;
    Semaphore& semaphore = context.state.sync.semaphore[i];
    if (semaphore.value == 0) {
      context.raise(Rule::TensixSemaphoreAtCeiling,
                    fmt::format("SEMGET: semaphore {} is at 0 and stays there", i));
    }
    get_semaphore(semaphore);
    ++context.state.semaphore_use[i].taken[context.thread];
  }
  return Completion::Done;
}

Completion execute(Context& context, op::ATGETM insn) {
  const u32 index = insn.mutex_index();
  if (!mutex_exists(index)) {
    // Silicon waits for ever; so does the thread when the rule is not an error.
    context.raise(Rule::TensixMutexIndex, fmt::format("ATGETM of mutex {}", index));
    return Completion::Stall;
  }
  u8& holder = context.state.sync.mutex[index];
  if (holder != kNobody && holder != context.thread) return Completion::Stall;
  holder = static_cast<u8>(context.thread);
  return Completion::Done;
}

// Threads take their turn in the order 0, 1, 2, so a mutex released by thread i goes to thread
// (i + 1) % 3 when both others wait for it, as ATRELM.md demands.
Completion execute(Context& context, op::ATRELM insn) {
  const u32 index = insn.mutex_index();
  if (!mutex_exists(index)) {
    context.raise(Rule::TensixMutexIndex, fmt::format("ATRELM of mutex {}", index));
    return Completion::Stall;
  }
  u8& holder = context.state.sync.mutex[index];
  if (holder != context.thread) {
    context.raise(Rule::TensixMutexNotHeld,
                  holder == kNobody
                      ? fmt::format("ATRELM of mutex {}, which nobody holds", index)
                      : fmt::format("ATRELM of mutex {}, which thread {} holds", index, holder));
    return Completion::Done;
  }
  holder = kNobody;
  return Completion::Done;
}

// --- Footprints. Of those that wait: what they latch, and what the gate then looks at.

namespace {
void note_semaphores(const Footprint& print, Access access, u32 mask) {
  for (u32 i = 0; i < kSemaphores; ++i)
    if (bit(mask, i)) print.note(access, Space::Semaphore, i);
}
void note_mutex(const Footprint& print, u32 index) {
  if (mutex_exists(index)) print.update(Space::Mutex, index);
}
}  // namespace

void footprint(const Footprint& print, op::STALLWAIT insn) {
  const u32 condition = bits(insn.wait_res(), 0, 13);
  print.write(Space::WaitGate, print.thread);
  note_conditions(print, condition != 0 ? condition : kDefaultCondition);
}
void footprint(const Footprint& print, op::SEMWAIT insn) {
  print.write(Space::WaitGate, print.thread);
  if (insn.wait_sem_cond() == 0) return note_conditions(print, kDefaultCondition);
  note_semaphores(print, Access::Read, insn.sem_sel());
}
void footprint(const Footprint& print, op::STREAMWAIT insn) {
  print.write(Space::WaitGate, print.thread);
  target_high(print, insn);
  const u32 index = insn.target_sel() == 0 ? kStreamCurrentPhase : kStreamMessagesReceived;
  print.note_register(
      Access::Read, stream_register_address(print.thread_config(), insn.wait_stream_sel(), index));
}
void footprint(const Footprint& print, op::SEMINIT insn) {
  note_semaphores(print, Access::Write, insn.sem_sel());
}
void footprint(const Footprint& print, op::SEMPOST insn) {
  note_semaphores(print, Access::ReadWrite, insn.sem_sel());
}
void footprint(const Footprint& print, op::SEMGET insn) {
  note_semaphores(print, Access::ReadWrite, insn.sem_sel());
}
void footprint(const Footprint& print, op::ATGETM insn) {
  note_mutex(print, insn.mutex_index());
}
void footprint(const Footprint& print, op::ATRELM insn) {
  note_mutex(print, insn.mutex_index());
}

}  // namespace bhemu::tensix
