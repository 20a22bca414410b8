#include "tile/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "noc/command.hpp"
#include "noc/registers.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

constexpr u32 kMostPages = 4096;  // moved at once; anything else sets a counter anew
constexpr u32 kCountMask = 0xFFFF;
constexpr std::size_t kMostLanded = 64;

constexpr u32 kIds = 16 * 4;  // a counter for each transaction id
constexpr u32 kBuffers = 32;
constexpr u32 kAskedInVain = 1;  // page size of a buffer that there is not

std::string pages_text(u32 count) {
  return fmt::format("{} page{}", count, count == 1 ? "" : "s");
}

bool is_thread(Agent agent) {
  return agent >= Agent::Thread0 && agent <= Agent::Thread2;
}

}  // namespace

Checks::Checks(Tile& tile, CheckSet set, std::shared_ptr<const Software> software, Cycle one_way)
    : tile_(tile), set_(set), software_(std::move(software)), one_way_(one_way) {}

void Checks::forget() {
  buffers_ = {};
  transfers_.clear();
  landed_.clear();
  looks_ = {};
  if (pushes_ != nullptr) pushes_->forget();
}

bool Checks::in_kernel(const Author& author) {
  if (is_thread(author.agent)) return true;
  if (!is_core(author.agent)) return false;
  const u32 base = software_->kernel_base(tile_);
  return base != 0 && author.pc >= base;
}

// --- Circular buffers

bool Checks::counter_written(u32 stream, bool received, u32 before, u32 after, u32 other,
                             const Author& author) {
  if (!has(CheckGroup::Buffers)) return false;
  Buffer& buffer = buffers_[stream % noc::kStreams];
  if (after == 0) {  // between kernels
    buffer = {};
    return false;
  }
  const u32 added = (after - before) & kCountMask;
  if (!buffer.known) {
    buffer.known = true;
    buffer.place = software_->buffer(tile_, stream);
    buffer.pushed = received ? before & kCountMask : other & kCountMask;
    buffer.popped = received ? other & kCountMask : before & kCountMask;
  }
  buffer.lost |= added > kMostPages;
  bool stop = false;
  if (buffer.place.pages != 0 && !buffer.lost && in_kernel(author)) {
    const u32 filled = (received ? before - other : other - before) & kCountMask;
    stop = received ? check_push(stream, buffer, filled, added, author)
                    : check_pop(stream, buffer, filled, added, author);
  }
  (received ? buffer.pushed : buffer.popped) += added;
  return stop;
}

namespace {
constexpr const char* kTwoProducers =
    ": two cores fill this buffer, each by a write pointer of its own, and so one page twice";
}

template <class Visit>
void Checks::each_page(const Buffer& buffer, u32 first, u32 count, Visit visit) const {
  const BufferPlace& place = buffer.place;
  first %= place.pages;
  count = std::min(count, place.pages);
  const u32 until_end = std::min(count, place.pages - first);
  visit(place.address + first * place.page_size, until_end * place.page_size);
  if (count > until_end) visit(place.address, (count - until_end) * place.page_size);
}

bool Checks::check_push(u32 index, Buffer& buffer, u32 filled, u32 added, const Author& author) {
  const u32 pages = buffer.place.pages;
  if (filled + added > pages)
    return tile_.faults().raise(
        Rule::CbOverrun, author,
        fmt::format(
            "it pushes {} into CB {}, which has {} and of them {} filled: what the consumer "
            "has not taken yet is written over",
            pages_text(added), index, pages_text(pages), filled));
  if (transfers_.empty()) return false;
  bool stop = false;
  each_page(buffer, buffer.pushed, added, [&](u32 address, u32 bytes) {
    const Transfer* read = landing(address, bytes);
    if (stop || read == nullptr) return;
    stop =
        raise(Rule::CbPushBeforeRead, *read, author,
              fmt::format("it pushes {} of CB {} (L1[{:#x}, +{:#x}]) while {} is still under way{}",
                          pages_text(added), index, address, bytes, name(*read),
                          read->agent == author.agent ? "" : kTwoProducers));
  });
  return stop;
}

