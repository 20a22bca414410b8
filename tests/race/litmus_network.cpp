#include "race/litmus.hpp"

namespace bhemu::race::test {
namespace {

constexpr Location kData{Place::L1, 64, 0x10000};
constexpr Location kThere{Place::Dram, 64, 0x40000};
constexpr Location kFlag{Place::L1, 4, 0x20000};
constexpr Location kCommand{Place::Initiator, 1, 16};
constexpr u8 kAtomicResponses = 0, kWriteAcks = 1, kReadResponses = 2, kWritesSent = 10,
             kOutgoing = 32;

event::Request write_of(Location source, u64 channel = 0) {
  event::Request one;
  one.kind = NocKind::Write;
  one.source = source;
  one.channel = channel;
  return one;
}
event::Request kind_of(NocKind kind) {
  event::Request one;
  one.kind = kind;
  return one;
}

void initiator(Bench& b, bool ordered) {
  b.request(kBrisc, write_of(kData));
  if (ordered) b.load_use(kBrisc, kCommand, Region::Niu, false, 0);
  b.store(kBrisc, {Place::Initiator, 1, 1}, Region::Niu);
}
/// Hardware is still splitting the first when another initiator is started.
void split_request(Bench& b, bool ordered) {
  event::Request one = write_of(kData);
  one.packets = 2;
  b.request(kBrisc, one);
  if (ordered) b.load_use(kBrisc, kCommand, Region::Niu, false, 0);
  event::Request other = write_of({Place::L1, 64, 0x50000}, 9);
  other.buffer = 2;
  b.request(kBrisc, other);
}
void shared_initiator(Bench& b, bool ordered) {
  b.store(kBrisc, {Place::Initiator, 1, 1}, Region::Niu);
  b.store(kNcrisc, {Place::Initiator, 1, ordered ? 33u : 1u}, Region::Niu);
}
void store_to_source(Bench& b, bool ordered) {
  b.store(kBrisc, l1(0x10000));
  if (ordered) b.load_use(kBrisc, l1(0x10000));
  b.request(kBrisc, write_of(kData));
}
void source_reuse(Bench& b, bool ordered) {
  b.request(kBrisc, write_of(kData));
  if (ordered) b.counter(kBrisc, 0, kOutgoing, 0);
  b.store(kBrisc, l1(0x10000));
}
void write_landed(Bench& b, bool ordered) {
  const Ticket ticket = b.request(kBrisc, write_of(kData));
  b.arrive(ticket, kThere, Mode::Write);
  b.counter(kBrisc, 0, ordered ? kWriteAcks : kWritesSent, 1);
  b.signal(kBrisc, Object::Mailbox, 1);
  b.observe(kNcrisc, Object::Mailbox, 1, 1);
  const Ticket read = b.request(kNcrisc, kind_of(NocKind::Read));
  b.arrive(read, kThere, Mode::Read, true);
}
void read_arrived(Bench& b, bool ordered) {
  const Ticket ticket = b.request(kNcrisc, kind_of(NocKind::Read));
  b.arrive(ticket, kThere, Mode::Read, true);
  b.arrive(ticket, kData, Mode::Write);
  b.counter(kNcrisc, 0, ordered ? kReadResponses : kWriteAcks, ordered ? 1 : 0);
  b.load_use(kNcrisc, l1(0x10000));
}
void atomic_done(Bench& b, bool ordered) {
  const Ticket ticket = b.request(kNcrisc, kind_of(NocKind::Atomic));
  b.arrive(ticket, kFlag, Mode::Atomic);
  b.counter(kNcrisc, 0, ordered ? kAtomicResponses : kWriteAcks, ordered ? 1 : 0);
  b.store(kNcrisc, kFlag);
}
/// Payload, then flag, on one channel: custom orders them; on two, nothing does.
void payload_then_flag(Bench& b, bool ordered) {
  b.detector.mark_sync(kFlag.begin);
  const Ticket payload = b.request(kBrisc, write_of({Place::L1, 64, 0x30000}, 7));
  b.arrive(payload, kData, Mode::Write);
  const Ticket flag = b.request(kBrisc, write_of({Place::L1, 4, 0x30100}, ordered ? 7 : 8));
  b.arrive(flag, kFlag, Mode::Write);
  b.load_use(kNcrisc, kFlag, Region::L1, true);
  b.load_use(kNcrisc, l1(0x10000));
}
void two_paths(Bench& b, bool ordered) {
  const Ticket first = b.request(kBrisc, write_of({Place::L1, 64, 0x30000}));
  b.arrive(first, kThere, Mode::Write);
  if (ordered) b.counter(kBrisc, 0, kWriteAcks, 1);
  event::Request other = write_of({Place::L1, 64, 0x30000});
  other.niu = 1;
  const Ticket second = b.request(kBrisc, other);
  b.arrive(second, kThere, Mode::Write);
}
/// The counter of an id goes down once for each target of a multicast: 0 proves nothing then.
void multicast_drift(Bench& b, bool ordered) {
  event::Request one = write_of(kData);
  one.answers = 3;
  const Ticket ticket = b.request(kBrisc, one);
  b.arrive(ticket, kThere, Mode::Write);
  b.counter(kBrisc, 0, ordered ? kWriteAcks : 16, ordered ? 3 : 0);
  const Ticket read = b.request(kBrisc, kind_of(NocKind::Read));
  b.arrive(read, kThere, Mode::Read, true);
}
void polled_flag(Bench& b, bool ordered) {
  b.detector.mark_sync(kFlag.begin);
  const Ticket payload = b.request(kBrisc, write_of({Place::L1, 64, 0x30000}));
  b.arrive(payload, kData, Mode::Write);
  if (ordered) b.counter(kBrisc, 0, kWriteAcks, 1);
  const Ticket flag = b.request(kBrisc, kind_of(NocKind::Atomic));
  b.arrive(flag, kFlag, Mode::Atomic);
  b.load_use(kNcrisc, kFlag, Region::L1, true);
  b.load_use(kNcrisc, l1(0x10000));
}
void kernel_end(Bench& b, bool ordered) {
  b.request(kBrisc, kind_of(NocKind::Atomic));
  b.counter(kBrisc, 0, ordered ? kAtomicResponses : kWriteAcks, ordered ? 1 : 0);
  b.detector.on(event::Return{b.site(kBrisc)});
}
void thread_at_end(Bench& b, bool ordered) {
  b.run(2, words::pacr, kData, Mode::Write);
  if (ordered) b.done_check(kTrisc2);
  b.detector.on(event::Return{b.site(kTrisc2)});
}
void host_go(Bench& b, bool ordered) {
  Site host;
  b.detector.mark_sync(kFlag.begin);
  b.detector.on(event::HostWrite{host, l1(0x10000), true, {}});
  if (ordered) b.detector.on(event::HostRead{host, l1(0x10000)});
  b.detector.on(event::HostWrite{host, kFlag, false, {}});
  b.load_use(kBrisc, kFlag, Region::L1, true);
  b.load_use(kBrisc, l1(0x10000));
}
void plain_against_atomic(Bench& b, bool ordered) {
  const Ticket ticket = b.request(kBrisc, kind_of(NocKind::Atomic));
  b.arrive(ticket, kFlag, Mode::Atomic);
  if (ordered) {
    b.amo(kNcrisc, kFlag);
  } else {
    b.store(kNcrisc, kFlag);
  }
}

}  // namespace

std::vector<Litmus> network_litmus() {
  using enum FindingKind;
  return {
      {EdgeId::InitiatorBusy, "registers of a busy initiator", initiator},
      {EdgeId::SplitRequest, "a request behind one that is split", split_request},
      {EdgeId::SharedInitiator, "an initiator of two cores", shared_initiator},
      {EdgeId::StoreToSource, "a store, then a write of it", store_to_source},
      {EdgeId::SourceReuse, "the source of a write", source_reuse},
      {EdgeId::WriteLanded, "a write's data", write_landed, Race, false},
      {EdgeId::ReadArrived, "a read's data", read_arrived},
      {EdgeId::AtomicDone, "an atomic's word", atomic_done},
      {EdgeId::SameChannel, "payload and flag", payload_then_flag, Race, false},
      {EdgeId::OtherPath, "two NoCs", two_paths, Race, false},
      {EdgeId::Multicast, "a multicast's id", multicast_drift, Race, false},
      {EdgeId::PolledFlag, "a flag behind unfinished data", polled_flag, Race, false},
      {EdgeId::KernelEnd, "an atomic at the end of a kernel", kernel_end, ExitInFlight},
      {EdgeId::KernelEnd, "a pack at the end of a kernel", thread_at_end, ExitInFlight},
      {EdgeId::HostGo, "the host's go", host_go},
      {EdgeId::AtomicDone, "a plain store against an atomic", plain_against_atomic},
  };
}

}  // namespace bhemu::race::test
