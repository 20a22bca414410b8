// The overlay stream register files of a tile (0xFFB40000, 4 KiB each; 64 of a Tensix tile, 32 of
// an Ethernet tile), as registers for general
// use: circular-buffer counters, semaphores with atomic increment, scratch.
//
// Documents: WormholeB0/NoC/Overlay/AsGeneralUse.md and README.md; stream.def; spec
// stream-registers.md. Which stream serves which circular buffer is software's choice
// (facts/spec-corrections.md row 2). Not modelled: streams that move data.
#pragma once

#include <array>

#include "base/archive.hpp"
#include "base/types.hpp"
#include "base/wakeup.hpp"

namespace bhemu::noc {

inline constexpr u32 kStreams = 64;
inline constexpr u32 kStreamStride = 0x1000;

/// Register indices, by name.
namespace stream {
#define STREAM(name, index, count, width, access, kind, where, reset, meaning) \
  inline constexpr u32 name = index;
#include "noc/stream.def"
#undef STREAM
}  // namespace stream

struct StreamRegisterInfo {
  const char* name;
  u32 index;
  u32 count;
  u32 width;
  bool readable;
  bool writable;
  u64 streams;  // a bit per stream that has it
  u32 reset;
  u32 slot;  // where its words are in StreamState
  const char* meaning;
};

/// The row that covers a register index; null: no such register.
const StreamRegisterInfo* stream_register_at(u32 index);
const StreamRegisterInfo* stream_registers();
unsigned stream_register_count();

inline constexpr u32 kStreamSlots = 96;
using StreamState = std::array<u32, kStreamSlots>;

class StreamFile {
 public:
  explicit StreamFile(Wakeup* wakeup, u32 streams = kStreams) : count_(streams), wakeup_(wakeup) {
    reset();
  }

  /// Byte offset from 0xFFB40000, aligned 32-bit. False: no such register, or one that cannot be
  /// read (written), or a write that would set a stream moving.
  bool read(u32 offset, u32& value) const;
  /// Touches Resource::Stream before any change.
  bool write(u32 offset, u32 value);

  void reset();
  u64 hash(u64 seed) const;
  void archive(Archive& archive) { archive.value(streams_); }

 private:
  u32& word(u32 stream, u32 index);
  u32 word(u32 stream, u32 index) const;
  u32 relative(u32 stream, u32 index, u32 base, u32 width) const;
  bool trigger(u32 stream, u32 index, u32 value);

  u32 count_;  // that the tile has
  std::array<StreamState, kStreams> streams_{};
  Wakeup* wakeup_;
};

}  // namespace bhemu::noc