bool Checks::check_pop(u32 index, Buffer& buffer, u32 filled, u32 added, const Author& author) {
  if (added > filled)
    return tile_.faults().raise(
        Rule::CbPopWithoutPage, author,
        fmt::format(
            "it takes {} from CB {}, which holds {} ({} pushed and {} taken so far): it has "
            "not waited for {}",
            pages_text(added), index, filled, buffer.pushed, buffer.popped,
            added == 1 ? "it" : "them"));
  bool stop = false;
  drop_posted(author.cycle);
  each_page(buffer, buffer.popped, added, [&](u32 address, u32 bytes) {
    for (const Transfer& transfer : transfers_) {
      if (stop || transfer.kind != noc::PacketKind::WriteRequest || departed(transfer) ||
          (transfer.posted && transfer.issued + 2 * one_way_ <= author.cycle) ||
          !transfer.overlaps(address, bytes))
        continue;
      stop =
          raise(Rule::CbPopBeforeWrite, transfer, author,
                fmt::format("it gives back {} of CB {} (L1[{:#x}, +{:#x}]) while {} may still have "
                            "to leave from there",
                            pages_text(added), index, address, bytes, name(transfer)));
      return;
    }
  });
  return stop;
}

// --- NoC requests

void Checks::requested(const noc::Packet& packet, u64 local, u32 answers) {
  if (!is_core(packet.issuer)) return;
  const bool in_l1 = !packet.inline_data && !noc::is_register(local) &&
                     packet.kind != noc::PacketKind::AtomicRequest;
  // Where nothing comes back, and no source has to stay, there is nothing to wait for.
  if (packet.posted && !in_l1) return;
  if (!packet.posted && packet.reply_to != packet.source) return;  // the answer goes elsewhere
  Transfer transfer{
      packet.kind,      packet.noc,     packet.posted,           packet.issuer,
      packet.issuer_pc, packet.issued,  static_cast<u32>(local), in_l1 ? packet.length : 0,
      answers,          packet.tracking};
  if (transfer.kind == noc::PacketKind::WriteRequest && in_l1 && transfer.length != 0 &&
      has(CheckGroup::Noc)) {
    L1& l1 = tile_.l1();
    const u32 last = (transfer.local + transfer.length - 1) | ((1u << L1::kLineShift) - 1);
    for (u32 at = transfer.local; at <= last && at < l1.size(); at += 1u << L1::kLineShift)
      l1.set_flag(at, L1::kSource);
  }
  drop_posted(packet.issued);
  transfers_.push_back(transfer);
  if (!in_l1 || transfer.length == 0 || !has(CheckGroup::Buffers)) return;
  const Author author{packet.issuer, packet.issuer_pc, packet.issued};
  if (!in_kernel(author)) return;
  // Data that begins in a circular buffer and runs over its end was meant for larger pages.
  const u64 end = u64{transfer.local} + transfer.length;
  u32 left = kBuffers;
  for (u32 index = 0; index < kBuffers; ++index) {
    BufferPlace& place = buffers_[index].place;
    if (place.pages == 0 && place.page_size != kAskedInVain) {
      place = software_->buffer(tile_, index);
      if (place.pages == 0) place.page_size = kAskedInVain;
    }
    const u64 behind = place.address + u64{place.pages} * place.page_size;
    if (place.pages == 0 || transfer.local < place.address || transfer.local >= behind) continue;
    if (end <= behind) return;
    left = std::min(left, index);
  }
  if (left == kBuffers) return;
  const BufferPlace place = software_->buffer(tile_, left);  // of this launch
  if (place.pages == 0 || place.address != buffers_[left].place.address) return;
  tile_.faults().raise(
      Rule::CbOverrun, author,
      fmt::format("it {} {} bytes {} L1[{:#x}], which is in CB {} ({} of {} bytes): that is {} "
                  "bytes more than the buffer has there",
                  transfer.kind == noc::PacketKind::ReadRequest ? "reads" : "writes",
                  transfer.length, transfer.kind == noc::PacketKind::ReadRequest ? "to" : "from",
                  transfer.local, left, pages_text(place.pages), place.page_size,
                  end - place.address - u64{place.pages} * place.page_size));
}

/// Of a posted write nothing comes back; it has left when an answer could have come.
void Checks::drop_posted(Cycle now) {
  while (!transfers_.empty() && transfers_.front().posted &&
         transfers_.front().issued + 2 * one_way_ <= now)
    transfers_.pop_front();
}

