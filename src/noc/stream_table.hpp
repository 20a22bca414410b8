// The registers of a stream as a table, from stream.def, and the shortest way to those that
// circular buffers are counted in.
#pragma once

#include "base/prefetch.hpp"
#include "noc/stream.hpp"

namespace bhemu::noc {
namespace stream_table {

inline constexpr u32 kIndices = 512;
inline constexpr u8 kNone = 0xFF;

inline constexpr u64 All = ~u64{0};
inline constexpr u64 Multicast = 0xF;
inline constexpr u64 Gather = 0x3F;
inline constexpr u64 Dram = 0xF0F;
inline constexpr u64 Endpoint = 0xF3F;
inline constexpr u64 Receiver = 0x30;
inline constexpr u64 First = 1;

enum Access : u8 { RW, RO, WO, NO };
enum Kind : u8 { Storage, Trigger, Live, Flow };
constexpr bool is_flow(Kind kind) {
  return kind == Flow;
}

inline constexpr StreamRegisterInfo kRows[] = {
#define STREAM(name, index, count, width, access, kind, where, reset, meaning) \
  {#name,                                                                      \
   index,                                                                      \
   count,                                                                      \
   width,                                                                      \
   access != WO && access != NO,                                               \
   access != RO && access != NO,                                               \
   where,                                                                      \
   reset,                                                                      \
   0,                                                                          \
   meaning,                                                                    \
   is_flow(kind)},
#include "noc/stream.def"
#undef STREAM
};
inline constexpr unsigned kRowCount = sizeof(kRows) / sizeof(kRows[0]);
static_assert(kRowCount < kNone);

struct Table {
  std::array<StreamRegisterInfo, kRowCount> rows{};
  std::array<u8, kIndices> row_of{};
  std::array<u8, kIndices> slot_of{};
  u32 slots = 0;
};
constexpr Table make_table() {
  Table table;
  table.row_of.fill(kNone);
  for (unsigned row = 0; row < kRowCount; ++row) {
    table.rows[row] = kRows[row];
    table.rows[row].slot = table.slots;
    if (!kRows[row].is_flow) table.slots += kRows[row].count;
    for (u32 i = 0; i < kRows[row].count; ++i) {
      table.row_of[kRows[row].index + i] = static_cast<u8>(row);
      table.slot_of[kRows[row].index + i] = static_cast<u8>(table.rows[row].slot + i);
    }
  }
  return table;
}
inline constexpr Table kTable = make_table();
static_assert(kTable.slots <= kStreamSlots);

constexpr u32 mask_of(u32 width) {
  return width >= 32 ? ~0u : (1u << width) - 1;
}
constexpr bool has(const StreamRegisterInfo& info, u32 stream) {
  return ((info.streams >> stream) & 1) != 0;
}
/// Destinations whose free space a stream tracks.
constexpr u32 destinations(u32 stream) {
  return ((Multicast >> stream) & 1) != 0 ? 32 : 1;
}

/// `words`: by slot and stream. What a write to one of the registers that circular buffers are
/// counted in does; all streams have them. `size`: to the second of them.
template <class Words>
inline void write_count(Words& words, u32 stream, bool size, u32 value) {
  using namespace stream;
  constexpr auto kRowOfStart = kTable.rows[kTable.row_of[STREAM_REMOTE_DEST_BUF_START]];
  constexpr auto kRowOfSize = kTable.rows[kTable.row_of[STREAM_REMOTE_DEST_BUF_SIZE]];
  static_assert(kRowOfStart.streams == All && kRowOfSize.streams == All);
  constexpr u32 kPointer = kTable.slot_of[STREAM_REMOTE_DEST_WR_PTR];
  constexpr u32 kSpace = kTable.slot_of[STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE];
  if (!size) {
    words[kRowOfStart.slot][stream] = value & mask_of(kRowOfStart.width);
    words[kPointer][stream] = 0;
  } else {
    value &= mask_of(kRowOfSize.width);
    words[kRowOfSize.slot][stream] = value;
    for (u32 i = 0; i < destinations(stream); ++i) words[kSpace + i][stream] = value;
  }
}

}  // namespace stream_table

inline void StreamFile::fetch_counts() const {
  using namespace stream;
  for (const u32 index : {STREAM_REMOTE_DEST_BUF_START, STREAM_REMOTE_DEST_WR_PTR,
                          STREAM_REMOTE_DEST_BUF_SIZE, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE})
    prefetch(words_[stream_table::kTable.slot_of[index]]);
}

inline bool StreamFile::count_unwatched(u32 stream, bool size, u32 value) {
  if (stream >= count_) return false;
  stream_table::write_count(words_, stream, size, value);
  return true;
}

inline bool StreamFile::count(u32 offset, u32 value) {
  const u32 index = offset % kStreamStride / 4;
  const u32 stream = offset / kStreamStride;
  const bool size = index == stream::STREAM_REMOTE_DEST_BUF_SIZE;
  if (stream >= count_ || (!size && index != stream::STREAM_REMOTE_DEST_BUF_START)) return false;
  refusal_ = nullptr;
  if (wakeup_ != nullptr) wakeup_->touch(Resource::Stream);
  return count_unwatched(stream, size, value);
}

}  // namespace bhemu::noc
