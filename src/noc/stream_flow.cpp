// Streams that move messages: from software, to software or to nowhere, phase by phase.
// WormholeB0/NoC/Overlay/README.md and its subpages; indices and fields as in tt-metal's
// noc_overlay_parameters.h for Blackhole.
#include <algorithm>

#include "base/bits.hpp"
#include "noc/stream.hpp"

namespace bhemu::noc {
namespace {

using namespace stream;

// Fields of STREAM_MISC_CFG, STREAM_ONETIME_MISC_CFG and of the registers that push.
enum : u32 { kSourceEndpoint = 4, kReceiverEndpoint = 6, kNoFlush = 18 };
enum : u32 { kAutoConfig = 0, kAutoAdvance = 1 };
constexpr u32 kAddressBits = 17;
constexpr u32 kWrapBit = 1u << kAddressBits;
// Other sources and destinations than software, tokens, copies, message info buffers that wrap,
// infinite phases and phases out of order.
constexpr u32 kNotModelled = 1u << 3 | 1u << 5 | 1u << 7 | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 15 |
                             1u << 16 | 1u << 21 | 1u << 22;

// With one access; there are no more in the 17 bits of the pointer to their configuration.
constexpr u32 kMostPhases = 1u << 12;

constexpr u32 low(u32 value) {
  return bits(value, 0, kAddressBits);
}

}  // namespace

u32 StreamFile::message_info(u32 stream, u32 place) const {
  const u32 words = keeps_headers(stream) ? 6 : 2;
  const StreamFlow& flow = flows_[stream];
  const u32 number = place / words;
  if (number >= flow.messages) return 0;
  const StreamMessage& message = flow.message[number];
  const u32 word = place % words;
  return word == 0 ? message.address : word == 1 ? message.length : message.header[word - 2];
}

u32 StreamFile::space_available(u32 stream) const {
  const u32 size = word(stream, STREAM_BUF_SIZE);
  const u32 read = word(stream, STREAM_RD_PTR);
  const u32 write = word(stream, STREAM_WR_PTR);
  if (read == write || size == 0) return size;
  return (low(read) + size - low(write)) % size;
}

/// The next one in index order after the one given last.
u32 StreamFile::next_finished() {
  for (u32 i = 1; finished_ != 0 && i <= kStreams; ++i) {
    const u32 stream = (finished_last_ + i) % kStreams;
    if ((finished_ >> stream & 1) == 0) continue;
    finished_ &= ~(u64{1} << stream);
    finished_last_ = stream;
    return 0x10000 | stream;
  }
  return 0;
}

bool StreamFile::read_flow(u32 stream, u32 index, u32& value) {
  const StreamFlow& flow = flows_[stream];
  const bool full = flow.messages == metadata_capacity(stream);
  const bool ongoing = flow.phase == StreamPhase::Ongoing;
  switch (index) {
    case STREAM_WAIT_STATUS: {
      const bool waits = flow.phase == StreamPhase::Idle || flow.phase == StreamPhase::Configured;
      value = u32{waits} | u32{flow.phase == StreamPhase::Flushing} << 1 | u32{ongoing} << 2 |
              static_cast<u32>(flow.phase) << 3;
      return true;
    }
    case STREAM_NUM_MSGS_RECEIVED_IN_BUF_AND_MEM:
      value = flow.messages +
              low(word(stream, STREAM_MSG_INFO_WR_PTR) - word(stream, STREAM_MSG_INFO_PTR));
      return true;
    case STREAM_NUM_MSGS_RECEIVED:
      value = flow.messages;
      return true;
    case STREAM_BUF_SPACE_AVAILABLE:
      value = space_available(stream);
      return true;
    case STREAM_MSG_GROUP_ZERO_MASK_AND:
      value = ~0u;
      for (u32 i = 0; i < 4; ++i) value &= message_info(stream, i * 6 + 4);
      return true;
    case STREAM_MSG_INFO_FULL:
    case STREAM_MSG_INFO_FULLY_LOADED:
      value = full;
      return true;
    case STREAM_MSG_GROUP_COMPRESS:
      value = 0;
      for (u32 i = 0; i < 4; ++i) value |= bits(message_info(stream, i * 6 + 3), 20, 1) << i;
      return true;
    case STREAM_PHASE_ALL_MSGS_PUSHED:
      value = ongoing && flow.pushed == flow.expected;
      return true;
    case STREAM_READY_FOR_MSG_PUSH:
      value = ongoing;
      return true;
    case STREAM_BLOB_AUTO_CFG_DONE:
    case STREAM_BLOB_AUTO_CFG_DONE + 1:
      value = static_cast<u32>(finished_ >> (32 * (index - STREAM_BLOB_AUTO_CFG_DONE)));
      return true;
    case STREAM_BLOB_NEXT_AUTO_CFG_DONE:
      value = next_finished();
      return true;
    case STREAM_PHASE_ADVANCE:
    case STREAM_DEBUG_ASSERTIONS:
      value = 0;  // what the latter would record is a fault here
      return true;
    default:  // STREAM_MULTI_MSG_CLEAR until it is done, or the message metadata FIFO
      value = index == STREAM_MULTI_MSG_CLEAR
                  ? flow.wanted_clears
                  : message_info(stream, index - STREAM_RECEIVER_MSG_INFO);
      return true;
  }
}

bool StreamFile::write_flow(u32 stream, u32 index, u32 value) {
  StreamFlow& flow = flows_.at(stream);
  switch (index) {
    case STREAM_SOURCE_ENDPOINT_NEW_MSG_INFO:
      return push_message(stream, value) && advance(stream);
    case STREAM_NUM_MSGS_RECEIVED_INC: {
      if (flow.phase != StreamPhase::Ongoing)
        return refuse("messages for a stream whose phase is not under way");
      const u32 count = bits(value, 0, 12);
      u32& pointer = word(stream, STREAM_MSG_INFO_WR_PTR);
      pointer = low(pointer + count);
      step_pointer(stream, STREAM_WR_PTR, bits(value, 12, kAddressBits));
      flow.pushed += count;
      return advance(stream);
    }
    case STREAM_MULTI_MSG_CLEAR:
      flow.wanted_clears += value;
      return advance(stream);
    case STREAM_MSG_INFO_CLEAR:
      return clear_info(stream, value) && advance(stream);
    case STREAM_MSG_DATA_CLEAR:
      return clear_data(stream) && advance(stream);
    case STREAM_PHASE_ADVANCE:
      if (flow.phase != StreamPhase::Idle && flow.phase != StreamPhase::Configured) return true;
      return start(stream);
    case STREAM_RESET:
      stop(stream);
      return true;
    case STREAM_BLOB_AUTO_CFG_DONE:
    case STREAM_BLOB_AUTO_CFG_DONE + 1:
      finished_ &= ~(u64{value} << (32 * (index - STREAM_BLOB_AUTO_CFG_DONE)));
      return true;
    case STREAM_DEBUG_ASSERTIONS:
      return true;
    default:
      flow.header[index - STREAM_RECEIVER_ENDPOINT_SET_MSG_HEADER] = value;
      return true;
  }
}

void StreamFile::step_pointer(u32 stream, u32 index, u32 length) {
  u32& pointer = word(stream, index);
  const u32 size = word(stream, STREAM_BUF_SIZE);
  u32 place = low(pointer) + length;
  u32 wrap = pointer & kWrapBit;
  if (place >= size && size != 0) {
    place -= size;
    wrap ^= kWrapBit;
  }
  pointer = low(place) | wrap;
}

/// STREAM_MSG_HEADER_FORMAT says where in the header.
u32 StreamFile::length_of(const StreamMessage& message) const {
  const u32 format = word(0, STREAM_MSG_HEADER_FORMAT);
  const u32 offset = bits(format, 0, 7) & ~7u;
  const u32 width = bits(format, 7, 7);
  u32 length = 0;
  for (u32 i = 0; i < width && i < 32 && offset + i < 128; ++i)
    length |= bits(message.header[(offset + i) / 32], (offset + i) % 32, 1) << i;
  return length;
}

/// Moves headers from the array in L1 to the message metadata FIFO, as long as it has room.
void StreamFile::fetch_messages(u32 stream) {
  StreamFlow& flow = flows_.at(stream);
  u32& pointer = word(stream, STREAM_MSG_INFO_PTR);
  while (flow.messages < metadata_capacity(stream) &&
         pointer != word(stream, STREAM_MSG_INFO_WR_PTR)) {
    StreamMessage message;
    if (L1::contains(pointer * 16, 16)) l1_->read(pointer * 16, message.header.data(), 16);
    message.length = length_of(message);
    message.address = low(word(stream, STREAM_BUF_START) + flow.next_message);
    const u32 size = word(stream, STREAM_BUF_SIZE);
    flow.next_message += message.length;
    if (size != 0 && flow.next_message >= size) flow.next_message -= size;
    flow.message[flow.messages++] = message;
    pointer = low(pointer + 1);
  }
}

bool StreamFile::push_message(u32 stream, u32 value) {
  StreamFlow& flow = flows_.at(stream);
  if (flow.phase != StreamPhase::Ongoing)
    return refuse("a message for a stream whose phase is not under way");
  u32& pointer = word(stream, STREAM_MSG_INFO_PTR);
  u32& written = word(stream, STREAM_MSG_INFO_WR_PTR);
  if (pointer != written || flow.messages == metadata_capacity(stream))
    return refuse("a message pushed while STREAM_MSG_INFO_CAN_PUSH_NEW_MSG is 0");
  StreamMessage message{low(value), bits(value, kAddressBits, 14), flow.header};
  step_pointer(stream, STREAM_WR_PTR, message.length);
  flow.next_message = low(word(stream, STREAM_WR_PTR));
  pointer = written = low(pointer + 1);
  flow.message[flow.messages++] = message;
  ++flow.pushed;
  return true;
}

bool StreamFile::clear_info(u32 stream, u32 count) {
  StreamFlow& flow = flows_.at(stream);
  if (count > flow.messages || flow.completions == completion_capacity(stream))
    return refuse("more messages cleared than there are, or than the stream remembers");
  u32 length = 0;
  for (u32 i = 0; i < count; ++i) length += flow.message[i].length;
  for (u32 i = count; i < flow.messages; ++i) flow.message[i - count] = flow.message[i];
  flow.messages -= count;
  for (u32 i = 0; i < count; ++i) flow.message[flow.messages + i] = {};
  flow.completion[flow.completions++] = length;
  flow.remaining -= std::min(count, flow.remaining);
  return true;
}

bool StreamFile::clear_data(u32 stream) {
  StreamFlow& flow = flows_.at(stream);
  if (flow.completions == 0) return refuse("STREAM_MSG_DATA_CLEAR without STREAM_MSG_INFO_CLEAR");
  step_pointer(stream, STREAM_RD_PTR, flow.completion[0]);
  --flow.completions;
  for (u32 i = 0; i < flow.completions; ++i) flow.completion[i] = flow.completion[i + 1];
  flow.completion[flow.completions] = 0;
  return true;
}

bool StreamFile::load_configuration(u32 stream) {
  if (l1_ == nullptr) return refuse("configuration from L1 without an L1");
  const u32 count = bits(word(stream, STREAM_PHASE_AUTO_CFG_HEADER), 24, 8);
  const u32 begin = word(stream, STREAM_PHASE_AUTO_CFG_PTR);
  if (!L1::contains(begin, (count + 1) * 4) || begin % 4 != 0)
    return refuse("configuration that does not lie in L1");
  if (++phases_begun_ > kMostPhases) return refuse("phases without messages that never end");
  flows_.at(stream).phase = StreamPhase::Configured;
  store(stream, STREAM_PHASE_AUTO_CFG_HEADER, l1_->read32(begin));
  for (u32 i = 1; i <= count; ++i) {
    const u32 entry = l1_->read32(begin + i * 4);
    const StreamRegisterInfo* info = stream_register_at(bits(entry, 24, 8));
    if (info == nullptr || !info->writable || info->is_flow)
      return refuse("configuration of a register that no document lets a phase set");
    if (!store(stream, bits(entry, 24, 8), bits(entry, 0, 24))) return false;
  }
  if (!bit(word(stream, STREAM_ONETIME_MISC_CFG), kAutoAdvance)) return true;
  return start(stream);
}

bool StreamFile::start(u32 stream) {
  if (l1_ == nullptr) return refuse("a phase without an L1");
  const u32 config = word(stream, STREAM_MISC_CFG);
  if ((config & kNotModelled) != 0 || !bit(config, kSourceEndpoint)) {
    if (flows_[stream].remaining != 0)
      return refuse("a phase whose messages come from or go to anything but software");
  }
  flows_.at(stream).phase = StreamPhase::Flushing;
  return advance(stream);
}

bool StreamFile::enter_phase(u32 stream) {
  StreamFlow& flow = flows_.at(stream);
  flow.phase = StreamPhase::Ongoing;
  flow.expected = flow.remaining;
  flow.pushed = 0;
  flow.next_message = low(word(stream, STREAM_WR_PTR));
  return true;
}

bool StreamFile::end_phase(u32 stream) {
  flows_.at(stream).phase = StreamPhase::Idle;
  if (bit(word(stream, STREAM_ONETIME_MISC_CFG), kAutoConfig)) return load_configuration(stream);
  finished_ |= u64{1} << stream;
  return true;
}

/// Whatever can be done without anybody else. An end of a phase can begin the next, which is then
/// looked at from here in turn.
bool StreamFile::advance(u32 stream) {
  StreamFlow& flow = flows_.at(stream);
  const u32 config = word(stream, STREAM_MISC_CFG);
  if (flow.phase == StreamPhase::Flushing && (flow.completions == 0 || bit(config, kNoFlush)))
    enter_phase(stream);
  if (flow.phase != StreamPhase::Ongoing) return true;
  fetch_messages(stream);
  const auto take_one = [&] {
    const bool taken = clear_info(stream, 1) && clear_data(stream);
    fetch_messages(stream);
    return taken;
  };
  const bool to_software = bit(config, kReceiverEndpoint);
  while (flow.messages != 0 && (to_software ? flow.wanted_clears != 0 : flow.remaining != 0)) {
    if (!take_one()) return false;
    if (to_software) --flow.wanted_clears;
  }
  return flow.remaining != 0 || end_phase(stream);
}

void StreamFile::stop(u32 stream) {
  if (flows_.exist()) flows_.at(stream) = {};
}

}  // namespace bhemu::noc