void Checks::answered(const noc::Packet& packet, Cycle now) {
  const auto found = std::find_if(transfers_.begin(), transfers_.end(), [&](const Transfer& one) {
    return one.tracking == packet.tracking && one.noc == packet.noc && !one.posted &&
           one.tracking != noc::kUntracked;
  });
  if (found == transfers_.end() || --found->answers != 0) return;
  const Transfer done = *found;
  transfers_.erase(found);
  if (!has(CheckGroup::Noc)) return;
  if (check_ended(done, now)) return;
  const u32 base = software_->kernel_base(tile_);
  if (base == 0 || done.pc < base) return;
  if (done.kind == noc::PacketKind::ReadRequest && !is_awaited(done) && done.length != 0) {
    const auto same = std::find_if(landed_.begin(), landed_.end(), [&](const Landed& one) {
      return one.agent == done.agent && one.pc == done.pc && one.noc == done.noc;
    });
    if (same == landed_.end() && landed_.size() < kMostLanded)
      landed_.push_back({done.agent, done.pc, done.noc, done.issued, done.local});
  }
}

/// True: the kernel that has sent it is over.
bool Checks::check_ended(const Transfer& transfer, Cycle now) {
  const CoreId core = core_of(transfer.agent);
  const u32 base = software_->kernel_base(tile_);
  if (base == 0 || transfer.pc < base || transfer.posted) return false;
  if (tile_.status(core) == CoreStatus::Reset || tile_.core(core).pc >= base) return false;
  // tt-metal's own rule asks no more of writes than that they have left.
  const bool waited = is_awaited(transfer) ||
                      (transfer.kind == noc::PacketKind::WriteRequest && departed(transfer));
  if (!waited)
    raise(Rule::NocInFlightAtEnd, transfer, {transfer.agent, transfer.pc, now},
          fmt::format("its kernel has ended while {} was still under way", name(transfer)));
  return true;
}

void Checks::looked(unsigned core, unsigned noc, u32 offset, Cycle now) {
  using namespace noc;
  auto& looks = looks_[core][noc];
  const auto note = [&](Look look) { looks[static_cast<unsigned>(look)] = now; };
  const bool by_id = offset >= niu::NIU_MST_REQS_OUTSTANDING_ID &&
                     offset < niu::NIU_MST_REQS_OUTSTANDING_ID + kIds;
  switch (offset) {
    case niu::NIU_MST_RD_RESP_RECEIVED:
    case niu::NIU_MST_RD_DATA_WORD_RECEIVED:
      note(Look::Reads);
      break;
    case niu::NIU_MST_WR_ACK_RECEIVED:
      note(Look::Writes);
      note(Look::Departures);
      return;
    case niu::NIU_MST_NONPOSTED_WR_REQ_SENT:
    case niu::NIU_MST_POSTED_WR_REQ_SENT:
    case niu::NIU_MST_NONPOSTED_WR_DATA_WORD_SENT:
    case niu::NIU_MST_POSTED_WR_DATA_WORD_SENT:
      note(Look::Departures);
      return;
    case niu::NIU_MST_ATOMIC_RESP_RECEIVED:
      note(Look::Atomics);
      return;
    default:
      if (!by_id) {
        if (offset >= niu::NIU_MST_WRITE_REQS_OUTGOING_ID &&
            offset < niu::NIU_MST_WRITE_REQS_OUTGOING_ID + kIds)
          note(Look::Departures);
        return;
      }
      for (Cycle& look : looks) look = now;
  }
  if (landed_.empty()) return;
  std::erase_if(landed_, [&](const Landed& one) {
    return one.noc == noc && index_of(core_of(one.agent)) == core;
  });
}

void Checks::before_write(u32 address, u32 bytes, const Author& author) {
  constexpr u32 kLine = 1u << L1::kLineShift;
  const u32 first_line = address & ~(kLine - 1);
  const u32 last = (address + bytes - 1) | (kLine - 1);
  bool flagged = false;
  for (u32 at = first_line; at <= last && !flagged; at += kLine)
    flagged = (tile_.l1().flags_at(at) & L1::kSource) != 0;
  if (!flagged) return;
  drop_posted(author.cycle);
  bool needed = false;
  for (const Transfer& transfer : transfers_) {
    if (transfer.kind != noc::PacketKind::WriteRequest || transfer.length == 0) continue;
    needed |= transfer.overlaps(first_line, last + 1 - first_line);
    const bool answered = transfer.posted && transfer.issued + 2 * one_way_ <= author.cycle;
    if (answered || departed(transfer) || !transfer.overlaps(address, bytes)) continue;
    // What a NIU writes as the data of a read, the core has asked for that reads.
    const Transfer* read = is_core(author.agent) ? nullptr : landing(address, bytes);
    const Author who =
        read == nullptr ? author : Author(read->agent, read->pc, author.cycle, author.tile);
    raise(Rule::NocSourceChanged, transfer, who,
          fmt::format("{} writes L1[{:#x}, +{}] while {} may still have to leave from there",
                      read == nullptr ? "it" : "the data of " + name(*read), address, bytes,
                      name(transfer)));
    return;
  }
  if (needed) return;
  for (u32 at = first_line; at <= last; at += kLine) tile_.l1().clear_flag(at, L1::kSource);
}

