// What NoC requests mean for order (BlackholeA0/NoC/Counters.md, WormholeB0/NoC/Ordering.md).
//
// Requests of one class (NIU, kind, transaction id, channel) are in no order among themselves: that
// the last is done says nothing of the others. A class is known to be done when a counter proves
// that every one of its requests is.
#include <algorithm>

#include "race/detector.hpp"

namespace bhemu::race {
namespace {

// Indices of counters in Counters.md.
constexpr unsigned kAtomicResponses = 0;
constexpr unsigned kWriteAcks = 1;
constexpr unsigned kReadResponses = 2;
constexpr unsigned kWritesSent = 10;
constexpr unsigned kPostedSent = 11;
constexpr unsigned kOutstanding = 16;  // by transaction id
constexpr unsigned kOutgoing = 32;
constexpr unsigned kOutgoingEnd = 48;

constexpr u8 kSource = 0;
constexpr u8 kCommit = 1;
constexpr u8 kLatch = 2;
constexpr u8 kPhases = 1u << kSource | 1u << kCommit;

constexpr u32 bit_of(NocKind kind) {
  return 1u << static_cast<unsigned>(kind);
}

u32 commit_kind(NocKind kind) {
  switch (kind) {
    case NocKind::Read:
      return kind::NocRead;
    case NocKind::Write:
      return kind::NocWrite;
    case NocKind::Posted:
      return kind::NocPosted;
    default:
      return kind::NocAtomic;
  }
}

u32 source_kind(NocKind kind) {
  return kind == NocKind::Read ? kind::NocReadSource : kind::NocSource;
}

}  // namespace

const char* name_of(NocKind kind) {
  constexpr const char* kNames[kNocKinds] = {"read", "write", "posted write", "atomic",
                                             "posted atomic"};
  return kNames[static_cast<unsigned>(kind)];
}

Component Detector::class_of(const NocClass& wanted) {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const NocClass& row = classes_[i];
    if (row.kind == wanted.kind && row.niu == wanted.niu && row.tid == wanted.tid &&
        row.core == wanted.core && row.phase == wanted.phase && row.buffer == wanted.buffer &&
        row.channel == wanted.channel && row.to_register == wanted.to_register)
      return static_cast<Component>(kFirstNoc + i);
  }
  classes_.push_back(wanted);
  return static_cast<Component>(kFirstNoc + classes_.size() - 1);
}

/// Learns that the requests of all classes that match are done, in the phases of a mask.
void Detector::raise_classes(Clock& clock, u8 phases, u32 kinds, int tid, unsigned niu,
                             unsigned core, u32 upto_time) {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const NocClass& row = classes_[i];
    if ((phases >> row.phase & 1) == 0 || (kinds & bit_of(row.kind)) == 0) continue;
    if (row.niu != niu || (tid >= 0 && row.tid != tid)) continue;
    // Of the reading core: its start may come after the look at the counter.
    if (row.core == core && row.last_time > upto_time) continue;
    if (row.last == 0) continue;
    clock.join(row.clock);
    clock.raise({row.last, static_cast<Component>(kFirstNoc + i), settings_.tile});
  }
}

void Detector::count_request(Niu& niu, const event::Request& one) {
  switch (one.kind) {
    case NocKind::Read:
      niu.counted[kReadResponses] += one.answers;
      break;
    case NocKind::Write:
      niu.counted[kWriteAcks] += one.answers;
      niu.counted[kWritesSent] += one.packets;
      break;
    case NocKind::Posted:
      niu.counted[kPostedSent] += one.packets;
      break;
    case NocKind::Atomic:
      niu.counted[kAtomicResponses] += one.answers;
      break;
    case NocKind::PostedAtomic:
      break;
  }
  // The id's counter goes up once for each packet and down once for each answer (row 51).
  const bool answered = one.kind != NocKind::Posted && one.kind != NocKind::PostedAtomic;
  if (answered && one.answers != one.packets) niu.outstanding_bad[one.tid & 15] = 1;
}

