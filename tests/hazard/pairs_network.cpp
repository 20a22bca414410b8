// Pairs of programs for rows 43 to 53, 61, 62, 69: the NoC.
#include "hazard/pairs.hpp"

namespace bhemu::host::pairs {
namespace {

using race::EdgeId;
using race::FindingKind;
using race::NocKind;

constexpr u32 kData = 0x20000;
constexpr u32 kThere = 0x30000;
constexpr u32 kFlag = 0x20400;
constexpr u32 kTargLow = 0xFFB20000;

Request write_of(u32 from, unsigned tile, u32 to, u32 size = 64) {
  return {.kind = NocKind::Write, .local = from, .tile = tile, .remote = to, .size = size};
}
Request read_of(unsigned tile, u32 from, u32 to) {
  return {.kind = NocKind::Read, .local = to, .tile = tile, .remote = from, .buffer = 1};
}
Request add_to(unsigned tile, u32 to, u32 channel = 1) {
  return {.kind = NocKind::Atomic,
          .local = 0x20C00,
          .tile = tile,
          .remote = to,
          .buffer = 3,
          .channel = channel};
}
Request by_noc_1(Request request) {
  request.noc = 1;
  return request;
}
Request on_channel(Request request, u32 channel) {
  request.channel = channel;
  return request;
}
Request by_buffer(Request request, u32 buffer) {
  request.buffer = buffer;
  return request;
}
Request posted(Request request) {
  request.kind = NocKind::Posted;
  return request;
}

}  // namespace

std::vector<Pair> network_pairs() {
  const Request there = write_of(kData, 1, kThere);
  const Lane reader{1, kBrisc, {poll(kFlag, 1), load_use(kThere)}};
  return {
      {EdgeId::InitiatorBusy,
       "registers_of_a_busy_initiator",
       {{0, kBrisc, {send(there), store(kTargLow, kData)}}}},
      {EdgeId::StoreToSource, "store_then_send", {{0, kBrisc, {store(kData), send(there)}}}},
      {EdgeId::SourceReuse, "send_then_store", {{0, kBrisc, {send(there), store(kData)}}}},
      {EdgeId::SourceReuse,
       "posted_then_store",
       {{0, kBrisc, {send(posted(there)), store(kData)}}}},
      {EdgeId::WriteLanded,
       "write_then_another_core's_read",
       {{0, kBrisc, {send(there), mail(kTrisc0)}},
        {0, kTrisc0, {take(kBrisc), send(by_noc_1(read_of(1, kThere, 0x20800)))}}}},
      {EdgeId::ReadArrived,
       "read_then_load",
       {{0, kBrisc, {send(read_of(1, kThere, kData)), load_use(kData)}}}},
      {EdgeId::AtomicDone,
       "atomic_then_store",
       {{0, kBrisc, {send(add_to(0, kFlag)), store(kFlag)}}}},
      {EdgeId::SameChannel,
       "payload_then_flag",
       {{0, kBrisc, {send(there), send(add_to(1, kFlag))}}, reader},
       {},
       FindingKind::Contract,
       true},
      {EdgeId::OtherPath,
       "two_nocs",
       {{0, kBrisc, {send(there), send(by_noc_1(there))}}},
       {{0, kBrisc, {send(there), wait_free(there), send(there)}}},
       FindingKind::Race,
       false,
       false},
      {EdgeId::PolledFlag,
       "flag_on_another_channel",
       {{0, kBrisc, {send(there), send(add_to(1, kFlag, 2))}}, reader},
       {{0, kBrisc, {send(there), wait_for(NocKind::Write, 0), send(add_to(1, kFlag, 2))}}, reader},
       FindingKind::Race,
       false,
       false},
      {EdgeId::SplitRequest,
       "behind_a_split_request",
       {{0,
         kBrisc,
         {send(write_of(kData, 1, kThere, 32768)),
          send(by_buffer(on_channel(write_of(kData, 1, 0x50000), 2), 2))}}}},
      {EdgeId::SharedInitiator,
       "initiator_of_two_cores",
       {{0, kBrisc, {store(kTargLow, kData)}}, {0, kNcrisc, {store(kTargLow, kThere)}}}},
  };
}

}  // namespace bhemu::host::pairs
