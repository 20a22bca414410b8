#include "noc/stream.hpp"

#include <cstddef>

#include "base/bits.hpp"
#include "mem/mapping.hpp"
#include "noc/stream_table.hpp"

namespace bhemu::noc {

using namespace stream_table;

namespace {

/// A slot whose reset value is not 0.
struct ResetValue {
  u32 slot;
  u32 value;
};
constexpr u32 count_of_reset_values() {
  u32 count = 0;
  for (const StreamRegisterInfo& info : kTable.rows)
    count += info.reset != 0 && !info.is_flow ? info.count : 0;
  return count;
}
constexpr auto make_reset_values() {
  std::array<ResetValue, count_of_reset_values()> values{};
  u32 next = 0;
  for (const StreamRegisterInfo& info : kTable.rows)
    for (u32 i = 0; i < info.count && info.reset != 0 && !info.is_flow; ++i)
      values[next++] = {info.slot + i, info.reset};
  return values;
}
constexpr auto kResetValues = make_reset_values();

}  // namespace

// WormholeB0/NoC/Overlay/README.md, "Stream capabilities"; for streams 4 and 5 Blackhole's header
// has four groups of four messages.
u32 metadata_capacity(u32 stream) {
  if (((Receiver >> stream) & 1) != 0) return 16;
  return ((Dram >> stream) & 1) != 0 ? 8 : 2;
}
u32 completion_capacity(u32 stream) {
  return ((Endpoint >> stream) & 1) != 0 ? 8 : 2;
}
bool keeps_headers(u32 stream) {
  return ((Receiver >> stream) & 1) != 0;
}

const StreamRegisterInfo* stream_register_at(u32 index) {
  if (index >= kIndices || kTable.row_of[index] == kNone) return nullptr;
  return &kTable.rows[kTable.row_of[index]];
}
const StreamRegisterInfo* stream_registers() {
  return kTable.rows.data();
}
unsigned stream_register_count() {
  return kRowCount;
}

u32& StreamFile::word(u32 stream, u32 index) {
  return words_[kTable.slot_of[index]][stream];
}
u32 StreamFile::word(u32 stream, u32 index) const {
  return const_cast<StreamFile*>(this)->word(stream, index);
}

// These hold base + value: the base is added on writes and subtracted again on reads.
u32 StreamFile::relative(u32 stream, u32 index, u32 base, u32 width) const {
  return (word(stream, index) - word(stream, base)) & mask_of(width);
}

bool StreamFile::read_has_effect(u32 offset) {
  return offset == stream::STREAM_BLOB_NEXT_AUTO_CFG_DONE * 4;
}

bool StreamFile::read(u32 offset, u32& value) {
  const u32 stream = offset / kStreamStride;
  const u32 index = offset % kStreamStride / 4;
  const StreamRegisterInfo* info = stream_register_at(index);
  refusal_ = nullptr;
  if (stream >= count_ || info == nullptr) return false;
  if (!info->readable && !info->writable) return refuse(info->meaning);
  if (!info->readable) return false;
  if (!has(*info, stream)) {
    value = 0;
    return true;
  }
  if (info->is_flow) return read_flow(stream, index, value);
  if (!derive(stream, *info, index, value)) value = word(stream, index);
  return true;
}

/// Registers that show something else than their word: the cases of `derive`.
constexpr std::array<u32, 8> kDerived = {
    stream::STREAM_REMOTE_SRC_PHASE,       stream::STREAM_CURR_PHASE,
    stream::STREAM_PHASE_AUTO_CFG_PTR,     stream::STREAM_MSG_INFO_CAN_PUSH_NEW_MSG,
    stream::STREAM_PHASE_AUTO_CFG_HEADER,  stream::STREAM_NEXT_RECEIVED_MSG_ADDR,
    stream::STREAM_NEXT_RECEIVED_MSG_SIZE, stream::STREAM_DEBUG_STATUS_2};

bool StreamFile::derive(u32 stream, const StreamRegisterInfo& info, u32 index, u32& value) const {
  switch (index) {
    case stream::STREAM_REMOTE_SRC_PHASE:
    case stream::STREAM_CURR_PHASE:
      value = relative(stream, index, stream::STREAM_CURR_PHASE_BASE, info.width);
      return true;
    case stream::STREAM_PHASE_AUTO_CFG_PTR:
      value = relative(stream, index, stream::STREAM_PHASE_AUTO_CFG_PTR_BASE, info.width);
      return true;
    case stream::STREAM_MSG_INFO_CAN_PUSH_NEW_MSG:
      value = word(stream, stream::STREAM_MSG_INFO_PTR) ==
                  word(stream, stream::STREAM_MSG_INFO_WR_PTR) &&
              flows_[stream].messages < metadata_capacity(stream);
      return true;
    case stream::STREAM_PHASE_AUTO_CFG_HEADER:
      value = bits(word(stream, index), 24, 8) << 24 | flows_[stream].remaining << 12 |
              flows_[stream].remaining;
      return true;
    case stream::STREAM_NEXT_RECEIVED_MSG_ADDR:
      value =
          flows_[stream].messages != 0 ? flows_[stream].message[0].address : word(stream, index);
      return true;
    case stream::STREAM_NEXT_RECEIVED_MSG_SIZE:
      value = flows_[stream].messages != 0 ? flows_[stream].message[0].length : word(stream, index);
      return true;
    case stream::STREAM_DEBUG_STATUS_2: {
      bool all = true;
      for (u32 i = 0; i < destinations(stream); ++i)
        all &= word(stream, stream::STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE + i) != 0;
      value = (all ? 8 : 0) | u32{flows_[stream].completions < completion_capacity(stream)};
      return true;
    }
    default:
      return false;
  }
}

bool StreamFile::shows(u32 stream, const StreamRegisterInfo& info) {
  return info.readable && !info.is_flow && has(info, stream);
}

void StreamFile::look(u32 stream, StreamState& values) const {
  if (stream >= count_) {
    values = {};
    return;
  }
  values = state(stream);
  for (const u32 index : kDerived) {
    const StreamRegisterInfo& info = *stream_register_at(index);
    if (shows(stream, info)) derive(stream, info, index, values[info.slot]);
  }
}

bool StreamFile::write(u32 offset, u32 value) {
  if (count(offset, value)) return true;
  const u32 stream = offset / kStreamStride;
  const u32 index = offset % kStreamStride / 4;
  const StreamRegisterInfo* info = stream_register_at(index);
  refusal_ = nullptr;
  if (stream >= count_ || info == nullptr) return false;
  if (!info->readable && !info->writable) return refuse(info->meaning);
  if (!info->writable) return false;
  if (!has(*info, stream)) return true;
  if (wakeup_ != nullptr) wakeup_->touch(Resource::Stream);
  phases_begun_ = 0;
  return info->is_flow ? write_flow(stream, index, value)
                       : trigger(stream, index, value & mask_of(info->width));
}

/// A write from software, or by the stream's own configuration.
bool StreamFile::store(u32 stream, u32 index, u32 value) {
  const StreamRegisterInfo& info = *stream_register_at(index);
  if (info.is_flow) return write_flow(stream, index, value);
  return trigger(stream, index, value & mask_of(info.width));
}

bool StreamFile::trigger(u32 stream, u32 index, u32 value) {
  using namespace stream;
  switch (index) {
    case STREAM_ONETIME_MISC_CFG:
      word(stream, index) = value;
      if (!bit(value, 0) || flows_[stream].phase != StreamPhase::Idle) return true;
      finished_ &= ~(u64{1} << stream);
      return load_configuration(stream);
    case STREAM_REMOTE_SRC_PHASE:
    case STREAM_CURR_PHASE:
      value = (value + word(stream, STREAM_CURR_PHASE_BASE)) & mask_of(20);
      break;
    case STREAM_PHASE_AUTO_CFG_PTR:
      value = (value + word(stream, STREAM_PHASE_AUTO_CFG_PTR_BASE)) & mask_of(17);
      break;
    case STREAM_REMOTE_DEST_BUF_START:
    case STREAM_REMOTE_DEST_BUF_SIZE:
      write_count(words_, stream, index == STREAM_REMOTE_DEST_BUF_SIZE, value);
      return true;
    case STREAM_BUF_START:
      word(stream, STREAM_RD_PTR) = 0;
      word(stream, STREAM_WR_PTR) = 0;
      break;
    case STREAM_RD_PTR:
      word(stream, STREAM_NEXT_RECEIVED_MSG_SIZE) = 0;
      word(stream, STREAM_NEXT_RECEIVED_MSG_ADDR) =
          (word(stream, STREAM_BUF_START) + value) & mask_of(17);
      break;
    case STREAM_PHASE_AUTO_CFG_HEADER: {
      // LoadConfigurationFromL1.md: number of messages, and the pointer to what comes next.
      u32& phase = word(stream, STREAM_CURR_PHASE);
      phase = (phase + bits(value, 0, 12)) & mask_of(20);
      flows_.at(stream).remaining = bits(value, 12, 12);
      u32& pointer = word(stream, STREAM_PHASE_AUTO_CFG_PTR);
      const u32 size = (bits(word(stream, index), 24, 8) + 1) * 4;
      if (bit(word(stream, STREAM_ONETIME_MISC_CFG), 0)) pointer = (pointer + size) & mask_of(17);
      value &= ~0xFFFu;
      break;
    }
    case STREAM_GLOBAL_OFFSET_TABLE:
      for (u32 i = 0; i < 8 && bit(value, 20); ++i)
        word(stream, STREAM_GLOBAL_OFFSET_TABLE_RD + i) = 0;
      if (!bit(value, 20))
        word(stream, STREAM_GLOBAL_OFFSET_TABLE_RD + bits(value, 17, 3)) = bits(value, 0, 17);
      return true;
    case STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE: {
      const u32 destination = bits(value, 0, 6);
      if (destination >= destinations(stream)) return true;
      u32& space = word(stream, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE + destination);
      space = (space + bits(value, 6, 17)) & mask_of(17);
      return true;
    }
    default:
      break;
  }
  word(stream, index) = value;
  return true;
}

void StreamFile::set_reset_values() {
  for (const ResetValue& one : kResetValues) words_[one.slot].fill(one.value);
}

void StreamFile::reset() {
  words_ = {};
  set_reset_values();
  flows_.clear();
  finished_ = 0;
  finished_last_ = kStreams - 1;
}

StreamState StreamFile::state(u32 stream) const {
  StreamState state;
  for (u32 slot = 0; slot < kStreamSlots; ++slot) state[slot] = words_[slot][stream];
  return state;
}

StreamFile::ByStream StreamFile::by_stream() const {
  ByStream all;
  for (u32 stream = 0; stream < kStreams; ++stream) all[stream] = state(stream);
  return all;
}

u64 StreamFile::hash(u64 seed) const {
  const ByStream all = by_stream();
  seed = hash_bytes(seed, all.data(), sizeof all);
  for (u32 stream = 0; flows_.exist() && stream < kStreams; ++stream) {
    const StreamFlow& flow = flows_[stream];
    const bool untouched = flow.phase == StreamPhase::Idle && flow.remaining == 0 &&
                           flow.messages == 0 && flow.completions == 0;
    if (untouched) continue;
    seed = hash_bytes(seed, &flow.remaining, sizeof flow - offsetof(StreamFlow, remaining));
    seed ^= static_cast<u64>(flow.phase);
  }
  return finished_ == 0 ? seed : hash_bytes(seed, &finished_, sizeof finished_);
}

}  // namespace bhemu::noc