std::shared_ptr<Packet> Detector::packet_of(const event::Request& one, u32 number) {
  auto packet = std::make_shared<Packet>();
  packet->kind = one.kind;
  packet->site = one.site;
  packet->number = number;
  packet->target = one.target;
  packet->channel = one.channel;
  packet->linked = one.linked;
  packet->to_register = one.to_register;
  packet->polled = one.polled;
  packet->change = one.change;
  if (one.asks) packet->reply = std::make_shared<Reply>();
  return packet;
}

/// A request's entry into a class, which has all of that kind from the same core.
Epoch Detector::enter(NocClass row, const Sending& send) {
  const Component component = class_of(row);
  NocClass& kept = classes_[component - kFirstNoc];
  kept.last = send.number;
  kept.last_time = send.time;
  kept.site = row.site;
  kept.clock.join(send.clock);
  return {send.number, component, settings_.tile};
}

/// What a store to CMD_CTRL does by itself, wherever it is. `row` says of the request what is
/// known.
Detector::Sending Detector::begin_send(const event::Send& one, NocClass row) {
  Core& core = begin(one.site, one.step);
  const unsigned index = index_of(core_of(one.site.agent));
  Sending send{one.niu, one.buffer, ++nius_[one.niu].number, core.time, {}, {}};
  send.clock = snapshot(index, Region::Niu);
  const u32 first = (one.niu * 4u + one.buffer) * 32;
  queue_store(core, {Place::Initiator, 1, first + 16}, Region::Niu);
  // The initiator's registers are read until CMD_CTRL says 0 (row 43).
  row.phase = kLatch;
  row.buffer = static_cast<u8>(one.buffer);
  send.latch = enter(row, send);
  remember(send.latch, {one.site}, commit_kind(row.kind));
  access({send.latch, &send.clock, one.site, Mode::Read, commit_kind(row.kind), false},
         {Place::Initiator, 17, first});
  return send;
}

void Detector::on(const event::Send& one) {
  const unsigned index = index_of(core_of(one.site.agent));
  NocClass row;
  row.niu = static_cast<u8>(one.niu);
  row.core = static_cast<u8>(index);
  row.site = one.site;
  cores_[index].sends.push_back(begin_send(one, row));
}

void Detector::on(const event::Request& one) {
  const unsigned index = index_of(core_of(one.site.agent));
  Core& core = cores_[index];
  Niu& niu = nius_[one.niu];
  NocClass row;
  row.kind = one.kind;
  row.niu = static_cast<u8>(one.niu);
  row.tid = one.tid;
  row.core = static_cast<u8>(index);
  row.channel = one.channel;
  row.to_register = one.to_register;
  row.site = one.site;

  const auto late = std::find_if(core.sends.begin(), core.sends.end(), [&](const Sending& send) {
    return one.was_late && send.niu == one.niu && send.buffer == one.buffer;
  });
  Sending send;
  if (late == core.sends.end()) {
    send = begin_send({one.site, one.niu, one.buffer, one.step}, row);
  } else {
    send = std::move(*late);
    core.sends.erase(late);
  }
  Clock& clock = send.clock;

  // Custom (row 49): all packets on a channel take effect in order; but a register can be written
  // before the data in front of it is in memory (row 62), and what a read brings back comes by
  // other channels, nor is its source known to have been read.
  if (one.channel != 0 && settings_.level != Level::Documented)
    for (std::size_t i = 0; i < classes_.size(); ++i)
      if (const NocClass& before = classes_[i];
          before.channel == one.channel && before.to_register == one.to_register &&
          before.phase == kCommit && before.kind != NocKind::Read)
        clock.raise({before.last, static_cast<Component>(kFirstNoc + i), settings_.tile});

  std::shared_ptr<Packet> packet = packet_of(one, send.number);
  check_split(niu, one, {one.site, send.latch, commit_kind(one.kind), Mode::Write}, clock);

  if (one.source.size != 0 || one.kind == NocKind::Read) {
    row.phase = kSource;
    packet->source = enter(row, send);
    remember(packet->source, {one.site}, source_kind(one.kind));
  }
  row.phase = kCommit;
  packet->commit = enter(row, send);
  remember(packet->commit, {one.site}, commit_kind(one.kind));
  note_packet(*packet, packet->commit);
  // Whether the kernel has returned while the store was still on its way. Nobody waits for an
  // atomic that is not answered, nor for a posted write without a source in memory.
  const Epoch last = one.kind == NocKind::PostedAtomic ? Epoch{}
                     : one.kind == NocKind::Posted     ? packet->source
                                                       : packet->commit;
  if (last && send.time <= core.returned) {
    NocClass& kept = classes_[last.component - kFirstNoc];
    kept.reported = send.number;
    report_exit(kept, last, {core.returned, program_of(index), settings_.tile}, core.returned_at);
  }
  let_go_far(one, index, clock);
  if (settings_.without_locks && settings_.has_far_locks) packet->held = guard_->held(clock);
  packet->clock = clock;
  if (one.source.size != 0)
    access({packet->source, &clock, one.site, Mode::Read, kind::NocSource, is_sync(one.source)},
           one.source);
  count_request(niu, one);
  if (one.ticket != nullptr) *one.ticket = std::move(packet);
}

