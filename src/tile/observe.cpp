// What an observer is told of a tile (trace/observer.hpp).
#include <cstring>

#include "base/bits.hpp"
#include "tile/follow.hpp"
#include "tile/mailboxes.hpp"

namespace bhemu::tile {
namespace {

bool is_pcbuf(const trace::CoreAccess& access) {
  return access.size != 0 && access.region >= Region::PcBuf0 && access.region <= Region::PcBuf2;
}

}  // namespace

/// Before the instruction: everything but what it loads.
void Follower::begin_step(Step& step) {
  const riscv::CoreState& state = env_.cores[step.core];
  const riscv::Effect& effect = step.effect;
  trace::Instruction& told = step.told;
  told.core = step.core;
  told.author = {agent(step.core), step.pc, step.cycle, env_.node};
  told.word = step.word;
  told.step = state.instret;
  told.reads = step.kind->sources;
  told.writes = step.kind->writes;
  told.state = &state;
  told.accesses = {};
  step.access.size = 0;
  step.access.load = step.access.store = false;
  if (step.vector) {
    const riscv::VectorAccess& access = *step.vector;
    step.elements.clear();
    for (u32 i = 0; i < access.count; ++i) {
      const auto& element = access.element[i];
      trace::CoreAccess one{!access.store,
                            access.store,
                            access.bytes,
                            element.index,
                            env_.shape.regions->at(element.address),
                            element.address};
      if (access.store)
        std::memcpy(&one.stored, &state.v.reg[element.reg][element.offset], access.bytes);
      step.elements.push_back(one);
    }
    told.accesses = step.elements;
  } else if (effect.size != 0) {
    step.access = {riscv::loads(effect),
                   riscv::stores(effect),
                   effect.size,
                   0,
                   env_.shape.regions->at(effect.address),
                   effect.address};
    step.access.stored = effect.stored;
    told.accesses = {&step.access, 1};
  }
  if (is_pcbuf(step.access)) {
    step.semaphores = std::as_const(*env_.coprocessor).state().sync.semaphore;
    const unsigned first = index(CoreId::Trisc0);
    step.pcbuf_empty = step.core >= first && env_.coprocessor->pcbuf_empty(step.core - first);
  }
  env_.observer->executes(told);
}

/// After it has retired.
void Follower::end_step(Step& step) {
  const riscv::CoreState& state = env_.cores[step.core];
  const riscv::Effect& effect = step.effect;
  trace::Instruction& told = step.told;
  told.value = riscv::value_of(state, effect);
  if (step.vector) {
    const riscv::VectorAccess& access = *step.vector;
    // Elements that a fault-only-first load has left out were not accessed.
    std::size_t count = step.elements.size();
    while (access.fault_only_first && count != 0 &&
           step.elements[count - 1].element >= state.csr.vl)
      --count;
    told.accesses = std::span(step.elements).first(count);
    for (std::size_t i = 0; i < count && !access.store; ++i) {
      const auto& element = access.element[i];
      std::memcpy(&step.elements[i].loaded, &state.v.reg[element.reg][element.offset],
                  access.bytes);
    }
  } else if (step.access.load) {
    step.access.loaded = told.value;
    if (step.access.store && env_.l1.has(step.access.address, 4))
      step.access.stored = env_.l1.read32(step.access.address);
  }
  const Region region = step.access.region;
  const bool reaches_queue = effect.reach == riscv::Reach::Tensix ||
                             (effect.reach == riscv::Reach::Store && region >= Region::InstrnBuf0 &&
                              region <= Region::InstrnBuf2);
  if (const auto thread = reaches_queue ? thread_pushed_to(step.core, effect) : std::nullopt)
    tell_push(step.core, told.author, *thread, pushed_word(step.word, effect),
              env_.shape.core[step.core] == CoreId::Brisc);
  if (step.access.size != 0 && (region == Region::Mailbox || is_pcbuf(step.access)))
    tell_queues(step);
  env_.observer->retired(told);
}

void Follower::tell_push(unsigned core, const Author& author, unsigned thread, u32 word,
                         bool by_brisc) {
  trace::Push push;
  push.author = author;
  push.author.tile = env_.node;
  push.core = core;
  push.thread = thread;
  push.word = word;
  push.by_brisc = by_brisc;
  push.number = env_.coprocessor->push_number(thread, by_brisc);
  env_.observer->pushed(push);
}

/// Semaphores, mailboxes and PCBufs, through a core's load or store.
void Follower::tell_queues(const Step& step) {
  using How = trace::ObjectChange::How;
  const trace::CoreAccess& access = step.access;
  const unsigned first = index(CoreId::Trisc0);
  trace::ObjectChange change;
  change.author = step.told.author;
  switch (access.region) {
    case Region::Mailbox: {
      const u32 offset = access.address - (*env_.shape.regions)[Region::Mailbox].first;
      const unsigned self = *Mailboxes::end_of(static_cast<CoreId>(step.core));
      const u32 other = offset >> 12;
      if ((offset & 4) != 0) return;
      change.object = trace::Object::Mailbox;
      change.how = access.store ? How::Push : How::Pop;
      change.index = access.store ? self * 4 + other : other * 4 + self;
      change.after = access.store ? access.stored : access.loaded;
      return env_.observer->changed(change);
    }
    case Region::PcBuf0:
    case Region::PcBuf1:
    case Region::PcBuf2: {
      const u32 offset = access.address - (*env_.shape.regions)[access.region].first;
      const bool brisc = step.core < first;
      change.object = trace::Object::PcBuf;
      change.how = brisc ? How::Push : How::Pop;
      change.index = brisc ? static_cast<u32>(access.region) - static_cast<u32>(Region::PcBuf0)
                           : step.core - first;
      change.after = brisc ? access.stored : access.loaded;
      if (brisc ? access.store : access.load && offset < 4 && !step.pcbuf_empty)
        return env_.observer->changed(change);
      change.object = trace::Object::Semaphore;
      change.how = How::Set;
      for (u32 i = 0; i < tensix::kSemaphores; ++i) {
        change.index = i;
        change.before = step.semaphores[i].value;
        change.after = std::as_const(*env_.coprocessor).state().sync.semaphore[i].value;
        if (change.before != change.after) env_.observer->changed(change);
      }
      return;
    }
    default:
      return;
  }
}

void Follower::tell_core(unsigned core, bool released, const Author& by) {
  if (released)
    env_.observer->released(core, env_.cores[core].pc, by);
  else
    env_.observer->held(core, by);
}

}  // namespace bhemu::tile
