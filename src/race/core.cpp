// What a core's instructions mean for order (BlackholeA0/TensixTile/BabyRISCV/MemoryOrdering.md).
#include <algorithm>

#include "race/detector.hpp"

namespace bhemu::race {
namespace {

constexpr unsigned kFirstUnit = 1;  // the parts of a thread behind its gate
/// Stores to the two done checks, told from everything else by a place of their own.
constexpr Location done_check_place(bool mop) {
  return {Place::Counter, 1, 0x10000u + (mop ? 1u : 0u)};
}

bool overlap(const Location& a, const Location& b) {
  return a.place == b.place && a.begin < b.end() && b.begin < a.end();
}

u32 kind_of_region(Region region) {
  switch (region) {
    case Region::L1:
      return kind::StoreL1;
    case Region::Config:
      return kind::StoreConfig;
    case Region::Niu:
      return kind::StoreNiu;
    case Region::Push:
      return kind::Push;
    default:
      return kind::StoreOther;
  }
}

}  // namespace

/// The core's next action. Loads that are eight instructions old have their values.
Detector::Core& Detector::begin(const Site& site, u64 step) {
  Core& core = cores_[index_of(core_of(site.agent))];
  ++core.time;
  settle(core, step);
  core.known.make_room();
  return core;
}

void Detector::resolve(Core& core, PendingLoad& load) {
  if (load.grants) core.known.join(load.clock, core.joined);
}

void Detector::settle(Core& core, u64 step) {
  while (!core.loads.empty() && core.loads.front().step + kRetire <= step) {
    resolve(core, core.loads.front());
    core.loads.pop_front();
  }
}

void Detector::grant(Core& core, PendingLoad load) {
  if (core.loads.size() == kRetire) {  // the retire queue is full: the oldest has its value
    resolve(core, core.loads.front());
    core.loads.pop_front();
  }
  core.loads.push_back(std::move(load));
}

/// Up to when the core's loads are certainly processed, as a request to `region` sees it: loads of
/// the same region are processed before it in any case.
u32 Detector::loads_done(const Core& core, Region region) const {
  for (const PendingLoad& load : core.loads)
    if (load.region != region) return load.time - 1;
  return core.time;
}

/// What a request of the core to a region takes along: what the program knows, and what the region
/// has been given before. Stores to other regions are not in it.
Clock Detector::snapshot(unsigned index, Region region) const {
  const Core& core = cores_[index];
  Clock clock = core.known;
  if (const u32 time = loads_done(core, region); time != 0)
    clock.raise({time, program_of(index), settings_.tile});
  clock.raise({core.time, store_of(index, region), settings_.tile});
  return clock;
}

void Detector::queue_store(Core& core, const Location& where, Region region) {
  core.last_store[static_cast<unsigned>(region)] = core.time;
  core.queue.push_back({where, region, core.time});
  if (core.queue.size() <= kQueue) return;
  core.emitted = std::max(core.emitted, core.queue.front().time);
  core.queue.pop_front();
}

/// The core's stores up to this time have been emitted before a load of `where`: stores leave the
/// queue in order, and one that overlaps the load has left it first.
u32 Detector::emitted_before(const Core& core, Region region, const Location& where) const {
  u32 emitted = core.emitted;
  for (const QueuedStore& store : core.queue)
    if (store.region == region && overlap(store.where, where))
      emitted = std::max(emitted, store.time);
  return emitted;
}

void Detector::on(const event::Start& one) {
  Core& core = cores_[one.core];
  Clock from;
  if (is_core(one.site.agent)) {
    // Custom: by the time a core runs, the stores before its release have long been processed.
    const unsigned by = index_of(core_of(one.site.agent));
    from = snapshot(by, Region::Control);
    for (unsigned i = 0; i < kRegions; ++i)
      if (cores_[by].last_store[i] != 0)
        from.raise(
            {cores_[by].last_store[i], store_of(by, static_cast<Region>(i)), settings_.tile});
    settled_pushes_[by] = cores_[by].last_push_id;
    for (unsigned thread = 0; thread < kThreads; ++thread)
      if (cores_[by].last_push_id[thread] != 0) spread_thread(thread);
  } else {
    from = host_;
  }
  core.known.join(from);
  core.code.join(core.known);
  core.loads.clear();
  core.queue.clear();
  core.l0.clear();
}

/// Who holds a core knows that it is done with all it did; what it sent and its thread are not
/// stopped. Its stores are taken to have left it long before it runs again.
void Detector::on(const event::Hold& one) {
  Core& core = cores_[one.core];
  Clock done;
  if (core.time != 0)
    for (unsigned part = 0; part < kCoreStride; ++part)
      done.raise({core.time, static_cast<Component>(program_of(one.core) + part), settings_.tile});
  if (one.site.agent == Agent::Host)
    host_.join(done);
  else if (is_core(one.site.agent) && one.site.tile == settings_.tile)
    cores_[index_of(core_of(one.site.agent))].known.join(done);
  core.sends.clear();
  core.returned = 0;
  forget_fetches(one.core);
}

void Detector::on(const event::Load& one) {
  Core& core = one.more ? cores_[index_of(core_of(one.site.agent))] : begin(one.site, one.step);
  const unsigned index = index_of(core_of(one.site.agent));
  const Epoch self{core.time, program_of(index), settings_.tile};
  const unsigned region = static_cast<unsigned>(one.region);
  const bool sync = one.sync || is_sync(one.where);
  if (one.where.place != Place::Counter) {  // which nobody checks
    Clock clock = core.known;
    clock.raise(self);
    if (core.last_store[region] != 0)
      clock.raise({core.last_store[region], store_of(index, one.region), settings_.tile});
    const Actor actor{self, &clock, one.site, Mode::Read, kind::Load, sync};
    access(actor, one.where);
    if (one.where.place == Place::L1) check_l0(core, one, actor);
  }
  if (one.more) return;

  PendingLoad load{one.step, core.time, one.reg, one.region, true, {}};
  // Read back: what the region was given before this load is processed when the value is there.
  if (const u32 emitted = emitted_before(core, one.region, one.where); emitted != 0)
    load.clock.raise({emitted, store_of(index, one.region), settings_.tile});
  if (sync && !one.followed) {
    if (const SyncWord* word = sync_word(one.where.begin); word != nullptr)
      load.clock.join(word->known_at(
          word->version(), bytes_of_word(one.where.begin / 4, one.where.begin, one.where.end())));
  }
  if (one.where.place == Place::Initiator && (one.where.begin & 31) == 16 && one.value == 0 &&
      !one.followed)
    load.clock.join(known_by_free_initiator(static_cast<unsigned>(one.where.begin >> 7),
                                            static_cast<unsigned>(one.where.begin >> 5 & 3)));
  grant(core, std::move(load));
}

void Detector::on(const event::Store& one) {
  Core& core = one.more ? cores_[index_of(core_of(one.site.agent))] : begin(one.site, one.step);
  const unsigned index = index_of(core_of(one.site.agent));
  const Clock clock = snapshot(index, one.region);
  const Epoch self{core.time, store_of(index, one.region), settings_.tile};
  const bool sync = one.sync || is_sync(one.where);
  const u32 kind = one.region == Region::Push ? kind::StoreOther : kind_of_region(one.region);
  Actor actor{self, &clock, one.site, Mode::Write, kind, sync, one.same};
  if (one.where.place == Place::L1) {
    actor.value = &one.value;
    actor.value_begin = one.where.begin;
  }
  if (one.where.place == Place::Config && one.where.begin == kFeatureDisable)
    check_units_at_work(actor, one.where);
  access(actor, one.where);
  if (one.where.place == Place::Gpr) core.gpr_stores.emplace_back(core.time, one.step);
  if (!one.more) queue_store(core, one.where, one.region);
  if (one.where.place != Place::L1) return;
  drop_l0(core, one.where);
  if (one.sync) mark_sync(one.where.begin);
  const u64 word = one.where.begin / 4;
  if (book_.has(word * 4)) {
    const u8 bytes = bytes_of_word(word, one.where.begin, one.where.end());
    book_.stored(word * 4, index, word_after(word, bytes, one.where.begin, &one.value));
  }
  if (is_lock(one.where) && holds_any(word * 4, index)) {
    leave_locks(word * 4, index, clock);
    return note_write(one.where, Clock(), {{}, false, &one.value, {}, &one.old});
  }
  if (guard_ != nullptr) note_guarded(one.where, clock, &one.value);
  note_write(one.where, clock, {self, false, &one.value, {}, &one.old});
}

/// Loads have their values, the store queue is empty, L0 is flushed.
void Detector::drain(Core& core) {
  for (PendingLoad& load : core.loads) resolve(core, load);
  core.loads.clear();
  core.emitted = core.time;
  core.queue.clear();
  core.l0.clear();
}

/// An atomic on a lock that has just been let go: before that it would have changed nothing, so it
/// is taken to come behind what it has seen.
bool Detector::comes_behind(const AtomicChange& change, const SyncWord& word, u32 before,
                            u32 after) const {
  return before != after && word.version() != 0 &&
         !change.would_change(word.value_at(word.version() - 1), before, after);
}

void Detector::on(const event::Amo& one) {
  Core& core = begin(one.site, one.step);
  const unsigned index = index_of(core_of(one.site.agent));
  drain(core);
  mark_sync(one.where.begin, &one.before);
  Clock clock = snapshot(index, Region::L1);
  if (const SyncWord& word = words_.at(one.where.begin / 4);
      comes_behind(one.change, word, one.before, one.value))
    clock.join(word.known_at(word.version(), SyncWord::kAllBytes));
  const Epoch self{core.time, store_of(index, Region::L1), settings_.tile};
  const Mode mode = one.same ? Mode::Read : Mode::Atomic;
  access({self, &clock, one.site, mode, kind::StoreL1, true}, one.where);
  core.last_store[static_cast<unsigned>(Region::L1)] = core.time;
  const SyncWord& word = words_.at(one.where.begin / 4);
  PendingLoad load{one.step, core.time, one.reg, Region::L1, true, {}};
  if (!one.followed) load.clock = word.known_at(word.version(), SyncWord::kAllBytes);
  load.clock.raise(self);
  grant(core, std::move(load));
  if (one.same) return;
  book_.changed(one.where.begin, index, {one.before, one.value, one.change.how});
  if (is_lock(one.where)) {
    use_locks(one.where.begin, index, self, clock, one.before, one.value);
    return note_write(one.where, Clock(), {{}, true, &one.value, one.change});
  }
  note_write(one.where, clock, {self, true, &one.value, one.change});
}

void Detector::on(const event::Use& one) {
  Core& core = cores_[index_of(core_of(one.site.agent))];
  settle(core, one.step);
  for (std::size_t i = core.loads.size(); i-- != 0;) {
    if (core.loads[i].reg != one.reg) continue;
    resolve(core, core.loads[i]);
    core.loads.erase(core.loads.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

/// Waits until the queue is empty and loads have their values, and flushes L0. That what was
/// emitted has been processed is a custom (row 3).
void Detector::on(const event::Fence& one) {
  Core& core = begin(one.site, one.step);
  const unsigned index = index_of(core_of(one.site.agent));
  drain(core);
  if (settings_.level == Level::Documented) return;
  for (unsigned i = 0; i < kRegions; ++i)
    if (core.last_store[i] != 0)
      core.known.raise(
          {core.last_store[i], store_of(index, static_cast<Region>(i)), settings_.tile});
}

void Detector::on(const event::Push& one) {
  Core& core = begin(one.site, one.step);
  const unsigned index = index_of(core_of(one.site.agent));
  const Clock clock = snapshot(index, Region::Push);
  const Epoch self{core.time, store_of(index, Region::Push), settings_.tile};
  const Location port{Place::PushPort, 1, one.thread};
  access({self, &clock, one.site, Mode::Write, kind::Push, false}, port);
  queue_store(core, port, Region::Push);
  core.last_push[one.thread] = core.time;
  core.last_push_id[one.thread] = one.id;
  while (!core.gpr_stores.empty() && core.gpr_stores.front().second + kLongAgo <= one.step) {
    core.gprs_written = core.gpr_stores.front().first;
    core.gpr_stores.pop_front();
  }
  threads_[one.thread].pushed[index].push_back({one.id, clock, core.gprs_written});
}

/// CoprocessorDoneCheck and MOPExpanderDoneCheck: a load after a store to the same address comes
/// after all pushes before the store, and is answered when the thread has finished them.
void Detector::on(const event::DoneCheck& one) {
  Core& core = begin(one.site, one.step);
  const unsigned index = index_of(core_of(one.site.agent));
  const Location where = done_check_place(one.mop);
  if (!one.load) {
    queue_store(core, where, Region::PcBuf);
    return;
  }
  if (!has_thread(core_of(one.site.agent))) return;
  const unsigned thread = index - 2;
  PendingLoad load{one.step, core.time, one.reg, Region::PcBuf, true, {}};
  if (emitted_before(core, Region::PcBuf, where) >= core.last_push[thread]) {
    if (one.mop) {
      load.clock.raise(
          {core.last_push_id[thread], part_of(thread, Part::Expander), settings_.tile});
    } else {
      load.clock = gate_clock(thread);
      for (unsigned part = kFirstUnit; part < kParts; ++part)
        load.clock.raise({threads_[thread].last_of_part[part],
                          part_of(thread, static_cast<Part>(part)), settings_.tile});
    }
  }
  grant(core, std::move(load));
}

void Detector::on(const event::AwaitThread& one) {
  Core& core = begin(one.site, one.step);
  PendingLoad load{one.step, core.time, one.reg, Region::PcBuf, true, gate_clock(one.thread)};
  for (unsigned part = kFirstUnit; part < kParts; ++part)
    load.clock.raise({threads_[one.thread].last_of_part[part],
                      part_of(one.thread, static_cast<Part>(part)), settings_.tile});
  // The core of the thread waits at the buffer: what its program knows is known.
  load.clock.join(snapshot(one.thread + 2, Region::PcBuf));
  grant(core, std::move(load));
}

void Detector::on(const event::Signal& one) {
  Clock clock;
  if (is_core(one.site.agent)) {
    Core& core = begin(one.site, one.step);
    const unsigned index = index_of(core_of(one.site.agent));
    const Region region = one.object == Object::Mailbox ? Region::Mailbox
                          : one.object == Object::Pages || one.object == Object::Acks
                              ? Region::Overlay
                              : Region::PcBuf;
    clock = snapshot(index, region);
    queue_store(core, place_of(one.object, one.index), region);
  } else {
    // A thread's STOREREG or REG2FLOP: `step` is the instruction, whose clock goes along.
    const unsigned thread =
        static_cast<unsigned>(one.site.agent) - static_cast<unsigned>(Agent::Thread0);
    clock = op_of(threads_[thread], static_cast<u32>(one.step)).clock;
  }
  if (one.object == Object::Semaphore) {
    Semaphore& semaphore = semaphores_[one.index & 7];
    const unsigned index = index_of(core_of(one.site.agent));
    const Side by{one.site,
                  {cores_[index].time, store_of(index, Region::PcBuf), settings_.tile},
                  kind::StoreOther,
                  Mode::Write};
    touch_semaphore(by, clock, one.index & 7, Mode::Atomic);
    if (one.get) {
      take(semaphore, clock, by, one.index);
    } else {
      post(semaphore, clock, by, one.index);
    }
    return;
  }
  objects_[key_of(one.object, one.index)].publish(clock, one.amount);
}

void Detector::on(const event::Observe& one) {
  const Clock* found = known_by_post(one.object, one.index, one.guaranteed, one.gets);
  if (!is_core(one.site.agent)) {
    const unsigned thread =
        static_cast<unsigned>(one.site.agent) - static_cast<unsigned>(Agent::Thread0);
    if (found != nullptr) threads_[thread].known.join(*found);
    return;
  }
  Core& core = begin(one.site, one.step);
  PendingLoad load{one.step, core.time, one.reg, Region::PcBuf, found != nullptr, {}};
  if (one.object == Object::Pages || one.object == Object::Acks) load.region = Region::Overlay;
  if (one.object == Object::Mailbox) load.region = Region::Mailbox;
  if (found != nullptr) load.clock = *found;
  grant(core, std::move(load));
}

u32 Detector::posts_of(Object object, u16 index, bool gets) const {
  if (object == Object::Semaphore) {
    const Semaphore& semaphore = semaphores_[index & 7];
    return gets ? semaphore.gets.total() : semaphore.posts.total();
  }
  const auto found = objects_.find(key_of(object, index));
  return found == objects_.end() ? 0 : found->second.total();
}

Detector::Certain Detector::certain_of_semaphore(unsigned core, unsigned index) const {
  Clock clock = cores_[core].known;
  // Its own stores to the same place come before the load.
  constexpr unsigned kRegion = static_cast<unsigned>(Region::PcBuf);
  if (cores_[core].last_store[kRegion] != 0)
    clock.raise({cores_[core].last_store[kRegion], store_of(core, Region::PcBuf), settings_.tile});
  const Semaphore& semaphore = semaphores_[index & 7];
  return {semaphore.given.known_to(clock), semaphore.taken.known_to(clock)};
}

const Clock* Detector::known_by_post(Object object, u16 index, u32 count, bool gets) const {
  if (object == Object::Semaphore) {
    const Semaphore& semaphore = semaphores_[index & 7];
    return gets ? semaphore.gets.when(count) : semaphore.posts.when(count);
  }
  const auto found = objects_.find(key_of(object, index));
  if (found == objects_.end()) return nullptr;
  // Words are taken from a queue one by one, by whoever.
  const bool queue = object == Object::Mailbox || object == Object::PcBuf;
  return queue ? found->second.at(count) : found->second.when(count);
}

}  // namespace bhemu::race
