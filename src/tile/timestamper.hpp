// The debug timestamper: the 64-bit cycle counter with its latch, and the event stream into L1.
// WormholeB0/TensixTile/DebugTimestamper.md (Blackhole has the same registers).
#pragma once

#include "base/types.hpp"
#include "mem/l1.hpp"

namespace bhemu::tile {

class Timestamper {
 public:
  /// An event of the stream is malformed (sizes mixed, unknown size): the caller raises a fault.
  enum class Result : u8 { Ok, Undefined };

  u32 clock_low(Cycle now) {
    latched_high_ = static_cast<u32>(now >> 32);
    return static_cast<u32>(now);
  }
  u32 clock_high_latched() const { return latched_high_; }

  /// RISCV_DEBUG_REG_TIMESTAMP. `start` and `end` are the buffer registers, in units of 16 bytes.
  struct Buffers {
    std::array<u32, 2> start{};
    std::array<u32, 2> end{};
  };
  Result command(u32 value, const Buffers& buffers, L1& l1, const Author& author);
  void control(u32 value);
  u32 status() const;
  void clear_status(u32 value);
  u64 hash(u64 seed) const;

 private:
  struct Buffer {
    bool valid = true;
    bool full = false;
    bool overflow = false;
    u32 position = 0;
  };
  bool set_event_size(u32 bits);
  void append(u32 word, const Buffers& buffers, L1& l1, const Author& author);
  void flush(const Buffers& buffers, L1& l1, const Author& author);
  void apply_stream_reset();

  std::array<Buffer, 2> buffers_{};
  std::array<u32, 4> pending_{};
  u32 pending_words_ = 0;
  u32 event_bits_ = 0;
  u32 control_ = 3;
  u32 latched_high_ = 0;
};

}  // namespace bhemu::tile
