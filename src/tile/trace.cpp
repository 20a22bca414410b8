// What a tile tells a trace. Nothing here changes what happens (follow.cpp).
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

void Tile::trace_step(const Step& step, std::size_t mark) {
  trace::Port& port = *trace_;
  const riscv::Effect& effect = step.effect;
  trace::Retired retired{step.pc,
                         step.word,
                         static_cast<trace::RegisterFile>(effect.destination),
                         effect.reg,
                         riscv::value_of(cores_[step.core], effect),
                         {}};
  const bool atomic = effect.reach == riscv::Reach::Atomic;
  const u32 after = atomic && l1_.has(effect.address, 4) ? l1_.read32(effect.address) : 0;
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
  port.retired(mark, step.core, step.cycle, retired);
  port.end_stall(mark, step.core, step.cycle, step.pc);
}

void Tile::trace_vector(unsigned core, u32 pc, const riscv::VectorAccess& access) {
  const riscv::CoreState& state = cores_[core];
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
    trace_->add(state.cycle - 1, agent(core), event);
  }
}

void Tile::trace_block(unsigned core) {
  trace::Port::Stall& stall = trace_->stall(core);
  if (stall.open) return;
  const riscv::CoreState& state = cores_[core];
  const CoreSlot& slot = slots_[core];
  stall = {true, state.cycle, {wait_of(slot.block), 0}};
  Waits waits = waiting(shape_.core[core]);
  if (waits.all.empty()) {
    Wait wait;
    wait.kind = Awaited::Debugger;
    wait.other = 1;
    waits.all.push_back(wait);
  }
  stall.reason.index = static_cast<u16>(waits.all.front().index);
  trace_->add(state.cycle, agent(core),
              trace::StallBegin{state.pc, stall.reason, kNever, std::move(waits)});
}

/// A core whose access waits when the trace begins: the end of that will be told.
void Tile::trace_open_stalls() {
  for (unsigned core = 0; core < kCores; ++core)
    if (slots_[core].status == CoreStatus::Blocked && !trace_->stall(core).open)
      trace_->stall(core) = {true, kNever};
}

/// The rounds of a parked core are executed one by one until it is certain that the trace leaves
/// them out; from then on they are only counted.
void Tile::replay_traced(unsigned core, Cycle until) {
  riscv::CoreState& state = cores_[core];
  const Cycle period = slots_[core].period;
  if (!trace_->wants(trace::What::Riscv)) return skip_rounds(core, until);
  trace::Repeats& repeats = trace_->repeats(core);
  if (state.cycle < trace_->from()) skip_rounds(core, std::min(until, trace_->from()));
  const Cycle end = std::min(until, trace_->until());
  while (state.cycle < end) {
    const Cycle rounds = (end - state.cycle) / period;
    if (rounds != 0 && repeats.is_settled(period)) {
      repeats.skip(rounds * period);
      skip_rounds(core, state.cycle + rounds * period);
    } else {
      const riscv::Outcome outcome = step_followed(core);
      CHECK(outcome == riscv::Outcome::Ok);
    }
  }
  if (state.cycle < until) skip_rounds(core, until);
}

void Tile::catch_up_trace(Cycle now) {
  if (trace_ == nullptr || now <= trace_->from()) return;
  for (unsigned core = 0; core < kCores; ++core) {
    const CoreSlot& slot = slots_[core];
    if (slot.status != CoreStatus::Parked || cores_[core].cycle >= now) continue;
    // Also at the end of the range, where what is left out is counted.
    if (trace_->follows(core) &&
        (!trace_->repeats(core).is_settled(slot.period) || now >= trace_->until())) {
      begin_host_access(now);
      replay(core, now);
    }
  }
}

void Tile::trace_reset(unsigned core, bool held) {
  const riscv::CoreState& state = cores_[core];
  const CoreSlot& slot = slots_[core];
  if (held && slot.status == CoreStatus::Reset) return;
  trace_->end_repeats(core);
  trace_->stall(core) = {};
  // The core may have been ahead of the one that holds it, in the same turn.
  const Cycle at = held ? std::max(wake_cycle(core), state.cycle) : state.cycle;
  trace_->add(at, agent(core), trace::ResetChanged{held, state.pc});
}

void Tile::trace_interrupt(unsigned core, u32 handler) {
  const riscv::CoreState& state = cores_[core];
  trace_->add(state.cycle, agent(core), trace::Interrupted{state.pc, handler});
}

void Tile::trace_queue(unsigned core, trace::Queue queue, bool push, unsigned from, unsigned to,
                       u32 value, Cycle now) {
  trace_->add(
      now, agent(core),
      trace::QueueMoved{queue, push, static_cast<CoreId>(from), static_cast<CoreId>(to), value});
}

void Tile::trace_semaphore(unsigned core, u32 semaphore, u32 before, Cycle now) {
  const u32 after = coprocessor_->read_semaphore(semaphore);
  const u32 max = coprocessor_->semaphore_max(semaphore);
  if (after == before) return;
  trace_->add(now, agent(core),
              trace::SemaphoreChanged{static_cast<u8>(semaphore), static_cast<u8>(before),
                                      static_cast<u8>(after), static_cast<u8>(max)});
}

/// What write_register does with an address of the overlay, and every register that it changes.
bool Tile::write_stream(u32 address, u32 value, const Author& author) {
  const u32 offset = address - region_info(Region::Overlay).first;
  const u32 stream = offset / noc::kStreamStride;
  noc::StreamState before;
  streams_->look(stream, before);
  if (!streams_->write(offset, value))
    return !refuse_stream(author.agent, address, author.pc, author.cycle, "store to");
  noc::StreamState after;
  streams_->look(stream, after);
  if (after != before) tell_stream(stream, before, after, author);
  rouse_coprocessor();
  refresh_hardware_interrupts();
  return true;
}

void Tile::tell_stream(u32 stream, const noc::StreamState& before, const noc::StreamState& after,
                       const Author& author) {
  const std::span rows(noc::stream_registers(), noc::stream_register_count());
  for (const noc::StreamRegisterInfo& row : rows) {
    if (!noc::StreamFile::shows(stream, row)) continue;
    for (u32 i = 0; i < row.count; ++i) {
      const u32 was = before[row.slot + i];
      const u32 is = after[row.slot + i];
      if (was == is) continue;
      const u32 index = row.index + i;
      if (observer_ != nullptr)
        observer_->changed({author, trace::Object::Stream, trace::ObjectChange::How::Set,
                            stream << 10 | index, was, is});
      if (trace_ != nullptr)
        trace_->add(author.cycle, author.agent,
                    trace::StreamChanged{static_cast<u8>(stream), static_cast<u16>(index), row.name,
                                         was, is});
    }
  }
}

}  // namespace bhemu::tile
