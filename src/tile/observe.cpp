// What a tile tells its observer (trace/observer.hpp).
#include <cstring>

#include "base/bits.hpp"
#include "tensix/state.hpp"
#include "tile/follow.hpp"

namespace bhemu::tile {
namespace {

bool is_pcbuf(const trace::CoreAccess& access) {
  return access.size != 0 && access.region >= Region::PcBuf0 && access.region <= Region::PcBuf2;
}

}  // namespace

void Tile::set_observer(trace::Observer* observer) {
  Node::set_observer(observer);
  if (observer == nullptr && data_caches_ != nullptr) data_caches_->clear();
  if (observer != nullptr) following().tells_all = observer->wants_all_instructions();
  if (coprocessor_ != nullptr) coprocessor_->set_observer(observer);
  for (auto& niu : nius_) niu->set_observer(observer);
  const bool all = observer != nullptr && observer->wants_l1_writes();
  for (u32 address = 0; address < l1_.size(); address += 1u << L1::kLineShift) {
    if (all)
      l1_.set_flag(address, L1::kObserved);
    else
      l1_.clear_flag(address, L1::kObserved);
  }
}

/// Before the instruction: everything but what it loads.
void Tile::begin_step(Step& step) {
  const riscv::CoreState& state = cores_[step.core];
  const riscv::Effect& effect = step.effect;
  trace::Instruction& told = step.told;
  told.core = step.core;
  told.author = {agent(step.core), step.pc, step.cycle, id()};
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
                            shape_.regions->at(element.address),
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
                   shape_.regions->at(effect.address),
                   effect.address};
    step.access.stored = effect.stored;
    told.accesses = {&step.access, 1};
  }
  if (is_pcbuf(step.access)) {
    step.semaphores = coprocessor_->state().sync.semaphore;
    const unsigned first = index(CoreId::Trisc0);
    step.pcbuf_empty = step.core >= first && coprocessor_->pcbuf_empty(step.core - first);
  }
  observer_->executes(told);
}

/// After it has retired.
void Tile::end_step(Step& step) {
  const riscv::CoreState& state = cores_[step.core];
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
    if (step.access.store && l1_.has(step.access.address, 4))
      step.access.stored = l1_.read32(step.access.address);
  }
  const bool reaches_queue =
      effect.reach == riscv::Reach::Tensix || effect.reach == riscv::Reach::Store;
  if (const auto thread = reaches_queue ? thread_pushed_to(step.core, effect) : std::nullopt)
    tell_push(step.core, told.author, *thread, pushed_word(step.word, effect),
              shape_.core[step.core] == CoreId::Brisc);
  if (step.access.size != 0) tell_queues(step);
  observer_->retired(told);
}

void Tile::tell_push(unsigned core, const Author& author, unsigned thread, u32 word,
                     bool by_brisc) {
  trace::Push push;
  push.author = author;
  push.author.tile = id();
  push.core = core;
  push.thread = thread;
  push.word = word;
  push.by_brisc = by_brisc;
  push.number = coprocessor_->push_number(thread, by_brisc);
  observer_->pushed(push);
}

/// Semaphores, mailboxes and PCBufs, through a core's load or store.
void Tile::tell_queues(const Step& step) {
  using How = trace::ObjectChange::How;
  const trace::CoreAccess& access = step.access;
  const unsigned first = index(CoreId::Trisc0);
  trace::ObjectChange change;
  change.author = step.told.author;
  switch (access.region) {
    case Region::Mailbox: {
      const u32 offset = access.address - region_info(Region::Mailbox).first;
      const unsigned self = *Mailboxes::end_of(static_cast<CoreId>(step.core));
      const u32 other = offset >> 12;
      if ((offset & 4) != 0) return;
      change.object = trace::Object::Mailbox;
      change.how = access.store ? How::Push : How::Pop;
      change.index = access.store ? self * 4 + other : other * 4 + self;
      change.after = access.store ? access.stored : access.loaded;
      return observer_->changed(change);
    }
    case Region::PcBuf0:
    case Region::PcBuf1:
    case Region::PcBuf2: {
      const u32 offset = access.address - region_info(access.region).first;
      const bool brisc = step.core < first;
      change.object = trace::Object::PcBuf;
      change.how = brisc ? How::Push : How::Pop;
      change.index = brisc ? static_cast<u32>(access.region) - static_cast<u32>(Region::PcBuf0)
                           : step.core - first;
      change.after = brisc ? access.stored : access.loaded;
      if (brisc ? access.store : access.load && offset < 4 && !step.pcbuf_empty)
        return observer_->changed(change);
      change.object = trace::Object::Semaphore;
      change.how = How::Set;
      for (u32 i = 0; i < tensix::kSemaphores; ++i) {
        change.index = i;
        change.before = step.semaphores[i].value;
        change.after = coprocessor_->state().sync.semaphore[i].value;
        if (change.before != change.after) observer_->changed(change);
      }
      return;
    }
    default:
      return;
  }
}

void Tile::tell_core(unsigned core, bool released, const Author& by) {
  if (released)
    observer_->released(core, cores_[core].pc, by);
  else
    observer_->held(core, by);
}

}  // namespace bhemu::tile
