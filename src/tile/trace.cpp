// What a trace is told of a tile.
#include <cstring>

#include "tile/follow.hpp"

namespace bhemu::tile {
namespace {

trace::MemoryUse memory_use(const riscv::Effect& effect, u32 loaded, u32 after) {
  trace::MemoryUse use;
  use.load = effect.reach == riscv::Reach::Load || effect.reach == riscv::Reach::Atomic;
  use.store = effect.reach == riscv::Reach::Store || effect.reach == riscv::Reach::Atomic;
  if (!use.load && !use.store) return use;
  use.size = effect.size;
  use.address = effect.address;
  if (use.load) use.loaded = loaded;
  if (use.store) use.stored = use.load ? after : effect.stored;
  return use;
}

}  // namespace

void Follower::trace_step(const Step& step) {
  trace::Port& port = *env_.trace;
  const riscv::Effect& effect = step.effect;
  trace::Retired retired{step.pc,
                         step.word,
                         static_cast<trace::RegisterFile>(effect.destination),
                         effect.reg,
                         riscv::value_of(env_.cores[step.core], effect),
                         {}};
  const bool atomic = effect.reach == riscv::Reach::Atomic;
  const u32 after = atomic && env_.l1.has(effect.address, 4) ? env_.l1.read32(effect.address) : 0;
  retired.memory = memory_use(effect, retired.value, after);
  if (effect.destination == riscv::Destination::Integer && effect.reg == 0) {
    retired.file = trace::RegisterFile::None;
    retired.value = 0;
  }
  if (step.vector) {
    port.end_repeats(step.core);
    trace_vector(step.core, step.pc, *step.vector);
  }
  if (port.wants(trace::What::Tensix))
    if (const auto thread = thread_pushed_to(step.core, effect))
      port.add(step.cycle, agent(step.core),
               trace::Pushed{static_cast<u8>(*thread), pushed_word(step.word, effect)});
  port.retired(step.mark, step.core, step.cycle, retired);
  port.end_stall(step.mark, step.core, step.cycle, step.pc);
}

void Follower::trace_vector(unsigned core, u32 pc, const riscv::VectorAccess& access) {
  const riscv::CoreState& state = env_.cores[core];
  for (u32 i = 0; i < access.count; ++i) {
    const riscv::VectorAccess::Element& element = access.element[i];
    if (access.fault_only_first && element.index >= state.csr.vl) break;
    trace::VectorElement event{pc, element.index, {}};
    event.memory.load = !access.store;
    event.memory.store = access.store;
    event.memory.size = access.bytes;
    event.memory.address = element.address;
    u32& value = access.store ? event.memory.stored : event.memory.loaded;
    std::memcpy(&value, &state.v.reg[element.reg][element.offset], access.bytes);
    env_.trace->add(state.cycle - 1, agent(core), event);
  }
}

void Follower::blocked(unsigned core, Waits waits) {
  trace::Port::Stall& stall = env_.trace->stall(core);
  const riscv::CoreState& state = env_.cores[core];
  stall = {true, state.cycle, {wait_of(env_.slots[core].block), 0}};
  if (waits.all.empty()) {
    Wait wait;
    wait.kind = Awaited::Debugger;
    wait.other = 1;
    waits.all.push_back(wait);
  }
  stall.reason.index = static_cast<u16>(waits.all.front().index);
  env_.trace->add(state.cycle, agent(core),
                  trace::StallBegin{state.pc, stall.reason, kNever, std::move(waits)});
}

/// A core whose access waits when the trace begins: the end of that will be told.
void Follower::open_stalls() {
  for (unsigned core = 0; core < kCores; ++core)
    if (env_.slots[core].status == CoreStatus::Blocked && !env_.trace->stall(core).open)
      env_.trace->stall(core) = {true, kNever};
}

void Follower::trace_reset(unsigned core, bool held, Cycle at) {
  const riscv::CoreState& state = env_.cores[core];
  if (held && env_.slots[core].status == CoreStatus::Reset) return;
  env_.trace->end_repeats(core);
  env_.trace->stall(core) = {};
  // The core may have been ahead of the one that holds it, in the same turn.
  at = held ? std::max(at, state.cycle) : state.cycle;
  env_.trace->add(at, agent(core), trace::ResetChanged{held, state.pc});
}

void Follower::interrupted(unsigned core, u32 handler) {
  const riscv::CoreState& state = env_.cores[core];
  if (env_.trace != nullptr)
    env_.trace->add(state.cycle, agent(core), trace::Interrupted{state.pc, handler});
  if (env_.observer != nullptr)
    env_.observer->interrupted(core, handler, {agent(core), state.pc, state.cycle, env_.node});
}

void Follower::trace_queue(unsigned core, trace::Queue queue, bool push, unsigned from, unsigned to,
                           u32 value, Cycle now) {
  env_.trace->add(
      now, agent(core),
      trace::QueueMoved{queue, push, static_cast<CoreId>(from), static_cast<CoreId>(to), value});
}

void Follower::trace_semaphore(unsigned core, u32 semaphore, u32 before, Cycle now) {
  const u32 after = env_.coprocessor->read_semaphore(semaphore);
  const u32 max = env_.coprocessor->semaphore_max(semaphore);
  if (after == before) return;
  env_.trace->add(now, agent(core),
                  trace::SemaphoreChanged{static_cast<u8>(semaphore), static_cast<u8>(before),
                                          static_cast<u8>(after), static_cast<u8>(max)});
}

void Follower::tell_stream(u32 stream, const noc::StreamState& before,
                           const noc::StreamState& after, const Author& author) {
  const std::span rows(noc::stream_registers(), noc::stream_register_count());
  for (const noc::StreamRegisterInfo& row : rows) {
    if (!noc::StreamFile::shows(stream, row)) continue;
    for (u32 i = 0; i < row.count; ++i) {
      const u32 was = before[row.slot + i];
      const u32 is = after[row.slot + i];
      if (was == is) continue;
      const u32 index = row.index + i;
      if (env_.observer != nullptr)
        env_.observer->changed({author, trace::Object::Stream, trace::ObjectChange::How::Set,
                                stream << 10 | index, was, is});
      if (env_.trace != nullptr)
        env_.trace->add(author.cycle, author.agent,
                        trace::StreamChanged{static_cast<u8>(stream), static_cast<u16>(index),
                                             row.name, was, is});
    }
  }
}

}  // namespace bhemu::tile