/// Until a request that hardware splits is through, no initiator of the NIU may be started.
void Detector::check_split(Niu& niu, const event::Request& one, const Side& by,
                           const Clock& clock) {
  if (niu.split && niu.split_buffer != one.buffer && !clock.knows(niu.split)) {
    Finding finding;
    finding.kind = settings_.level == Level::Documented ? FindingKind::Contract : FindingKind::Race;
    finding.edge = EdgeId::SplitRequest;
    finding.tile = settings_.tile;
    finding.where = {Place::Initiator, 17, (one.niu * 4u + niu.split_buffer) * 32u};
    finding.first = side_of(niu.split, Mode::Read);
    finding.second = by;
    report(std::move(finding));
  }
  if (one.packets <= 1) return;
  niu.split = by.epoch;
  niu.split_buffer = one.buffer;
}

void Detector::note_packet(const Packet& packet, Epoch epoch) {
  if (settings_.sites != nullptr) return;
  Track& track = track_of(epoch);
  track.channel = packet.channel;
  track.noc = packet.kind;
  track.linked = packet.linked;
  track.to_register = packet.to_register;
}

void Detector::on(const event::Arrive& one) {
  const Packet& packet = *one.ticket;
  Site site = packet.site;
  site.cycle = one.cycle;
  const Epoch self = one.at_source ? packet.source : packet.commit;
  const u32 kind = one.at_source ? source_kind(packet.kind) : commit_kind(packet.kind);
  remember(self, {site}, kind);
  note_packet(packet, self);
  // Several atomics may return their old values to one word, which often is never read.
  if (one.answer) return access({self, &packet.clock, site, Mode::Atomic, kind}, one.where);
  if (one.mode == Mode::Atomic) return change_word(one, self, kind);
  Actor actor{self, &packet.clock, site, one.mode, kind};
  actor.held = &packet.held;
  if (one.at_source) return read_source(actor, one);
  actor.sync = is_sync(one.where);
  access(actor, one.where);
  if (one.where.place != settings_.memory_place || one.mode == Mode::Read) return;
  const Taker taker = taker_of(packet);
  for (u64 word = one.where.begin / 4; one.where.size <= 16 && word < (one.where.end() + 3) / 4;
       ++word)
    if (book_.has(word * 4)) book_.stored(word * 4, taker, value_of_word(word));
  if (is_lock(one.where) && one.where.size <= 16)
    return note_write(one.where, Clock(), {{}, false, nullptr, {}, &one.old});
  note_write(one.where, known_by_arrival(packet, self), {self, false, nullptr, {}, &one.old});
}

