// Requests that software initiates by writing NOC_CMD_CTRL (BlackholeA0/NoC/MemoryMap.md).
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "noc/atomics.hpp"
#include "noc/checks.hpp"
#include "noc/command.hpp"
#include "noc/niu.hpp"
#include "noc/niu_state.hpp"
#include "noc/targets.hpp"
#include "trace/observer.hpp"

namespace bhemu::noc {

Command Niu::decode(u32 buffer) const {
  const u32* at = &state_->words[buffer * kBufferStride / 4];
  const auto field = [at](u32 offset) { return at[offset / 4]; };
  const auto wide = [at](u32 offset) { return at[offset / 4] | u64{at[offset / 4 + 1]} << 32; };
  Command command;
  command.buffer = buffer;
  command.target_address = wide(niu::NOC_TARG_ADDR_LO);
  command.return_address = wide(niu::NOC_RET_ADDR_LO);
  command.target_coordinate = field(niu::NOC_TARG_ADDR_HI);
  command.return_coordinate = field(niu::NOC_RET_ADDR_HI);
  command.tag = field(niu::NOC_PACKET_TAG);
  command.control = field(niu::NOC_CTRL);
  command.length = wide(niu::NOC_AT_LEN_BE);
  command.data = field(niu::NOC_AT_DATA);
  command.exclude = field(niu::NOC_BRCST_EXCLUDE);
  return command;
}

void Niu::issue(u32 buffer, const Author& issuer) {
  const Command command = decode(buffer);
  if (!check_control(command, issuer)) return;
  switch (command.type()) {
    case RequestType::Read:
      return issue_read(command, issuer);
    case RequestType::Write:
      return issue_write(command, issuer);
    default:
      return issue_atomic(command, issuer);
  }
}

bool Niu::check_control(const Command& command, const Author& issuer) {
  const u32 control = command.control;
  const auto complain = [&](Rule rule, const char* what) {
    return refuse(rule, issuer,
                  fmt::format("{}: NOC_CTRL is 0x{:x} (NoC {}, command buffer {})", what, control,
                              noc_, command.buffer));
  };
  if (command.type() == RequestType::Reserved &&
      complain(Rule::NocReservedCommand, "reserved request type 3"))
    return false;
  if ((bits(control, 10, 3) | bits(control, 18, 9)) != 0 &&
      complain(Rule::NocReservedBits, "reserved bits are set"))
    return false;
  if (command.accumulate() && command.type() != RequestType::Atomic &&
      complain(Rule::NocL1Accumulate, "accumulating L1 write"))
    return false;
  if (command.static_channel()) {
    const u32 channel_class = command.channel() >> 1;
    const bool right = command.broadcast() ? channel_class == 2 : channel_class < 2;
    if (!right && complain(Rule::NocVirtualChannel, "wrong class of virtual channel")) return false;
  }
  if (command.broadcast() && command.type() == RequestType::Read &&
      complain(Rule::NocBroadcastRead, "broadcast read"))
    return false;
  if (command.type() == RequestType::Write && command.to_overlay() &&
      complain(Rule::NocOverlayDelivery, "write to be delivered to the receiver's overlay"))
    return false;
  return true;
}

bool Niu::check_linked(const Command& command, u32 coordinate, const Author& issuer) {
  NiuState& state = *state_;
  constexpr u32 kSame = 1u << 5 | 1u << 16;  // broadcast or not, and its major axis
  if (state.linked && (state.linked_coordinate != coordinate ||
                       ((state.linked_control ^ command.control) & kSame) != 0)) {
    const bool stop =
        refuse(Rule::NocLinkedDestination, issuer,
               fmt::format("a transaction linked to 0x{:x} goes on to 0x{:x} on NoC {}",
                           state.linked_coordinate, coordinate, noc_));
    if (stop) return false;
  }
  state.linked = command.linked();
  state.linked_coordinate = coordinate;
  state.linked_control = command.control;
  return true;
}

bool Niu::check_length(const Command& command, const Author& issuer) {
  if (command.length > kMaxRequestBytes &&
      refuse(Rule::NocLength, issuer,
             fmt::format("length 0x{:x} (NOC_AT_LEN_BE_1:NOC_AT_LEN_BE) on NoC {}", command.length,
                         noc_)))
    return false;
  if (command.length > kMaxPacketBytes &&
      ((command.target_address | command.return_address) & 63) != 0 &&
      refuse(Rule::NocSplitAlignment, issuer,
             fmt::format("{} bytes with TARG 0x{:x}, RET 0x{:x}", command.length,
                         command.target_address, command.return_address)))
    return false;
  return command.length <= kMaxRequestBytes;
}

bool Niu::read_source(u64 address, u32 bytes, u64 to, const Author& issuer, Payload& payload) {
  payload = Payload::of(bytes, to);
  if (bytes == 0 || environment_.host->read(address, payload.writable(), bytes, issuer.cycle))
    return true;
  std::memset(payload.writable(), 0, bytes);
  return !refuse(Rule::NocAddress, issuer,
                 fmt::format("source of a write: {} bytes at 0x{:x} of this tile", bytes, address));
}

Packet Niu::request(PacketKind kind, const Command& command, const Author& issuer) const {
  Packet packet;
  packet.kind = kind;
  packet.noc = static_cast<u8>(noc_);
  packet.transaction_id = static_cast<u8>(command.transaction_id());
  packet.linked = command.linked();
  packet.virtual_channel = static_cast<u8>(command.channel());
  packet.source = environment_.node;
  packet.reply_to = environment_.node;
  packet.issuer = issuer.agent;
  packet.issuer_pc = issuer.pc;
  packet.issued = issuer.cycle;
  return packet;
}

void Niu::tell(Packet& packet, const Command& command, u64 local, const Targets& targets,
               const Author& issuer) {
  packet.request = ++told_ * kNocs + noc_;
  std::vector<NodeId> nodes;
  for (const Receiver& target : targets.all()) nodes.push_back(target.node);
  trace::Request request;
  request.id = {environment_.node, packet.request};
  request.author = issuer;
  request.author.tile = environment_.node;
  request.kind = packet.kind == PacketKind::WriteRequest  ? trace::RequestKind::Write
                 : packet.kind == PacketKind::ReadRequest ? trace::RequestKind::Read
                                                          : trace::RequestKind::Atomic;
  request.noc = packet.noc;
  request.buffer = static_cast<u8>(command.buffer);
  request.transaction_id = packet.transaction_id;
  request.virtual_channel = packet.virtual_channel;
  request.static_channel = command.static_channel();
  request.posted = packet.posted;
  request.linked = packet.linked;
  request.inline_data = packet.inline_data;
  request.broadcast = targets.broadcast;
  request.packets = packet.parts;
  const bool answered = !packet.posted || packet.kind == PacketKind::ReadRequest;
  request.answers = answered ? packet.parts * static_cast<u32>(nodes.size()) : 0;
  request.local = local;
  request.remote = packet.address;
  request.length = packet.length;
  request.byte_enable = packet.byte_enable;
  request.reply_to = packet.reply_to;
  request.targets = nodes;
  request.value = command.data;
  request.atomic_operation = packet.atomic_operation;
  observer_->requested(request);
}

void Niu::send_request(Packet&& packet, const Command& command, u64 local, const Targets& targets,
                       const Author& issuer) {
  if (observer_ != nullptr) [[unlikely]]
    tell(packet, command, local, targets, issuer);
  const auto all = targets.all();
  if (environment_.checks != nullptr)
    environment_.checks->requested(packet, local, static_cast<u32>(all.size()));
  if ((delays_ != nullptr || departs_) && put_off(packet, local, targets, issuer)) return;
  if (packet.kind == PacketKind::WriteRequest) count_sent(packet);
  if (targets.broadcast && delays_ == nullptr && !departs_) {
    packet.arrival = issuer.cycle + environment_.timing->one_way;
    const Cycle home = issuer.cycle + environment_.timing->loopback;
    if (environment_.host->send_to_all(packet, targets.many, home)) return;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    Packet copy = i + 1 == all.size() ? std::move(packet) : packet;
    address_to(copy, all[i].node, all[i].coord);
    dispatch(std::move(copy), issuer.cycle);
  }
}

// Counters.md, "Automatic request splitting": what software finds in the buffer afterwards.
void Niu::finish_split(u32 buffer, const Command& command) {
  const u32 parts = parts_of(command.length);
  if (parts == 1) return;
  const u32 done = (parts - 1) * kMaxPacketBytes;
  const u32 base = buffer * kBufferStride;
  const auto advance = [&](u32 low, u64 address) {
    word(base + low) = static_cast<u32>(address + done);
    word(base + low + 4) = static_cast<u32>((address + done) >> 32);
  };
  advance(niu::NOC_TARG_ADDR_LO, command.target_address);
  advance(niu::NOC_RET_ADDR_LO, command.return_address);
  word(base + niu::NOC_AT_LEN_BE) = static_cast<u32>(command.length - done);
}

void Niu::issue_read(const Command& command, const Author& issuer) {
  Targets targets;
  NodeId reply = kNoNode;
  if (!check_length(command, issuer) || !check_linked(command, command.target_coordinate, issuer) ||
      !find_targets(command, command.target_coordinate, issuer, targets) ||
      !find_reply(command.return_coordinate, issuer, reply))
    return;
  const Transfer transfer{.read = true,
                          .remote = environment_.routing->kind(targets.single.node),
                          .remote_address = command.target_address,
                          .local_address = command.return_address,
                          .length = command.length};
  if (const Objection objection = check_transfer(transfer);
      objection.rule != Rule::Count && refuse(objection.rule, issuer, objection.text))
    return;

  const u32 parts = parts_of(command.length);
  Packet packet = request(PacketKind::ReadRequest, command, issuer);
  packet.parts = static_cast<u16>(parts);
  packet.reply_to = reply;
  packet.address = command.target_address;
  packet.return_address = command.return_address;
  packet.length = static_cast<u32>(command.length);
  if (reply == environment_.node)
    packet.tracking =
        track(PacketKind::ReadRequest, command, command.target_address, targets, issuer.cycle);
  raise_transactions(niu::NIU_MST_REQS_OUTSTANDING_ID, command.transaction_id(), parts, issuer);
  count(niu::NIU_MST_CMD_ACCEPTED, parts);
  count(niu::NIU_MST_RD_REQ_STARTED, parts);
  count(niu::NIU_MST_RD_REQ_SENT, parts);
  send_request(std::move(packet), command, command.return_address, targets, issuer);
  finish_split(command.buffer, command);
}

namespace {

Payload repeated(const Payload& word, u32 bytes) {
  Payload payload = Payload::of(bytes);
  for (u32 i = 0; i < bytes; ++i) payload.writable()[i] = word.data()[i % 4];
  return payload;
}

}  // namespace

void Niu::issue_write(const Command& command, const Author& issuer) {
  const bool is_inline = command.inline_data();
  const u32 where = is_inline ? command.target_coordinate : command.return_coordinate;
  const bool masked = command.byte_enable() && !is_inline;
  Targets targets;
  NodeId reply = environment_.node;
  if (!is_inline && !masked && !check_length(command, issuer)) return;
  if (!check_linked(command, where, issuer) || !find_targets(command, where, issuer, targets))
    return;
  if (!is_inline && command.response() && !find_reply(command.target_coordinate, issuer, reply))
    return;

  const NodeKind kind = environment_.routing->kind(targets.all().front().node);
  Packet packet = request(PacketKind::WriteRequest, command, issuer);
  packet.posted = !command.response();
  packet.reply_to = reply;
  packet.inline_data = is_inline;
  packet.address = is_inline ? command.target_address : command.return_address;
  u64 source = command.target_address;
  const bool to_register =
      (kind == NodeKind::Tensix || kind == NodeKind::Ethernet) && is_register(packet.address);
  // A word of a register is repeated over the bytes that the mask chooses (WormholeB0
  // Alignment.md).
  const bool repeats = masked && !to_register && is_register(source);
  u64 length = is_inline || (masked && to_register) ? 4 : command.length;
  if (masked && !to_register) {
    // At most 64 bytes from TARG &~ 15 to RET &~ 15, of which the mask chooses.
    packet.byte_enable = command.length;
    packet.address &= ~u64{15};
    if (!repeats) source &= ~u64{15};
    length = 64 - static_cast<u32>(std::countl_zero(command.length));
  }
  const Transfer transfer{.read = false,
                          .inline_data = is_inline,
                          .remote = kind,
                          .remote_address = packet.address,
                          .local_address = source,
                          .length = repeats ? 4 : length};
  if (const Objection objection = check_transfer(transfer);
      objection.rule != Rule::Count && refuse(objection.rule, issuer, objection.text))
    return;

  packet.length = static_cast<u32>(length);
  packet.parts = static_cast<u16>(parts_of(length));
  if (is_inline) {
    packet.payload = Payload::of(4);
    std::memcpy(packet.payload.writable(), &command.data, 4);
  } else if (!read_source(source, repeats ? 4 : packet.length, packet.address, issuer,
                          packet.payload)) {
    return;
  }
  if (repeats && length != 0) packet.payload = repeated(packet.payload, packet.length);
  packet.header_store = command.header_store() && packet.posted && !is_inline;
  packet.header_address = command.data << 4;

  count_write(packet, command, targets, issuer);
  send_request(std::move(packet), command, source, targets, issuer);
  if (!is_inline && !masked) finish_split(command.buffer, command);
}

void Niu::count_write(Packet& packet, const Command& command, const Targets& targets,
                      const Author& issuer) {
  const u32 id = command.transaction_id();
  const u32 parts = packet.parts;
  const bool posted = packet.posted;
  if (!posted) {
    if (packet.reply_to == environment_.node)
      packet.tracking =
          track(PacketKind::WriteRequest, command, packet.address, targets, issuer.cycle);
    raise_transactions(niu::NIU_MST_REQS_OUTSTANDING_ID, id, parts, issuer);
  }
  if (!packet.inline_data)
    raise_transactions(niu::NIU_MST_WRITE_REQS_OUTGOING_ID, id, parts, issuer);
  count(niu::NIU_MST_CMD_ACCEPTED, parts);
  count(posted ? niu::NIU_MST_POSTED_WR_REQ_STARTED : niu::NIU_MST_NONPOSTED_WR_REQ_STARTED, parts);
}

/// The source has been read, and the request is out.
void Niu::count_sent(const Packet& packet) {
  const u32 parts = packet.parts;
  const bool posted = packet.posted;
  count(posted ? niu::NIU_MST_POSTED_WR_REQ_SENT : niu::NIU_MST_NONPOSTED_WR_REQ_SENT, parts);
  if (!packet.inline_data) {
    count(posted ? niu::NIU_MST_POSTED_WR_DATA_WORD_SENT : niu::NIU_MST_NONPOSTED_WR_DATA_WORD_SENT,
          flits_of(packet.address, packet.length));
    lower_transactions(niu::NIU_MST_WRITE_REQS_OUTGOING_ID, packet.transaction_id, parts);
  }
}

void Niu::issue_atomic(const Command& command, const Author& issuer) {
  const u32 operation = static_cast<u32>(command.length);
  Targets targets;
  NodeId reply = environment_.node;
  if (!atomic_is_documented(operation)) {
    refuse(Rule::NocAtomicOperation, issuer, fmt::format("NOC_AT_LEN_BE is 0x{:x}", operation));
    return;
  }
  if (!check_linked(command, command.target_coordinate, issuer) ||
      !find_targets(command, command.target_coordinate, issuer, targets))
    return;
  if (command.response() && !find_reply(command.return_coordinate, issuer, reply)) return;
  const NodeKind kind = environment_.routing->kind(targets.all().front().node);
  if (const Objection objection = check_atomic(kind, command.target_address,
                                               command.response() ? command.return_address : 0);
      objection.rule != Rule::Count && refuse(objection.rule, issuer, objection.text))
    return;

  Packet packet = request(PacketKind::AtomicRequest, command, issuer);
  packet.posted = !command.response();
  packet.reply_to = reply;
  packet.address = command.target_address;
  packet.return_address = command.return_address;
  packet.length = 4;
  packet.atomic_operation = operation;
  packet.atomic_data = command.data;
  count(niu::NIU_MST_CMD_ACCEPTED);
  if (packet.posted) {
    count(niu::NIU_MST_POSTED_ATOMIC_SENT);
  } else {
    if (reply == environment_.node)
      packet.tracking =
          track(PacketKind::AtomicRequest, command, packet.address, targets, issuer.cycle);
    raise_transactions(niu::NIU_MST_REQS_OUTSTANDING_ID, command.transaction_id(), 1, issuer);
    count(niu::NIU_MST_NONPOSTED_ATOMIC_STARTED);
    count(niu::NIU_MST_NONPOSTED_ATOMIC_SENT);
  }
  send_request(std::move(packet), command, command.return_address, targets, issuer);
}

}  // namespace bhemu::noc
