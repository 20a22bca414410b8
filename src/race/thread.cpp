// What a thread's instructions mean for order: the wait gate (STALLWAIT.md), the sync unit
// (SyncUnit.md), banks of SrcA and SrcB (WormholeB0 SrcASrcB.md).
#include <algorithm>
#include <bit>
#include <utility>

#include "race/detector.hpp"

namespace bhemu::race {
namespace {

constexpr u16 kAllBlocks = 0x1FF;
constexpr unsigned kDefaultConditions = 0x0F;  // a mask of 0
constexpr unsigned kDefaultBlock = 1u << 6;
constexpr unsigned kSaturated = 15;

u16 block_or_default(u32 block) {
  return static_cast<u16>(block != 0 ? block : kDefaultBlock);
}

}  // namespace

/// What the gate knows: everything that it was told, and that its own instructions were issued.
Clock Detector::gate_clock(unsigned index) const {
  const Thread& thread = threads_[index];
  Clock clock = thread.known;
  if (thread.time != 0) clock.raise({thread.time, part_of(index, Part::Gate), settings_.tile});
  return clock;
}

/// A word takes along what the core knew when it pushed it.
void Detector::join_push(Thread& thread, unsigned index, unsigned core, u32 push) {
  auto& pushed = thread.pushed[core];
  while (!pushed.empty() && pushed.front().id < push) pushed.pop_front();
  if (pushed.empty() || pushed.front().id != push) return;
  thread.known.join(pushed.front().clock, thread.joined);
  if (core == index + 2) thread.gprs_written = pushed.front().gprs_written;
}

Detector::Op& Detector::op_of(Thread& thread, u32 op) {
  return thread.ops[op % kOps];
}

void Detector::on(const event::Expand& one) {
  Thread& thread = threads_[one.thread];
  // The expander is ahead of the gate: it knows what the push knew, and its own past. Its actions
  // have the numbers of their pushes, so that a core that waits for what it has pushed need not
  // know how far the expander was.
  Clock clock;
  for (const Pushed& pushed : thread.pushed[one.core])
    if (pushed.id == one.push) clock = pushed.clock;
  thread.last_of_part[static_cast<unsigned>(Part::Expander)] = one.push;
  const Epoch self{one.push, part_of(one.thread, Part::Expander), settings_.tile};
  clock.raise(self);
  Actor actor{self, &clock, one.site, Mode::Read, kind::Expander};
  actor.pushed_at = one.pushed_at;
  access(actor, one.where);
}

void Detector::on(const event::Issue& one) {
  Thread& thread = threads_[one.thread];
  const u32 word = one.site.pc;
  join_push(thread, one.thread, one.core, one.push);
  const bool is_nop = tensix::opcode_of(word) == tensix::op::NOP::kOpcode;
  const u16 by = is_nop && thread.wait.block == kAllBlocks ? kAllBlocks : blocked_by(word);
  if (thread.wait.latched && (by & thread.wait.block) != 0) lift(thread, one.thread);
  thread.known.make_room();
  thread.time = one.op;
  const Part part = part_of_word(word);
  thread.last_of_part[static_cast<unsigned>(part)] = one.op;
  // Custom (row 34): the scalar unit's next instruction finds in the GPR what RDCFG has read.
  const u8 opcode = tensix::opcode_of(word);
  if (tensix::kInfo[opcode].unit == tensix::Unit::Thcon && thread.read_config != 0 &&
      settings_.level != Level::Documented)
    thread.known.raise(
        {std::exchange(thread.read_config, 0), part_of(one.thread, Part::Config), settings_.tile});
  if (opcode == tensix::op::RDCFG::kOpcode) thread.read_config = one.op;
  Op& op = op_of(thread, one.op);
  op = {one.op, part, gate_clock(one.thread), one.pushed_at};
  op.clock.raise({one.op, part_of(one.thread, part), settings_.tile});
  if (tensix::opcode_of(word) == tensix::op::UNPACR::kOpcode)
    ++thread.unpacks[part == Part::Unpack1 ? 1 : 0];
  execute_sync(thread, one.thread, one);
  const auto is_part = [part](Part other) { return part == other; };
  if (feature_written_ && std::any_of(kFeatureParts.begin(), kFeatureParts.end(), is_part))
    access({{one.op, part_of(one.thread, part), settings_.tile},
            &op.clock,
            one.site,
            Mode::Read,
            kind_of({one.op, part_of(one.thread, part), settings_.tile}),
            false,
            false,
            one.pushed_at},
           {Place::Config, 1, kFeatureDisable});
  if (one.push <= settled_pushes_[one.core][one.thread]) spread_settled(one, part);
}

/// Custom, as with stores: what a core has pushed before it let others out of reset is done by the
/// time that they do anything.
void Detector::spread_thread(unsigned thread) {
  const Thread& one = threads_[thread];
  const auto learn = [&](Clock& known) {
    known.raise({one.time, part_of(thread, Part::Gate), settings_.tile});
    for (unsigned part = 1; part < kParts; ++part)
      known.raise(
          {one.last_of_part[part], part_of(thread, static_cast<Part>(part)), settings_.tile});
  };
  for (Core& core : cores_) learn(core.known);
  for (Thread& other : threads_) learn(other.known);
}

void Detector::spread_settled(const event::Issue& one, Part part) {
  const auto learn = [&](Clock& known) {
    known.raise({one.op, part_of(one.thread, Part::Gate), settings_.tile});
    known.raise({one.op, part_of(one.thread, part), settings_.tile});
  };
  for (Core& core : cores_) learn(core.known);
  for (Thread& thread : threads_) learn(thread.known);
}

/// The conditions of the latched wait hold: what they guarantee is known from here on.
void Detector::lift(Thread& thread, unsigned index) {
  Wait& wait = thread.wait;
  wait.latched = false;
  thread.known.join(wait.grant);
  for (const SrcTest& test : wait.banks) {
    if (!test.given) thread.known.join(given_with(test));
  }
  for (const event::StreamTest& test : wait.streams)
    if (const Clock* post = known_by_post(Object::Pages, test.index, test.count); post != nullptr)
      thread.known.join(*post);
  const Clock known = wait.semaphores.empty() ? Clock() : gate_clock(index);
  for (const SemaphoreTest& test : wait.semaphores) {
    const Semaphore& semaphore = semaphores_[test.index];
    // Not 0: one post more than were taken. Below the limit: all but `max` - 1 of the posts taken.
    // Others may have posted and taken since, so what counts is what the thread is certain of.
    const u32 posts = semaphore.given.known_to(known);
    if (const Clock* post = semaphore.posts.when(semaphore.taken.known_to(known) + 1);
        test.on_zero && post != nullptr)
      thread.known.join(*post);
    if (!test.on_max || posts + 1 <= semaphore.max) continue;
    if (const Clock* get = semaphore.gets.when(posts + 1 - semaphore.max); get != nullptr)
      thread.known.join(*get);
  }
}

/// C5 to C8 test the bank that a pointer names now. An earlier instruction of the side that owns
/// the pointer may still flip it, unless it is known to be done; then another bank may be used.
bool Detector::flip_is_known(const Clock& clock, u8 src, bool matrix) const {
  const Epoch flip = last_flip_[src][matrix ? 1 : 0];
  return !flip || clock.knows(flip);
}

/// What the side knew that has handed the tested bank over last.
const Clock& Detector::given_with(const SrcTest& test) const {
  const SrcBank& bank = src_[test.src][test.bank];
  return test.matrix ? bank.to_matrix : bank.to_unpack;
}

/// A bank that is there when the wait is latched lifts the wait at once: whoever is given the bank
/// later has nothing to do with it.
void Detector::test_bank(Wait& wait, const Clock& known, SrcTest test) {
  if (!flip_is_known(known, test.src, test.matrix)) return;
  const SrcBank& bank = src_[test.src][test.bank];
  test.given = bank.given && bank.matrix == test.matrix;
  if (test.given) wait.grant.join(given_with(test));
  wait.banks.push_back(test);
}

void Detector::latch_stallwait(Thread& thread, unsigned index, u32 word, u32 op) {
  const tensix::op::STALLWAIT view{word};
  u32 conditions = view.wait_res() & 0x1FFF;
  if (conditions == 0) conditions = kDefaultConditions;
  Wait& wait = thread.wait;
  wait.block = block_or_default(view.stall_res());
  const auto has = [&](unsigned bit) { return (conditions >> bit & 1) != 0; };
  const auto drained = [&](unsigned owner, Part part, u32 upto) {
    if (upto != 0) wait.grant.raise({upto, part_of(owner, part), settings_.tile});
  };
  if (has(0)) drained(index, Part::Thcon, op);
  if (has(1)) drained(index, Part::Unpack0, op);
  if (has(2)) drained(index, Part::Unpack1, op);
  if (has(3) && !settings_.pack_condition_is_early) drained(index, Part::Pack, op);
  if (has(4)) drained(index, Part::Fpu, op);
  if (has(11)) drained(index, Part::Sfpu, op);
  // Over all threads: what is known to have been issued is done.
  for (unsigned other = 0; other < kThreads; ++other) {
    const u32 issued =
        other == index ? op : thread.known.at(settings_.tile, part_of(other, Part::Gate));
    if (has(9)) drained(other, Part::Mover, issued);
    if (has(12)) drained(other, Part::Config, issued);
  }
  if (has(10)) {
    // Requests that the thread's own core emitted before the newest push that the gate knows.
    const unsigned core = index + 2;
    const u32 pushed = thread.known.at(settings_.tile, store_of(core, Region::Push));
    if (pushed != 0) wait.grant.raise({pushed, store_of(core, Region::Config), settings_.tile});
  }
  Clock with_grant = thread.known;
  with_grant.join(wait.grant);
  if (has(5)) test_bank(wait, with_grant, {0, pointers_.unpack_a, false});
  if (has(6)) test_bank(wait, with_grant, {1, pointers_.unpack_b, false});
  if (has(7)) test_bank(wait, with_grant, {0, pointers_.matrix_a, true});
  if (has(8)) test_bank(wait, with_grant, {1, pointers_.matrix_b, true});
}

void Detector::latch(Thread& thread, unsigned index, u32 word, u32 op) {
  Wait& wait = thread.wait;
  wait = {};
  wait.latched = true;
  switch (tensix::opcode_of(word)) {
    case tensix::op::STALLWAIT::kOpcode:
      latch_stallwait(thread, index, word, op);
      break;
    case tensix::op::SEMWAIT::kOpcode: {
      const tensix::op::SEMWAIT view{word};
      wait.block = block_or_default(view.stall_res());
      for (u32 left = view.sem_sel(); left != 0; left &= left - 1)
        wait.semaphores.push_back({static_cast<u8>(std::countr_zero(left)),
                                   (view.wait_sem_cond() & 1) != 0,
                                   (view.wait_sem_cond() & 2) != 0});
      break;
    }
    default:  // STREAMWAIT: what it guarantees comes as event::StreamTest
      wait.block = block_or_default(tensix::op::STREAMWAIT{word}.stall_res());
      break;
  }
}

void Detector::lost(const Semaphore& semaphore, const Side& by, unsigned index, bool post) {
  Finding finding;
  finding.kind = FindingKind::LostSync;
  finding.edge = EdgeId::SemaphoreSaturates;
  finding.tile = settings_.tile;
  finding.where = place_of(Object::Semaphore, index);
  // In front of a take that comes to nothing: who took the last, or posts what comes too late.
  finding.first = post || semaphore.value != 0 || semaphore.last_get.site.pc == 0
                      ? semaphore.last_post
                      : semaphore.last_get;
  finding.first.known = finding.first.site.pc != 0;
  finding.second = by;
  finding.detail = post ? "the semaphore can be at 15 already: then the post is lost"
                        : "the semaphore can be at 0 still: then the take is lost";
  report(finding);
}

void Detector::post(Semaphore& semaphore, const Clock& clock, const Side& by, unsigned index) {
  if (semaphore.value == kSaturated) {
    lost(semaphore, by, index, true);
    return;
  }
  ++semaphore.value;
  semaphore.posts.publish(clock);
  semaphore.last_post = by;
  semaphore.given.add(by.epoch);
  // Of the takes, only those that the poster knows of are certain to have made room.
  if (semaphore.posts.total() > semaphore.taken.known_to(clock) + kSaturated)
    lost(semaphore, by, index, true);
}

void Detector::take(Semaphore& semaphore, const Clock& clock, const Side& by, unsigned index) {
  if (semaphore.value == 0) {
    lost(semaphore, by, index, false);
    return;
  }
  --semaphore.value;
  semaphore.gets.publish(clock);
  // Of the posts, only those that the taker knows of are certain to have come.
  if (semaphore.gets.total() > semaphore.given.known_to(clock)) lost(semaphore, by, index, false);
  semaphore.last_get = by;
  semaphore.taken.add(by.epoch);
}

/// A semaphore puts others in order, but not its own start (row 70).
void Detector::touch_semaphore(const Side& by, const Clock& clock, unsigned index, Mode mode,
                               bool limit) {
  Actor actor{by.epoch, &clock, by.site, mode, by.kind};
  actor.pushed_at = by.pushed_at;
  const Location where{Place::Semaphore, 1, index * 2u + (limit ? 1u : 0u)};
  access(actor, where);
  if (mode != Mode::Write || limit) return;
  // All that have posted and taken, of whom the shadow knows the last.
  for (const ActionLog* log : {&semaphores_[index].given, &semaphores_[index].taken})
    for (const Epoch before : log->recent())
      if (!clock.knows(before)) report_pair(actor, before, Mode::Atomic, where);
}

void Detector::execute_sync(Thread& thread, unsigned index, const event::Issue& one) {
  using namespace tensix;
  const u32 word = one.site.pc;
  const Side by{one.site,   {one.op, part_of(index, Part::Gate), settings_.tile},
                kind::Gate, Mode::Write,
                true,       one.pushed_at};
  const auto each = [](u32 mask, auto&& act) {
    for (u32 left = mask; left != 0; left &= left - 1)
      act(static_cast<unsigned>(std::countr_zero(left)));
  };
  // Custom: what the thread's own core has posted before a push is there when the push is executed
  // (LLK posts UNPACK_SYNC by a store, and the SEMGET behind the unpack takes it back).
  const auto with_own_posts = [&] {
    Clock clock = gate_clock(index);
    const u32 pushed = clock.at(settings_.tile, store_of(index + 2, Region::Push));
    if (pushed != 0) clock.raise({pushed, store_of(index + 2, Region::PcBuf), settings_.tile});
    return clock;
  };
  switch (opcode_of(word)) {
    case op::STALLWAIT::kOpcode:
    case op::SEMWAIT::kOpcode:
    case op::STREAMWAIT::kOpcode:
      latch(thread, index, word, one.op);
      for (const SemaphoreTest& test : thread.wait.semaphores)
        if (test.on_max) touch_semaphore(by, gate_clock(index), test.index, Mode::Read, true);
      break;
    case op::SEMPOST::kOpcode:
      each(op::SEMPOST{word}.sem_sel(), [&](unsigned i) {
        touch_semaphore(by, gate_clock(index), i, Mode::Atomic);
        post(semaphores_[i], gate_clock(index), by, i);
      });
      break;
    case op::SEMGET::kOpcode:
      each(op::SEMGET{word}.sem_sel(), [&](unsigned i) {
        const Clock clock = with_own_posts();
        touch_semaphore(by, clock, i, Mode::Atomic);
        take(semaphores_[i], clock, by, i);
      });
      break;
    case op::SEMINIT::kOpcode:
      each(op::SEMINIT{word}.sem_sel(), [&](unsigned i) {
        Semaphore& semaphore = semaphores_[i];
        const Clock clock = with_own_posts();
        touch_semaphore(by, clock, i, Mode::Write);
        if (semaphore.max != op::SEMINIT{word}.max_value())
          touch_semaphore(by, clock, i, Mode::Write, true);
        semaphore = {};
        semaphore.max = op::SEMINIT{word}.max_value();
        semaphore.value = op::SEMINIT{word}.init_value();
        if (semaphore.value != 0) semaphore.posts.publish(gate_clock(index), semaphore.value);
        semaphore.given.set_known(semaphore.value);
      });
      break;
    case op::ATGETM::kOpcode:
      take_mutex(thread, index, op::ATGETM{word}.mutex_index() & 7, by.epoch);
      break;
    case op::ATRELM::kOpcode: {
      const u32 mutex = op::ATRELM{word}.mutex_index() & 7;
      mutexes_[mutex] = gate_clock(index);
      if (settings_.without_locks) leave_section(mutex_id(settings_.tile, mutex), mutexes_[mutex]);
      break;
    }
    default:
      break;
  }
}

void Detector::take_mutex(Thread& thread, unsigned index, u32 mutex, Epoch self) {
  if (settings_.without_locks)
    guard_->take(mutex_id(settings_.tile, mutex), taker_of_thread(index), self);
  else
    thread.known.join(mutexes_[mutex]);
}

void Detector::on(const event::StreamTest& one) {
  threads_[one.thread].wait.streams.push_back(one);
}

/// ATCAS and ATINCGETPTR hold their thread until the word lets them change it. Atomics of a word
/// are in one order, so all that its writers knew is known, and that the change is made.
void Detector::acquire_word(Thread& thread, Op& op, const event::Access& one) {
  const Epoch self{op.op, part_of(one.thread, op.part), settings_.tile};
  mark_sync(one.where.begin, one.old.at(one.where.begin / 4));
  const SyncWord& word = *sync_word(one.where.begin);
  thread.known.join(word.known_at(word.version(), SyncWord::kAllBytes));
  thread.known.raise(self);
  op.clock.join(thread.known);
}

/// The scalar unit's atomics add, or set the word.
AtomicChange Detector::change_of(const event::Access& one) const {
  const u8 opcode = tensix::opcode_of(one.site.pc);
  const bool adds =
      opcode == tensix::op::ATINCGET::kOpcode || opcode == tensix::op::ATINCGETPTR::kOpcode;
  const u64 word = one.where.begin / 4;
  const u32* const old = one.old.at(word);
  if (!adds || old == nullptr) return {};
  return {SyncWord::How::Add, value_of_word(word) - *old};
}

void Detector::on(const event::Access& one) {
  Op& op = op_of(threads_[one.thread], one.op);
  const u8 opcode = tensix::opcode_of(one.site.pc);
  const bool waits =
      opcode == tensix::op::ATCAS::kOpcode || opcode == tensix::op::ATINCGETPTR::kOpcode;
  if (waits && one.where.place == Place::L1 && one.mode == Mode::Atomic)
    acquire_word(threads_[one.thread], op, one);
  constexpr u32 kKinds[kParts] = {kind::Gate,  kind::Expander, kind::Unpack, kind::Unpack,
                                  kind::Fpu,   kind::Sfpu,     kind::Pack,   kind::Thcon,
                                  kind::Mover, kind::Config};
  // What the scalar unit reads of its registers it reads in order, whatever it does afterwards.
  const bool scalar = one.where.place == Place::Gpr && one.mode == Mode::Read;
  const bool at_issue = scalar || (one.sampled && settings_.level != Level::Documented);
  const Part part = at_issue ? Part::Gate : op.part;
  const Epoch self{op.op, part_of(one.thread, part), settings_.tile};
  const Actor actor{self,
                    &op.clock,
                    one.site,
                    one.mode,
                    kKinds[static_cast<unsigned>(part)],
                    is_sync(one.where),
                    one.same,
                    op.pushed_at};
  access(actor, one.where);
  if (one.where.place != Place::L1 || one.mode == Mode::Read) return;
  if (one.mode == Mode::Atomic) mark_sync(one.where.begin, one.old.at(one.where.begin / 4));
  if (one.mode == Mode::Atomic || book_.has(one.where.begin / 4 * 4)) note_lock(one);
  const Taker taker = taker_of_thread(one.thread);
  const u64 lock = one.where.begin / 4 * 4;
  if (is_lock(one.where) && (waits || holds_any(lock, taker))) {
    if (holds_any(lock, taker)) {
      leave_locks(lock, taker, op.clock);
    } else if (opcode == tensix::op::ATCAS::kOpcode) {
      const tensix::op::ATCAS view{one.site.pc};
      use_locks(lock, taker, self, op.clock, view.cmp_val(), view.swap_val());
    }
    return note_write(one.where, Clock(), {{}, one.mode == Mode::Atomic, nullptr, change_of(one)});
  }
  note_write(one.where, op.clock,
             {self, one.mode == Mode::Atomic, nullptr, change_of(one), &one.old});
}

/// ATCAS says what it finds and what it leaves; of a store it is not known, and who holds the lock
/// is taken to let it go.
void Detector::note_lock(const event::Access& one) {
  const u64 address = one.where.begin / 4 * 4;
  const Taker taker = taker_of_thread(one.thread);
  if (tensix::opcode_of(one.site.pc) != tensix::op::ATCAS::kOpcode) {
    if (!book_.has(address)) return;
    return one.where.size == 4 ? book_.let_go_by(address, taker)
                               : book_.written_from_outside(address);
  }
  const tensix::op::ATCAS view{one.site.pc};
  book_.changed(address, taker, {view.cmp_val(), view.swap_val(), SyncWord::How::Set, true});
}

/// The bank was the instruction's when it left the gate: everything after it in the thread comes
/// after the release, too.
void Detector::on(const event::SrcTake& one) {
  Thread& thread = threads_[one.thread];
  // The pointer of the other side can still move, and then another bank is tested.
  if (one.other && !flip_is_known(thread.known, one.src, true)) return;
  const SrcBank& bank = src_[one.src][one.bank];
  const Clock& release = one.matrix ? bank.to_matrix : bank.to_unpack;
  thread.known.join(release, thread.joined);
  Op& op = op_of(thread, one.op);
  op.clock = gate_clock(one.thread);
  op.clock.raise({one.op, part_of(one.thread, op.part), settings_.tile});
}

void Detector::on(const event::SrcGive& one) {
  Thread& thread = threads_[one.thread];
  const Op& op = op_of(thread, one.op);
  SrcBank& bank = src_[one.src][one.bank];
  if (one.matrix && (!bank.matrix || !op.clock.knows(bank.given))) report_release(one, op, bank);
  bank.matrix = !one.matrix;
  bank.given = {op.op, part_of(one.thread, op.part), settings_.tile};
  (one.matrix ? bank.to_unpack : bank.to_matrix) = op.clock;
  last_flip_[one.src][one.matrix ? 1 : 0] = {op.op, part_of(one.thread, op.part), settings_.tile};
}

/// The matrix unit gives a bank back that it has not waited for: perhaps it does not have it yet
/// (row 67).
void Detector::report_release(const event::SrcGive& one, const Op& op, const SrcBank& bank) {
  Finding finding;
  finding.kind = !bank.matrix                           ? FindingKind::LostSync
                 : settings_.level == Level::Documented ? FindingKind::Contract
                                                        : FindingKind::Race;
  finding.edge = EdgeId::BankRelease;
  finding.tile = settings_.tile;
  finding.where = {one.src == 0 ? Place::SrcA : Place::SrcB, 64, one.bank * 64u};
  if (bank.given) finding.first = side_of(bank.given, Mode::Write);
  const Epoch self{op.op, part_of(one.thread, op.part), settings_.tile};
  finding.second = {one.site, self, kind_of(self), Mode::Write, true, op.pushed_at};
  finding.detail = bank.matrix
                       ? "nothing makes the matrix unit wait for the bank that it gives back"
                       : "the bank is not the matrix unit's: giving it back only moves the "
                         "unit on to the other bank";
  report(std::move(finding));
}

void Detector::on(const event::SrcPointers& one) {
  pointers_ = one;
}

}  // namespace bhemu::race