/// The clock of an agent that has read data which the packet has written.
Clock Detector::known_by_arrival(const Packet& packet, Epoch self) const {
  Clock known = packet.clock;
  known.raise(self);
  // Custom: what has arrived has been read, all of it.
  if (packet.source && settings_.level != Level::Documented) known.raise(packet.source);
  return known;
}

/// Cores of this tile are the same takers of a lock by whichever way they go.
Taker Detector::taker_of(const Packet& packet) const {
  const unsigned core = is_core(packet.site.agent) ? index_of(core_of(packet.site.agent)) : 0;
  return packet.site.tile == settings_.tile ? core : taker_elsewhere(packet.site.tile, core);
}

/// An atomic of an NIU. What it has found goes back, with what those knew who had written it.
void Detector::change_word(const event::Arrive& one, Epoch self, u32 kind) {
  const Packet& packet = *one.ticket;
  const u64 index = one.where.begin / 4;
  mark_sync(one.where.begin, one.old.at(index));
  const SyncWord& word = words_.at(index);
  const u32 after = value_of_word(index);
  const u32 before = one.old.at(index) != nullptr ? *one.old.at(index) : ~after;
  if (packet.reply != nullptr) {
    packet.reply->address = index * 4;
    packet.reply->known = word.known_at(word.version(), SyncWord::kAllBytes);
  }
  Clock clock = packet.clock;
  if (comes_behind(packet.change, word, before, after))
    clock.join(word.known_at(word.version(), SyncWord::kAllBytes));
  Actor actor{self, &clock, packet.site, before == after ? Mode::Read : Mode::Atomic, kind, true};
  actor.site.cycle = one.cycle;
  actor.held = &packet.held;
  access(actor, one.where);
  if (before == after || one.where.place != settings_.memory_place) return;
  const Taker taker = taker_of(packet);
  LockBook::Change change{before, after, packet.change.how};
  if (packet.reply != nullptr)
    change.looked = LockBook::Looked(packet.reply, &packet.reply->looked_at);
  book_.changed(index * 4, taker, change);
  if (is_lock(one.where))  // taken where its taker is, and let go when this was sent
    return note_write(one.where, Clock(), {{}, true, nullptr, packet.change, &one.old});
  clock.raise(self);
  note_write(one.where, clock, {self, true, nullptr, packet.change, &one.old});
}

/// A read polls the words by which agents signal each other, and what is in one unit of 16 bytes
/// with such a word: that much is read at once.
void Detector::read_source(Actor actor, const event::Arrive& one) {
  constexpr u64 kUnit = 16;
  const Packet& packet = *one.ticket;
  const bool in_memory = one.where.place == settings_.memory_place;
  if (in_memory && packet.polled >= one.where.begin && packet.polled < one.where.end())
    mark_sync(packet.polled);
  if (in_memory && near_sync(one.where)) {
    for (u64 at = one.where.begin; at < one.where.end();) {
      const u64 end = std::min(one.where.end(), (at / kUnit + 1) * kUnit);
      const Location unit{one.where.place, static_cast<u32>(kUnit), at / kUnit * kUnit};
      actor.sync = is_sync(unit);
      access(actor, {one.where.place, static_cast<u32>(end - at), at});
      at = end;
    }
  } else {
    access(actor, one.where);
  }
  if (packet.reply == nullptr || !in_memory || one.where.size > kShortRead) return;
  for (u64 word = (one.where.begin + 3) / 4; word < one.where.end() / 4; ++word) {
    if (const SyncWord* known = sync_word(word * 4); known != nullptr) {
      packet.reply->words.push_back({word * 4, *known});
    } else if (const RecentWrite* last = recent_write(word); last != nullptr) {
      packet.reply->words.push_back({word * 4, history_of(*last, &last->old)});
    } else {
      packet.reply->words.push_back({word * 4, SyncWord(value_of_word(word))});
    }
  }
}

