// What comes and goes over the NoC, what the host does, and queues.
#include <algorithm>

#include "base/bits.hpp"
#include "hazard/observer.hpp"
#include "noc/command.hpp"

namespace bhemu::hazard {
namespace {

using race::NocKind;
using race::Object;
using race::Place;
namespace event = race::event;

constexpr u32 kMostPages = 1024;  // added at once; anything else sets the counter anew
constexpr unsigned kPcBufs = 16;  // index in queues_, behind the mailboxes
constexpr u64 kWholeLine = ~u64{0};

NocKind kind_of(const trace::Request& request) {
  switch (request.kind) {
    case trace::RequestKind::Read:
      return NocKind::Read;
    case trace::RequestKind::Write:
      return request.posted ? NocKind::Posted : NocKind::Write;
    default:
      return request.posted ? NocKind::PostedAtomic : NocKind::Atomic;
  }
}

/// Same source, destination, NoC and static virtual channel; 0: in order with nothing.
u64 channel_of(const trace::Request& request) {
  if (!request.static_channel || request.targets.empty()) return 0;
  const u64 targets = u64{request.targets.front()} << 16 | request.targets.back();
  return 1 + (u64{request.id.tile} << 38 | targets << 6 | u64{request.virtual_channel} << 2 |
              u64{request.broadcast} << 1 | request.noc);
}

struct Effect {
  race::Mode mode;
  bool at_source;
  bool answer = false;
};
/// None: the phase accesses no memory, so no other access can conflict with it.
std::optional<Effect> effect_of(trace::Arrival::Phase phase) {
  using Phase = trace::Arrival::Phase;
  switch (phase) {
    case Phase::Write:
    case Phase::Data:
      return Effect{race::Mode::Write, false};
    case Phase::Read:
      return Effect{race::Mode::Read, true};
    case Phase::Atomic:
      return Effect{race::Mode::Atomic, false};
    case Phase::Result:
      return Effect{race::Mode::Atomic, false, true};
    default:
      return std::nullopt;
  }
}

template <class Visit>
void each_run(const trace::Arrival& arrival, Visit visit) {
  if (arrival.byte_enable == kWholeLine) return visit(arrival.address, arrival.length);
  for (u32 first = 0; first < 64;) {
    if (!bit(arrival.byte_enable, first)) {
      ++first;
      continue;
    }
    u32 last = first;
    while (last < 64 && bit(arrival.byte_enable, last)) ++last;
    visit(arrival.address + first, last - first);
    first = last;
  }
}

/// What an atomic of the NIU makes of any value (BlackholeA0/NoC/Atomics.md).
race::AtomicChange change_of(const trace::Request& request) {
  using How = race::SyncWord::How;
  constexpr u32 kIncrement = 1, kCompareAndSwap = 4, kZaamo = 10;
  constexpr How kHow[] = {How::Add, How::Xor, How::Or, How::And};
  const u32 operation = request.atomic_operation;
  const u32 instruction = bits(operation, 12, 4);
  if (instruction == kIncrement) return {How::Add, request.value};
  if (instruction == kCompareAndSwap) return {How::Set, 0, true};
  const u32 which = bits(operation, 8, 3);
  if (instruction == kZaamo && bit(operation, 11) && which < 4) return {kHow[which], request.value};
  return {};
}

void feed_arrival(Detectors& detectors, const Tickets& tickets, const trace::Arrival& arrival,
                  Place place, const race::OldWords& old) {
  const auto effect = effect_of(arrival.phase);
  if (!effect) return;
  each_run(arrival, [&](u64 address, u32 bytes) {
    const u32 size = effect->mode == race::Mode::Atomic ? 4 : bytes;
    for (unsigned level = 0; level < detectors.count(); ++level) {
      if (tickets[level] == nullptr) continue;
      detectors.at(level).on(event::Arrive{tickets[level],
                                           {place, size, address},
                                           effect->mode,
                                           arrival.author.cycle,
                                           effect->at_source,
                                           effect->answer,
                                           old});
    }
  });
}

race::OldWords old_words(const trace::Arrival& arrival, std::span<const u8> memory) {
  const auto effect = effect_of(arrival.phase);
  if (!effect || effect->mode == race::Mode::Read) return {};
  return {memory, arrival.address, effect->mode == race::Mode::Atomic ? 4 : arrival.length};
}

/// The host is the same for all nodes.
template <class E>
void feed_host(Detectors& detectors, Shared& shared, const E& event) {
  if (shared.is_over) return;
  shared.landed.give_to(shared.host);
  for (unsigned level = 0; level < detectors.count(); ++level) {
    race::Detector& detector = detectors.at(level);
    detector.host() = shared.host[level];
    detector.on(event);
    shared.host[level] = detector.host();
  }
}

}  // namespace

void HostBytes::assume(u64 address, std::span<const u8> held) {
  if (held.size() > kMost) return;
  for (std::size_t i = 0; i < held.size(); ++i) {
    Line& line = lines_[(address + i) / kLine];
    const u64 place = (address + i) % kLine;
    if ((line.known >> place & 1) != 0) continue;
    line.known |= u64{1} << place;
    line.bytes[place] = held[i];
  }
}

std::vector<race::Location> HostBytes::write(u64 address, std::span<const u8> bytes) {
  std::vector<race::Location> same;
  const u64 end = address + bytes.size();
  if (bytes.size() > kMost) {
    for (u64 at = address; at < end; at = (at / kLine + 1) * kLine) {
      const auto line = lines_.find(at / kLine);
      if (line == lines_.end()) continue;
      const u64 last = std::min(end, (at / kLine + 1) * kLine) - 1;
      const u64 from = ~u64{0} << at % kLine;
      line->second.known &= ~(from & ~u64{0} >> (kLine - 1 - last % kLine));
    }
    return same;
  }
  for (u64 at = address; at < end; ++at) {
    Line& line = lines_[at / kLine];
    const u64 place = at % kLine;
    const u8 byte = bytes[at - address];
    const bool as_before = (line.known >> place & 1) != 0 && line.bytes[place] == byte;
    line.known |= u64{1} << place;
    line.bytes[place] = byte;
    if (!as_before) continue;
    if (!same.empty() && same.back().end() == at)
      ++same.back().size;
    else
      same.push_back({Place::L1, 1, at});
  }
  return same;
}

// --- Requests

void TileObserver::requested(const trace::Request& request) {
  if (!is_core(request.author.agent)) return;
  const unsigned core = index_of(core_of(request.author.agent));
  const bool reads_source = request.kind == trace::RequestKind::Write && !request.inline_data &&
                            !noc::is_register(request.local);
  event::Request one;
  one.site = request.author;
  one.niu = request.noc;
  one.kind = kind_of(request);
  one.tid = request.transaction_id;
  one.buffer = request.buffer;
  one.packets = request.packets;
  one.answers = request.answers;
  one.channel = channel_of(request);
  one.linked = request.linked;
  one.to_register = noc::is_register(request.remote);
  if (request.kind == trace::RequestKind::Atomic) one.change = change_of(request);
  one.source = {Place::L1, reads_source ? request.length : 0, request.local};
  one.step = cores_[core].step;
  std::vector<u32>& late = cores_[core].late_sends;
  const auto sent = std::find(late.begin(), late.end(), request.noc * 4u + request.buffer);
  one.was_late = sent != late.end();
  if (one.was_late)
    late.erase(sent);
  else
    cores_[core].has_sent = true;
  if (request.targets.size() == 1 && request.kind != trace::RequestKind::Read) {
    const bool is_atomic = request.kind == trace::RequestKind::Atomic;
    one.target = request.targets.front();
    one.remote = {Place::L1, is_atomic ? 4 : request.length, request.remote};
  }
  ask_for_words(request, one);
  Tickets tickets;
  for (unsigned level = 0; level < detectors_.count(); ++level) {
    one.ticket = &tickets[level];
    detectors_.at(level).on(one);
  }
  shared_.departures[node_].put(request.id.number, std::move(tickets));
}

/// A short read can be how a core polls a word of another tile, an atomic how it takes a lock
/// there.
void TileObserver::ask_for_words(const trace::Request& request, event::Request& one) {
  if (request.targets.size() != 1 || request.local >= tile_.l1().size()) return;
  if (one.kind == NocKind::Atomic) one.asks = true;
  if (one.kind != NocKind::Read || request.length > race::kShortRead) return;
  one.asks = true;
  const NodeId node = request.targets.front();
  const auto polled = polled_remotely_.lower_bound({node, request.remote});
  if (polled != polled_remotely_.end() && polled->first == node &&
      polled->second < request.remote + request.length)
    one.polled = polled->second;
  short_reads_[request.id.number] = {node, request.remote, request.local, request.length};
  constexpr std::size_t kMostReads = 1024;  // whose answers can be under way
  if (short_reads_.size() > kMostReads) short_reads_.erase(short_reads_.begin());
}

void TileObserver::keep_words(const trace::Arrival& arrival, const Tickets& tickets) {
  const auto read = short_reads_.find(arrival.id.number);
  if (read == short_reads_.end() || tickets[0] == nullptr || tickets[0]->reply == nullptr) return;
  const ShortRead& from = read->second;
  for (const race::Reply::Word& one : tickets[0]->reply->words) {
    const u64 local = from.local + (one.address - from.remote);
    if (local < arrival.address || local >= arrival.address + arrival.length) continue;
    remote_[static_cast<u32>(local / 4)] = {from.node, one.address, tickets};
  }
  if (arrival.address + arrival.length >= from.local + from.length) short_reads_.erase(read);
}

/// What an atomic has found elsewhere is in this word now.
void TileObserver::keep_result(const trace::Arrival& arrival, const Tickets& tickets) {
  if (tickets[0] == nullptr || tickets[0]->reply == nullptr || arrival.id.tile != node_) return;
  remote_[static_cast<u32>(arrival.address / 4)] = {tickets[0]->target, tickets[0]->reply->address,
                                                    tickets, true};
}

void TileObserver::arrives(const trace::Arrival& arrival) {
  old_words_ = old_words(arrival, {tile_.l1().data(), tile_.l1().size()});
}

void MemoryObserver::arrives(const trace::Arrival& arrival) {
  old_words_ = old_words(arrival, memory_);
}

void TileObserver::arrived(const trace::Arrival& arrival) {
  if (arrival.id.number == 0 || arrival.id.tile >= shared_.departures.size()) return;
  if (!effect_of(arrival.phase)) return;
  const Tickets tickets = shared_.departures[arrival.id.tile].get(arrival.id.number);
  if (arrival.address < tile_.l1().size()) {
    feed_arrival(detectors_, tickets, arrival, Place::L1, old_words_);
    if (effect_of(arrival.phase)->mode != race::Mode::Read)
      each_run(arrival, [&](u64 address, u32 bytes) { written(address, bytes); });
    if (arrival.phase == trace::Arrival::Phase::Data) keep_words(arrival, tickets);
    if (arrival.phase == trace::Arrival::Phase::Result) keep_result(arrival, tickets);
  }
  std::array<race::Clock, kLevels> clocks;
  for (unsigned level = 0; level < detectors_.count(); ++level) {
    if (tickets[level] == nullptr) continue;
    clocks[level] = tickets[level]->clock;
    clocks[level].raise(tickets[level]->commit);
    if (level == 0 && tickets[level]->source) clocks[level].raise(tickets[level]->source);
    if (arrival.address >= tile_.l1().size()) detectors_.at(level).note_arrival(*tickets[level]);
  }
  for (const trace::ObjectChange& change : by_packet_) publish_pages(change, clocks);
  by_packet_.clear();
}

void MemoryObserver::arrived(const trace::Arrival& arrival) {
  if (arrival.id.number == 0 || arrival.id.tile >= shared_.departures.size()) return;
  feed_arrival(detectors_, shared_.departures[arrival.id.tile].get(arrival.id.number), arrival,
               Place::Dram, old_words_);
}

/// Custom: what has been written to the host's memory before the host does something else, it can
/// have waited for.
void HostMemoryObserver::arrived(const trace::Arrival& arrival) {
  if (arrival.phase != trace::Arrival::Phase::Write) return;
  if (arrival.id.number == 0 || arrival.id.tile >= shared_.departures.size()) return;
  shared_.landed.put(shared_.departures[arrival.id.tile].get(arrival.id.number));
}

// --- Queues and page counters

void TileObserver::changed(const trace::ObjectChange& change) {
  switch (change.object) {
    case trace::Object::Mailbox:
    case trace::Object::PcBuf:
      return change_queue(change);
    case trace::Object::Stream:
      if (is_core(change.author.agent)) {
        const unsigned core = index_of(core_of(change.author.agent));
        signal_pages(change, cores_[core].step);
        cores_[core].pages[change.index] =
            detectors_.first().posts_of(Object::Pages, static_cast<u16>(change.index));
      } else if (change.author.agent >= Agent::Thread0 && change.author.agent <= Agent::Thread2) {
        const unsigned thread =
            static_cast<unsigned>(change.author.agent) - static_cast<unsigned>(Agent::Thread0);
        change_late(threads_[thread], change);
      } else if (change.author.agent == Agent::Host) {
        publish_pages(change, shared_.host);
      } else {
        by_packet_.push_back(change);
      }
      return;
    default:
      return;  // semaphores and mutexes are read off the instructions
  }
}

/// A thread's change comes with its instruction, which is told of at its end, or when the store
/// lands.
void TileObserver::change_late(ThreadView& thread, const trace::ObjectChange& change) {
  const auto late = std::find_if(
      thread.late_stores.begin(), thread.late_stores.end(), [&](const ThreadView::LateStore& one) {
        return one.word == change.author.pc && one.at == change.author.cycle;
      });
  if (late == thread.late_stores.end()) {
    thread.changes.push_back(change);
    return;
  }
  signal_pages(change, late->number);
  thread.late_stores.erase(late);
}

void TileObserver::change_queue(const trace::ObjectChange& change) {
  if (!is_core(change.author.agent)) return;
  const CoreView& core = cores_[index_of(core_of(change.author.agent))];
  const bool mailbox = change.object == trace::Object::Mailbox;
  const Object object = mailbox ? Object::Mailbox : Object::PcBuf;
  QueueNumbers& numbers = queues_[mailbox ? change.index : kPcBufs + change.index];
  const u16 index = static_cast<u16>(change.index);
  if (change.how == trace::ObjectChange::How::Push) {
    ++numbers.pushed;
    detectors_.feed(event::Signal{change.author, object, index, 1, core.step, false});
  } else {
    const u8 reg = static_cast<u8>(bits(core.word, 7, 5));
    detectors_.feed(
        event::Observe{change.author, object, index, ++numbers.popped, reg, core.step, false});
    if (reg != 0) cores_[index_of(core_of(change.author.agent))].under_way |= u64{1} << reg;
  }
}

/// By how many pages a counter has risen. A counter that was set to another value instead counts
/// as one page, so that agents that wait for the new value are ordered after it.
u32 TileObserver::pages_added(const trace::ObjectChange& change) {
  const u32 added = (change.after - change.before) & 0xFFFF;
  if (added != 0 && added <= kMostPages) return added;
  for (unsigned level = 0; level < detectors_.count(); ++level)
    detectors_.at(level).set_anew(Object::Pages, static_cast<u16>(change.index));
  const u32 page = change.after != 0 ? 1 : 0;
  page_bases_[change.index] = change.after - page;
  for (CoreView& core : cores_) core.pages.erase(change.index);
  return page;
}

void TileObserver::signal_pages(const trace::ObjectChange& change, u64 step) {
  if (const u32 added = pages_added(change); added != 0)
    detectors_.feed(event::Signal{change.author, Object::Pages, static_cast<u16>(change.index),
                                  static_cast<u16>(added), step, false});
}

void TileObserver::publish_pages(const trace::ObjectChange& change,
                                 const std::array<race::Clock, kLevels>& clocks) {
  const u32 added = pages_added(change);
  if (added == 0) return;
  for (unsigned level = 0; level < detectors_.count(); ++level)
    detectors_.at(level).publish(Object::Pages, static_cast<u16>(change.index), added,
                                 clocks[level]);
}

// --- The host

void TileObserver::held(unsigned core, const Author& by) {
  cores_[core].late_sends.clear();
  const event::Hold one{by, core};
  if (by.agent == Agent::Host)
    feed_host(detectors_, shared_, one);
  else
    detectors_.feed(one);
}

void TileObserver::write_by_host(u64 address, std::span<const u8> bytes, Cycle cycle, bool posted) {
  if (address >= tile_.l1().size() || bytes.empty()) return;
  written(address, bytes.size());
  feed_host(detectors_, shared_,
            event::HostWrite{host_at(cycle),
                             {Place::L1, static_cast<u32>(bytes.size()), address},
                             posted,
                             from_host_.write(address, bytes)});
}

void TileObserver::host_writes(u64 address, u64 bytes, Cycle) {
  const L1& l1 = tile_.l1();
  if (!shared_.began_late || address >= l1.size() || bytes > l1.size() - address) return;
  from_host_.assume(address, {l1.data() + address, static_cast<std::size_t>(bytes)});
}

void TileObserver::host_read(u64 address, std::span<const u8> bytes, Cycle cycle) {
  if (address >= tile_.l1().size() || bytes.empty()) return;
  feed_host(detectors_, shared_,
            event::HostRead{host_at(cycle), {Place::L1, static_cast<u32>(bytes.size()), address}});
}

void MemoryObserver::host_wrote(u64 address, std::span<const u8> bytes, Cycle cycle) {
  const Author host{Agent::Host, 0, cycle, node_};
  feed_host(
      detectors_, shared_,
      event::HostWrite{host, {Place::Dram, static_cast<u32>(bytes.size()), address}, false, {}});
}

void MemoryObserver::host_read(u64 address, std::span<const u8> bytes, Cycle cycle) {
  const Author host{Agent::Host, 0, cycle, node_};
  feed_host(detectors_, shared_,
            event::HostRead{host, {Place::Dram, static_cast<u32>(bytes.size()), address}});
}

}  // namespace bhemu::hazard