void Checks::finish(Cycle now) {
  for (const Landed& one : landed_)
    tile_.faults().raise(
        Rule::NocReadNotAwaited, {one.agent, one.pc, now},
        fmt::format(
            "it has read to L1[{:#x}] over NoC {} in cycle {}, and has never looked whether "
            "the data has come",
            one.address, one.noc, one.issued));
  landed_.clear();
  if (!has(CheckGroup::Noc)) return;
  for (const Transfer& transfer : transfers_) check_ended(transfer, now);
}

const Transfer* Checks::landing(u32 address, u32 bytes) const {
  for (const Transfer& transfer : transfers_)
    if (transfer.kind == noc::PacketKind::ReadRequest && transfer.overlaps(address, bytes))
      return &transfer;
  return nullptr;
}

bool Checks::raise_early_read(const Transfer& read, u32 address, u32 bytes, const Author& author) {
  return raise(Rule::NocReadBeforeLanded, read, author,
               fmt::format("it reads L1[{:#x}, +{}] while {} is still under way", address, bytes,
                           name(read)));
}

Cycle Checks::last_look(const Transfer& transfer, Look look) const {
  return looks_[index_of(core_of(transfer.agent))][transfer.noc][static_cast<unsigned>(look)];
}

bool Checks::departed(const Transfer& transfer) const {
  return last_look(transfer, Look::Departures) > transfer.issued;
}

bool Checks::is_awaited(const Transfer& transfer) const {
  const Look look = transfer.kind == noc::PacketKind::ReadRequest    ? Look::Reads
                    : transfer.kind == noc::PacketKind::WriteRequest ? Look::Writes
                                                                     : Look::Atomics;
  return last_look(transfer, look) > transfer.issued;
}

const char* Checks::wrong_look(const Transfer& transfer) const {
  if (is_awaited(transfer)) return nullptr;
  static constexpr const char* kKinds[] = {"reads", "writes", "departures of writes", "atomics"};
  const auto& core = looks_[index_of(core_of(transfer.agent))];
  for (unsigned look = 0; look < kLooks; ++look)
    if (core[transfer.noc][look] > transfer.issued) return kKinds[look];
  for (const Cycle look : core[1 - transfer.noc])
    if (look > transfer.issued) return "requests on the other NoC";
  return nullptr;
}

bool Checks::raise(Rule rule, const Transfer& transfer, const Author& author, std::string text) {
  const char* wrong = wrong_look(transfer);
  const bool own = author.agent == transfer.agent;
  if (wrong == nullptr || (!own && rule != Rule::NocReadBeforeLanded))
    return tile_.faults().raise(rule, author, std::move(text));
  text += fmt::format("; since then {} has only waited for {}", name_of(transfer.agent), wrong);
  const Rule told = rule == Rule::NocInFlightAtEnd ? rule : Rule::NocWrongBarrier;
  return tile_.faults().raise(told, author, std::move(text));
}

std::string Checks::name(const Transfer& transfer) const {
  const bool reads = transfer.kind == noc::PacketKind::ReadRequest;
  const bool atomic = transfer.kind == noc::PacketKind::AtomicRequest;
  std::string text =
      fmt::format("{}'s {} on NoC {} (issued at {} pc {:#x} in cycle {}", name_of(transfer.agent),
                  reads    ? "read"
                  : atomic ? "atomic"
                           : "write",
                  transfer.noc, name_of(transfer.agent), transfer.pc, transfer.issued);
  if (transfer.length != 0)
    text +=
        fmt::format(", {} L1[{:#x}, +{}]", reads ? "to" : "from", transfer.local, transfer.length);
  return text + ")";
}

}  // namespace bhemu::tile