/// Whether the value says that all requests it counts are done.
bool Detector::proves(const Niu& niu, unsigned index, u32 value) const {
  if (index >= kOutstanding && index < kOutgoingEnd) {
    if (index < kOutgoing && niu.outstanding_bad[index - kOutstanding] != 0) return false;
    return (value & 0xFF) == 0;
  }
  return value == niu.counted[index];
}

/// What a core knows when the counter has the value, all lower (for those that count down: higher)
/// ones being ruled out.
Clock Detector::answered(const event::Counter& one, Core& core, unsigned index) {
  const Niu& niu = nius_[one.niu];
  Clock clock;
  if (!proves(niu, one.index, one.value)) return clock;
  const bool custom = settings_.level != Level::Documented;
  // A counter that has come down to 0 was perhaps not up yet, unless CMD_CTRL was read back
  // before (row 60); shipped software does not.
  const Location where{Place::Counter, 1, one.niu * 64u + one.index};
  const u32 started = custom
                          ? core.time
                          : std::max(emitted_before(core, Region::Niu, where),
                                     core.known.at(settings_.tile, store_of(index, Region::Niu)));
  const unsigned n = one.niu;
  if (one.index == kAtomicResponses) {
    raise_classes(clock, kPhases, bit_of(NocKind::Atomic), -1, n, index, ~0u);
  } else if (one.index == kWriteAcks) {
    raise_classes(clock, kPhases, bit_of(NocKind::Write), -1, n, index, ~0u);
  } else if (one.index == kReadResponses) {
    raise_classes(clock, kPhases, bit_of(NocKind::Read), -1, n, index, ~0u);
  } else if (one.index == kWritesSent || one.index == kPostedSent) {
    const NocKind kind = one.index == kWritesSent ? NocKind::Write : NocKind::Posted;
    if (custom) raise_classes(clock, 1u << kSource, bit_of(kind), -1, n, index, ~0u);
  } else if (one.index >= kOutstanding && one.index < kOutgoing) {
    const u32 kinds = bit_of(NocKind::Read) | bit_of(NocKind::Write) | bit_of(NocKind::Atomic);
    raise_classes(clock, kPhases, kinds, one.index - kOutstanding, n, index, started);
  } else if (one.index >= kOutgoing && one.index < kOutgoingEnd) {
    raise_classes(clock, 1u << kSource, bit_of(NocKind::Write) | bit_of(NocKind::Posted),
                  one.index - kOutgoing, n, index, started);
  }
  return clock;
}

Clock Detector::known_by_counter(const event::Counter& one) {
  const unsigned index = index_of(core_of(one.site.agent));
  return answered(one, cores_[index], index);
}

void Detector::on(const event::Counter& one) {
  Core& core = begin(one.site, one.step);
  const unsigned index = index_of(core_of(one.site.agent));
  grant(core, {one.step, core.time, one.reg, Region::Niu, true, answered(one, core, index)});
}

Clock Detector::known_by_free_initiator(unsigned niu, unsigned buffer) const {
  Clock clock;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const NocClass& row = classes_[i];
    if (row.phase == kLatch && row.niu == niu && row.buffer == buffer)
      clock.raise({row.last, static_cast<Component>(kFirstNoc + i), settings_.tile});
  }
  return clock;
}

void Detector::report_exit(const NocClass& row, Epoch last, Epoch returned, const Site& at) {
  Finding finding;
  finding.kind = FindingKind::ExitInFlight;
  finding.edge = EdgeId::KernelEnd;
  finding.tile = settings_.tile;
  finding.where = {Place::Counter, 1, row.niu * 64u};
  finding.first = side_of(last, Mode::Write);
  finding.first.site = row.site;
  finding.first.known = true;
  finding.second = {at, returned, kind::Load, Mode::Read, true};
  finding.detail = std::string("a ") + name_of(row.kind) + " can still be under way";
  report(finding);
}

/// What the core sent and does not know to be done when its kernel returns (row 54): for posted
/// writes the reading of the source, for all others the answer.
void Detector::on(const event::Return& one) {
  const unsigned index = index_of(core_of(one.site.agent));
  Core& core = cores_[index];
  settle(core, ~u64{0});
  u32 told = 0;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    NocClass& row = classes_[i];
    if (row.core != index || row.phase == kLatch || row.kind == NocKind::PostedAtomic) continue;
    if (row.phase != (row.kind == NocKind::Posted ? kSource : kCommit)) continue;
    const Epoch last{row.last, static_cast<Component>(kFirstNoc + i), settings_.tile};
    if (row.last <= row.reported || core.known.knows(last)) continue;
    row.reported = row.last;
    if ((told & bit_of(row.kind)) != 0) continue;
    told |= bit_of(row.kind);
    report_exit(row, last, {core.time, program_of(index), settings_.tile}, one.site);
  }
  core.returned = core.time;
  core.returned_at = one.site;
  if (!has_thread(core_of(one.site.agent))) return;
  const unsigned thread = index - 2;
  for (unsigned part = 0; part < kParts; ++part) {
    const u32 last = part == 0 ? threads_[thread].time : threads_[thread].last_of_part[part];
    const Epoch epoch{last, part_of(thread, static_cast<Part>(part)), settings_.tile};
    if (last == 0 || core.known.knows(epoch)) continue;
    Finding finding;
    finding.kind = FindingKind::ExitInFlight;
    finding.edge = EdgeId::KernelEnd;
    finding.tile = settings_.tile;
    finding.where = {Place::PushPort, 1, thread};
    finding.first = side_of(epoch, Mode::Write);
    finding.second = {
        one.site, {core.time, program_of(index), settings_.tile}, kind::Load, Mode::Read, true};
    finding.detail = std::string("the ") + name_of(static_cast<Part>(part)) +
                     " of the core's thread can still be at work";
    report(finding);
    break;
  }
}

void Detector::on(const event::HostWrite& one) {
  ++host_time_;
  const Component component = one.posted ? kHostPosted : kHostComponent;
  const Epoch self{host_time_, component, settings_.tile};
  Clock clock = host_;
  clock.raise(self);
  const bool sync = is_sync(one.where);
  Actor actor{self, &clock, one.site, Mode::Write, kind::Host, sync};
  u64 at = one.where.begin;
  for (const Location& same : one.same) {
    access(actor, {one.where.place, static_cast<u32>(same.begin - at), at});
    actor.same = true;
    access(actor, same);
    actor.same = false;
    at = same.end();
  }
  access(actor, {one.where.place, static_cast<u32>(one.where.end() - at), at});
  if (!one.posted) host_.raise(self);
  if (one.where.place == settings_.memory_place) note_write(one.where, clock, {self});
}

/// A read does not pass the posted writes before it. The host is taken to wait for what it reads of
/// a word that agents signal by.
void Detector::on(const event::HostRead& one) {
  ++host_time_;
  if (host_time_ > 1) host_.raise({host_time_ - 1, kHostPosted, settings_.tile});
  const Epoch self{host_time_, kHostComponent, settings_.tile};
  host_.raise(self);
  // What the host reads twice in a row it waits for.
  constexpr u32 kMostOfFlag = 16;
  if (one.where.place == settings_.memory_place && one.where.size <= kMostOfFlag) {
    if (host_looked_at_ == one.where.begin)
      for (u64 word = one.where.begin / 4; word < (one.where.end() + 3) / 4; ++word)
        mark_sync(word * 4);
    host_looked_at_ = one.where.begin;
  }
  const bool sync = is_sync(one.where);
  access({self, &host_, one.site, Mode::Read, kind::Host, sync}, one.where);
  if (!sync) return;
  for (u64 word = one.where.begin / 4; word < (one.where.end() + 3) / 4; ++word)
    if (const SyncWord* known = sync_word(word * 4); known != nullptr)
      host_.join(
          known->known_at(known->version(), bytes_of_word(word, one.where.begin, one.where.end())));
}

}  // namespace bhemu::race
